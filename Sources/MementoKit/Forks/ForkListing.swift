// The forks of a store, with what can be seen of their folders.

internal import MementoStore

struct ForkListing {
  let repository: Repository

  func run() throws(RepositoryError) -> [Fork] {
    let refs = try translating { () throws(StoreError) in try repository.store.refs.ofMainFolder.read() }
    let names = refs.states.names(of: refs.forks.compactMap { $0.timeline.current?.snapshot })
    return try refs.forks.map { (fork) throws(RepositoryError) in try Fork(fork, names) }
  }
}

extension Fork {
  /// `names`: those of its position, at least.
  init(_ fork: ForkedFolder, _ names: [ObjectID: [String]]) throws(RepositoryError) {
    let position = fork.timeline.current?.snapshot
    let folder = BytePath(fork.path)
    var isThere = false
    do throws(RepositoryError) {
      isThere = try StorePointer.fork(of: folder) == fork.id
    } catch {
      // A pointer that is not understood is no fork that can be worked in.
      guard error.code == .damaged else { throw error }
    }
    self.init(
      id: "\(fork.id)", folder: folder, isThere: isThere, position: position.map { SnapshotID($0) },
      names: position.flatMap { names[$0] } ?? [], steps: fork.timeline.steps.count,
      isRestorePending: fork.pending != nil)
  }
}
