// Who a store, and the folder it belongs to, must belong to: the user, or somebody the user trusts. Otherwise anybody who
// can put a `.memento` above a folder would choose what a restore writes there.

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

  /// Whether a folder that was opened is the user's own, or named by one of the trusted paths.
  func trusts(_ folder: OpenFolder) -> Bool {
    trusts(user: folder.status.user) || names(folder)
  }

  /// Whether one of the trusted paths leads to this folder.
  func names(_ folder: OpenFolder) -> Bool {
    paths.contains { path in
      if path.bytes == [UInt8(ascii: "*")] { return true }
      if path.components.last == [UInt8(ascii: "*")] {
        let above = path.parent.components
        return folder.path.components.count > above.count && folder.path.components.starts(with: above)
      }
      // What cannot be looked at is not trusted.
      return (try? OpenFolder(opening: path))?.identity == folder.identity
    }
  }
}

extension RepositoryError {
  init(foreignStore path: BytePath, user: UInt32) {
    self.init(
      .foreignOwner, "the store \(path) belongs to another user (\(user))",
      advice: "if you trust it, name it with --store, or add `trust = \(path)` to ~/.config/memento/config", path: path)
  }

  init(foreignFolder path: BytePath, user: UInt32) {
    self.init(
      .foreignOwner, "the folder \(path) belongs to another user (\(user))",
      advice: "if you trust what is in it, add `trust = \(path)` to ~/.config/memento/config", path: path)
  }
}
