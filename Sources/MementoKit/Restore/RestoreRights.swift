// What a restore by root may hand out. A store that belongs to another user may name root as the owner of a setuid program;
// a folder that belongs to another user is a place where they could run it.

internal import MementoStore
internal import MementoSystem

struct RestoreRights: Sendable {
  /// The owner of everything that the store says belongs to somebody else; nil: owners as recorded.
  private let onlyOwner: (user: UInt32, group: UInt32)?
  /// Whether setuid, setgid, devices and attributes that only root sets (capabilities) are restored.
  let allowsPrivileges: Bool

  /// As recorded, as far as the system lets this user.
  static let asRecorded = RestoreRights(onlyOwner: nil, allowsPrivileges: true)

  private init(onlyOwner: (user: UInt32, group: UInt32)?, allowsPrivileges: Bool) {
    self.onlyOwner = onlyOwner
    self.allowsPrivileges = allowsPrivileges
  }

  /// For a restore into `folder`.
  init(
    _ repository: Repository, into folder: SharedDescriptor, asRecorded: Bool
  ) throws(RepositoryError) {
    // The system keeps other users from handing out what is not theirs.
    guard Host.isSuperuser, !asRecorded else {
      self = .asRecorded
      return
    }
    do throws(Errno) {
      let store = try repository.store.folder.status()
      let isForeign = store.user != Host.effectiveUser
      onlyOwner = isForeign ? (store.user, store.group) : nil
      let folderOwner = try folder.descriptor.status().user
      allowsPrivileges = !isForeign && folderOwner == Host.effectiveUser
    } catch {
      throw RepositoryError(.system, "cannot read the owner of the folder: \(error)", systemError: error.code)
    }
  }

  /// The owner that a file gets.
  func owner(of metadata: FileMetadata) -> (user: UInt32, group: UInt32) {
    guard let onlyOwner, metadata.user != onlyOwner.user else { return (metadata.user, metadata.group) }
    return onlyOwner
  }

  /// Whether an attribute gives rights, as a capability does.
  func refuses(_ attribute: ExtendedAttribute) -> Bool {
    !allowsPrivileges
      && (attribute.name.starts(with: "security.".utf8) || attribute.name.starts(with: "trusted.".utf8))
  }
}
