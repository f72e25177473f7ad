// The remotes of a store. Nothing is asked of them.

internal import MementoStore
internal import MementoSystem

struct RemoteList {
  let repository: Repository

  func run() throws(RepositoryError) -> [Remote] {
    let folder = RemoteFolder(repository)
    var result: [Remote] = []
    for name in try folder.names() {
      guard let entry = try folder.entryIfKnown(name) else { continue }
      result.append(remote(name, entry))
    }
    return result
  }

  func remote(_ name: String, _ entry: RemoteEntry) -> Remote {
    Remote(
      name: name, url: entry.url, repository: entry.repository, isSealed: entry.isSealed,
      isConfirmed: entry.isConfirmed(in: repository), lastContact: entry.lastContact.map { SnapshotTime($0) })
  }

  func remove(_ name: String, isDryRun: Bool) throws(RepositoryError) -> Remote {
    let folder = RemoteFolder(repository)
    let removed = remote(name, try folder.entry(name))
    if !isDryRun {
      let lock = try RemoteLock(repository, name)
      try lock.during { () throws(RepositoryError) in try folder.remove(name) }
    }
    return removed
  }

  /// The name of the remote that an operation is about: the given one, that of the config, or the only one.
  func chosen(_ name: String?) throws(RepositoryError) -> String {
    if let name { return name }
    if let name = repository.folderConfig.remote { return name }
    let names = try run().map(\.name)
    if names.count == 1 { return names[0] }
    if names.isEmpty {
      throw RepositoryError(.noSuchRemote, "this store has no remote", reason: .noRemote)
    }
    throw RepositoryError(
      .invalidArgument, "there are \(names.count) remotes: \(names.joined(separator: ", "))", reason: .severalRemotes)
  }
}

extension RemoteEntry {
  /// Whether the entry was made for this very store, and not for one of which this is a copy.
  func isConfirmed(in repository: Repository) -> Bool {
    home.inode == repository.storeIdentity.inode
  }
}
