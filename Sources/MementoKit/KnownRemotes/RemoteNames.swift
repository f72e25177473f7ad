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

  /// The snapshots of remotes whose ids begin with some digits, each with a remote that has it.
  func snapshots(beginningWith digits: [UInt8]) throws(RepositoryError) -> [ObjectID: String] {
    let folder = RemoteFolder(repository)
    var found: [ObjectID: String] = [:]
    for remote in try folder.names() {
      guard let entry = try folder.entryIfKnown(remote) else { continue }
      let table = try folder.memory(of: remote, entry).table
      for id in table.names.values.values.joined().map(\.snapshot) where id.begins(with: digits) && found[id] == nil {
        found[id] = remote
      }
    }
    return found
  }

  /// All names of a remote.
  func all(_ remote: String) throws(RepositoryError) -> ShownNames {
    let folder = RemoteFolder(repository)
    return ShownNames(try folder.memory(of: remote, try folder.entry(remote)).table)
  }
}
