// The states of a remote, as of the last look.

internal import MementoModel
internal import MementoRemote
internal import MementoStore

struct RemoteStateListing {
  let repository: Repository

  func run(_ remote: String) throws(RepositoryError) -> [RemoteState] {
    var result: [RemoteState] = []
    for shown in try RemoteNames(repository).all(remote) {
      result.append(
        RemoteState(
          name: "\(remote)/\(shown.text)", snapshot: SnapshotID(shown.snapshot), host: shown.value.host,
          time: SnapshotTime(shown.value.moved), isLocal: try repository.isStored(shown.snapshot)))
    }
    return result
  }
}
