// Makes a fork. Each step leaves something that the next call with the same folder goes on from:
//
//   1. the folder
//   2. its record in `refs`, without steps
//   3. the pointer in the folder
//   4. a restore in it, whose commit is the first step

internal import MementoStore
internal import MementoSystem

struct ForkOperation {
  let repository: Repository
  /// For the repository of the fork.
  let options: OpenOptions
  let monitor: any Monitor

  private var refs: RefsFile { repository.store.refs.ofMainFolder }

  func run(_ revision: Revision, to given: BytePath, isDryRun: Bool) throws(RepositoryError) -> ForkSummary {
    let chosen = try RevisionResolver(repository, repository.readRefs()).resolve(revision)
    guard case .tree = chosen.record.body else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueNeedsNoFolder, revision: revision)
    }
    let place = try ForkPlace(given)
    try checkPlace(place.path)
    let found = try begun(place)
    if isDryRun {
      var extracting = ExtractOptions()
      extracting.isDryRun = true
      let plan = try repository.restore(Revision("\(chosen.id)"), to: place.path, extracting, monitor: monitor)
      return ForkSummary(folder: place.path, id: found?.id.description, restore: plan)
    }
    let isNew = try place.make()
    let id: ForkID
    do throws(RepositoryError) {
      id = try record(place.path, found)
    } catch {
      if isNew { place.remove() }
      throw error
    }
    do throws(RepositoryError) {
      let folder = try OpenFolder(place.path)
      do throws(Errno) {
        try StorePointer(store: repository.storePath, fork: id)
          .leave(in: folder.shared.descriptor, isDurable: repository.store.folder.isDurable)
      } catch {
        throw RepositoryError(
          .system, "cannot write into \(place.path): \(error)", path: place.path, systemError: error.code)
      }
      return ForkSummary(folder: place.path, id: "\(id)", restore: try fill(place.path, chosen, revision))
    } catch {
      try takeBack(id, place, isNew: isNew)
      throw error
    }
  }

  /// A fork would be saved with the folder that it lies in, and removed by a restore of that.
  private func checkPlace(_ place: BytePath) throws(RepositoryError) {
    let forks = try translating { () throws(StoreError) in try refs.read().forks.map { BytePath($0.path) } }
    for taken in [repository.mainFolder, repository.storePath] + forks
    where taken.components.count > 0 && place.bytes.starts(with: taken.bytes + [UInt8(ascii: "/")]) {
      var error = RepositoryError(
        .invalidArgument, "\(place) is inside of \(taken), whose saves would hold the fork as well",
        reason: .forkInside,
        path: place)
      error.folder = taken
      throw error
    }
  }

  /// The fork that an interrupted call has begun in this folder; nil when there is none. Throws `.notEmpty` when the folder
  /// holds anything else.
  private func begun(_ place: ForkPlace) throws(RepositoryError) -> ForkedFolder? {
    let names = try place.names()
    let known = try translating { () throws(StoreError) in try refs.read() }
    if names.contains(ReservedName.store), let id = try StorePointer.fork(of: place.path), let fork = known[fork: id],
      fork.pending != nil || (fork.timeline.steps.isEmpty && names == [ReservedName.store])
    {
      return fork
    }
    guard names.isEmpty else {
      throw RepositoryError(
        .notEmpty, "\(place.path) is not empty", reason: .occupiedDestination, path: place.path)
    }
    return known.forks.first { $0.path == place.path.bytes && $0.timeline.steps.isEmpty && $0.pending == nil }
  }

  /// The id of the fork, which `refs` know when this returns.
  private func record(_ place: BytePath, _ found: ForkedFolder?) throws(RepositoryError) -> ForkID {
    if let found { return found.id }
    let lock = try repository.lockForNaming(monitor)
    let outcome = try translating { () throws(StoreError) in
      try lock.check()
      return try refs.attemptUpdate(waiting: repository.wait(monitor)) { (refs) throws(RepositoryError) in
        guard refs.forks.count < Refs.mostForks else {
          throw RepositoryError(
            .invalidArgument, "the store has \(Refs.mostForks) forks, and that is the most", reason: .tooManyForks)
        }
        let id = ForkID(besides: refs.forks.map(\.id))
        refs.forks.append(ForkedFolder(id, at: place.bytes))
        return (id, true)
      }
    }
    let id = try outcome.get().result
    repository.backUpConfig()
    return id
  }

  private func fill(
    _ place: BytePath, _ chosen: StoredSnapshot, _ revision: Revision
  ) throws(RepositoryError) -> RestoreSummary {
    var options = options
    options.store = nil
    let fork = try Repository.find(from: place, options: options)
    if try fork.readRefs().pending != nil { return try fork.continueRestore(asRecorded: false, monitor: monitor) }
    var restoring = RestoreOptions()
    restoring.savesEmptyFolder = false
    restoring.sharing = repository
    return try RestoreOperation(repository: fork, options: restoring, monitor: monitor)
      .run(Revision("\(chosen.id)"), asked: revision)
  }

  /// Removes what this call has made when the restore has changed nothing. After that, it is for the next call to go on.
  private func takeBack(_ id: ForkID, _ place: ForkPlace, isNew: Bool) throws(RepositoryError) {
    let known = try translating { () throws(StoreError) in try refs.read()[fork: id] }
    guard let known, known.pending == nil, known.timeline.steps.isEmpty else { return }
    _ = try ForkRemoval(repository: repository, options: options, monitor: monitor).forget(known)
    if isNew { place.remove() }
  }
}

/// The folder that becomes a fork. It need not exist, the folder above it must.
struct ForkPlace {
  /// Absolute, and without links as far as it exists.
  let path: BytePath

  init(_ given: BytePath) throws(RepositoryError) {
    do throws(Errno) {
      path = try OpenFolder(opening: given).path
      return
    } catch {
      guard error == .notFound else {
        throw RepositoryError(.system, "cannot open \(given): \(error)", path: given, systemError: error.code)
      }
    }
    guard let name = given.components.last else {
      throw RepositoryError(.invalidArgument, "\(given) cannot be a fork", path: given)
    }
    path = try OpenFolder(given.isAbsolute || given.components.count > 1 ? given.parent : BytePath("."))
      .path.appending(name)
  }

  /// The names in the folder, but for what a call that was killed has left; none when it does not exist.
  func names() throws(RepositoryError) -> [[UInt8]] {
    do throws(Errno) {
      let folder: Descriptor
      do throws(Errno) {
        folder = try Descriptor.open(path.bytes, .namedDirectory)
      } catch {
        if error == .notFound { return [] }
        throw error
      }
      let listing = try DirectoryListing(reading: folder)
      return (0..<listing.count).map { listing.name(at: $0) }.filter { !ReservedName.isReserved($0) }
    } catch {
      throw RepositoryError(.system, "cannot read \(path): \(error)", path: path, systemError: error.code)
    }
  }

  /// Makes the folder. Returns false when it was there.
  func make() throws(RepositoryError) -> Bool {
    guard let name = path.components.last else { return false }
    do throws(Errno) {
      try Descriptor.open(path.parent.bytes, .namedDirectory).makeDirectory(name, permissions: 0o777)
      return true
    } catch {
      if error == .exists { return false }
      throw RepositoryError(.system, "cannot make \(path): \(error)", path: path, systemError: error.code)
    }
  }

  /// Removes the folder if it is empty.
  func remove() {
    guard let name = path.components.last else { return }
    do throws(Errno) {
      try Descriptor.open(path.parent.bytes, .namedDirectory).removeDirectory(name)
    } catch {
      // An empty folder that stays harms nobody.
    }
  }
}
