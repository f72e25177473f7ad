// Forgets a fork: its record goes, then the pointer in its folder. The files in the folder stay, and so do the snapshots of
// its steps, for as long as gc keeps what has no name.

internal import MementoStore
internal import MementoSystem

struct ForkRemoval {
  let repository: Repository
  /// For the lock of the fork.
  let options: OpenOptions
  let monitor: any Monitor

  private var refs: RefsFile { repository.store.refs.ofMainFolder }

  /// `given`: the folder of the fork, which may be gone, or its id.
  func run(_ given: BytePath, isDryRun: Bool) throws(RepositoryError) -> ForgottenFork {
    let known = try translating { () throws(StoreError) in try refs.read() }
    guard let found = try find(given, in: known) else { return try forgetPointer(given, isDryRun: isDryRun) }
    let names = known.states.names(of: [found.timeline.current?.snapshot].compactMap(\.self))
    let fork = Fork(found, names, repository)
    // Where nobody can look, the half changed folder may be.
    if fork.isRestorePending, fork.presence != .missing {
      var error = RepositoryError(
        .restorePending, "a restore of the fork \(fork.folder) was interrupted", reason: .forkIsInUse, path: fork.folder
      )
      error.folder = fork.folder
      throw error
    }
    let steps = isDryRun ? found.timeline.steps.count : try forget(found)
    return ForgottenFork(fork: fork, stepsRemoved: steps, isCommitted: !isDryRun)
  }

  private func find(_ given: BytePath, in known: Refs) throws(RepositoryError) -> ForkedFolder? {
    let place = try? ForkPlace(given)  // what cannot be opened may still be the recorded path
    if let id = try place.flatMap({ (place) throws(RepositoryError) in try StorePointer.fork(of: place.path) }) {
      // A copy has the id of the fork that it was made from.
      guard let fork = known[fork: id] else { return nil }
      let recorded = BytePath(fork.path)
      if let place, recorded == place.path { return fork }
      return try StorePointer.fork(of: recorded) == id ? nil : fork
    }
    let paths = [place?.path.bytes, given.bytes].compactMap(\.self)
    if let fork = known.forks.first(where: { paths.contains($0.path) }) { return fork }
    return given.components.last.flatMap { ForkID(String(decoding: $0, as: UTF8.self)) }.flatMap { known[fork: $0] }
  }

  /// Removes a fork from `refs`, and what only it has in the store and in its folder. Returns the number of its steps.
  func forget(_ fork: ForkedFolder) throws(RepositoryError) -> Int {
    let opened = try StoreOpening(options).open(OpenFolder(repository.storePath), fork: fork.id)
    // Nobody works in the fork meanwhile.
    let lock = try translating { () throws(StoreError) in
      try opened.locks.take(ChangesFolder.self, upgrading: true, waiting: repository.wait(monitor))
    }
    let steps = try translating { () throws(StoreError) in
      try lock.check()
      return try refs.update(waiting: repository.wait(monitor)) { (refs) throws(StoreError) in
        let steps = refs[fork: fork.id]?.timeline.steps.count ?? 0
        refs.forks.removeAll { $0.id == fork.id }
        return steps
      }.result
    }
    repository.backUpConfig()
    try translating { () throws(StoreError) in
      try WorktreeStorage(in: opened.folder, opened.healed, of: fork.id)
    }.removeAll()
    try removePointer(fork.id, from: BytePath(fork.path))
    return steps
  }

  private func removePointer(_ id: ForkID, from path: BytePath) throws(RepositoryError) {
    guard try StorePointer.fork(of: path) == id else { return }
    try StorePointer.removeFork(id, from: OpenFolder(path))
  }

  /// A call that was killed has left the pointer of a fork that is forgotten; and so has one that forgot a fork that had
  /// moved. A copy loses its pointer, too. Throws `.noSuchState` when the folder is nothing of that.
  private func forgetPointer(_ given: BytePath, isDryRun: Bool) throws(RepositoryError) -> ForgottenFork {
    let place = try ForkPlace(given).path
    guard let id = try StorePointer.fork(of: place),
      try StorePointer.read(in: OpenFolder(place.appending(ReservedName.store)))?.store == repository.storePath
    else {
      throw RepositoryError(.noSuchState, "\(given) is no fork of this store", reason: .unknownFork, path: given)
    }
    if !isDryRun { try removePointer(id, from: place) }
    let fork = Fork(
      id: "\(id)", folder: place, presence: .there, position: nil, names: [], steps: 0, isRestorePending: false)
    return ForgottenFork(fork: fork, stepsRemoved: 0, isCommitted: !isDryRun)
  }
}
