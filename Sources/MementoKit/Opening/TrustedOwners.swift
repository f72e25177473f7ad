// Decides whose stores and folders may be used: those of the user, and of users whom the user trusts. Otherwise anybody
// who can put a `.memento` above a folder could choose what a restore writes there.

internal import MementoSystem

struct TrustedOwners {
  private let users: Set<UInt32>
  private let paths: [BytePath]

  init(_ options: OpenOptions) {
    users = options.trustedUsers.union([Host.effectiveUser])
    paths = options.trustedPaths
  }

  func trusts(user: UInt32) -> Bool {
    users.contains(user)
  }

  /// Whether an open folder belongs to a trusted user, or a trusted path names it.
  func trusts(_ folder: OpenFolder) throws(RepositoryError) -> Bool {
    if trusts(user: folder.status.user) { return true }
    return try names(folder)
  }

  /// Whether a trusted path names this folder. Throws when no path names it and one could not be looked at.
  func names(_ folder: OpenFolder) throws(RepositoryError) -> Bool {
    var failure: RepositoryError?
    for path in paths {
      if path.bytes == [UInt8(ascii: "*")] { return true }
      if path.components.last == [UInt8(ascii: "*")] {
        let above = path.parent.components
        if folder.path.components.count > above.count && folder.path.components.starts(with: above) { return true }
        continue
      }
      do throws(RepositoryError) {
        if try OpenFolder.identity(ifThere: path) == folder.identity { return true }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return false
  }
}

extension RepositoryError {
  init(foreignStore path: BytePath, user: UInt32) {
    self.init(
      .foreignOwner, "the store \(path) belongs to another user (\(user))",
      reason: .foreignStore, path: path)
  }

  init(foreignFolder path: BytePath, user: UInt32) {
    self.init(
      .foreignOwner, "the folder \(path) belongs to another user (\(user))",
      reason: .foreignFolder, path: path)
  }
}
