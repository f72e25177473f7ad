// Limits what a restore by root may give away. The store of another user may name root as the owner of a setuid
// program. In the folder of another user, that user could run it. The same is true of snapshots that came from a remote or
// from an archive.

internal import MementoStore
internal import MementoSystem

struct RestoreRights: Sendable {
  /// The owner that files get when the store names another owner; nil restores the recorded owners.
  private let onlyOwner: (user: UInt32, group: UInt32)?
  /// Whether setuid, setgid, devices and attributes that only root can set (such as capabilities) are restored.
  let allowsPrivileges: Bool

  /// Restores everything as recorded, as far as the system lets this user.
  static let asRecorded = RestoreRights(onlyOwner: nil, allowsPrivileges: true)

  private init(onlyOwner: (user: UInt32, group: UInt32)?, allowsPrivileges: Bool) {
    self.onlyOwner = onlyOwner
    self.allowsPrivileges = allowsPrivileges
  }

  /// The rights of a restore into `folder`.
  init(
    _ repository: Repository, into folder: SharedDescriptor, asRecorded: Bool
  ) throws(RepositoryError) {
    // For other users than root, the system enforces this.
    guard Host.isSuperuser, !asRecorded else {
      self = .asRecorded
      return
    }
    var isReceived = try RemoteFolder(repository).hasReceived()
    if !isReceived { isReceived = try ReceivedMark(repository).isSet() }
    do throws(Errno) {
      let store = try repository.store.folder.status()
      let isForeign = store.user != Host.effectiveUser || isReceived
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

  /// Whether an attribute gives rights, as capabilities do, and must not be restored.
  func refuses(_ attribute: ExtendedAttribute) -> Bool {
    !allowsPrivileges
      && (attribute.name.starts(with: "security.".utf8) || attribute.name.starts(with: "trusted.".utf8))
  }
}
