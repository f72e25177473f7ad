// What the names of remotes mean, as far as this store knows.

internal import MementoModel
internal import MementoRemote
internal import MementoStore

/// What names of remotes mean, as of the last look.
struct RemoteNames {
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// The snapshot of `REMOTE/NAME`. Nil when there is no such remote or name.
  func snapshot(_ text: String) throws(RepositoryError) -> (remote: String, snapshot: ObjectID)? {
    guard let (remote, name) = RemoteName.split(text) else { return nil }
    let folder = RemoteFolder(repository)
    guard let entry = try folder.entryIfKnown(remote) else { return nil }
    let table = try folder.memory(of: remote, entry).table
    return ShownNames(table)[name].map { (remote, $0.snapshot) }
  }

  /// All names of a remote.
  func all(_ remote: String) throws(RepositoryError) -> ShownNames {
    let folder = RemoteFolder(repository)
    return ShownNames(try folder.memory(of: remote, try folder.entry(remote)).table)
  }
}
