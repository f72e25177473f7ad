// Makes stores: inside a folder, or elsewhere with a pointer to it in the folder.

internal import MementoStore
internal import MementoSystem

struct StoreMaker {
  private let options: OpenOptions
  private let opening: StoreOpening
  private var owners: TrustedOwners { opening.owners }

  init(_ options: OpenOptions) {
    self.options = options
    opening = StoreOpening(options)
  }

  func create(_ given: BytePath, compression: String?) throws(RepositoryError) -> Repository {
    var config = Config()
    if let compression {
      guard let choice = Compression(compression) else {
        throw RepositoryError(
          .invalidArgument, "\"\(compression)\" is not a compression", reason: .unknownCompression)
      }
      config.compression = choice
    }
    let folder = try OpenFolder(given)
    guard try owners.trusts(folder) else {
      throw RepositoryError(foreignFolder: folder.path, user: folder.status.user)
    }
    let inside = folder.path.appending(ReservedName.store)
    let place = try options.store.map { (path) throws(RepositoryError) in try absolute(path) } ?? inside
    if place == inside {
      try checkFree(folder)
    } else {
      config.otherLines = [FolderConfig.line(naming: folder.path)]
    }
    let root = try makeFolder(place, for: folder)
    // When several processes make the store at once, one creates it. The others must not replace its `refs` by an empty
    // list.
    let lock = try opening.lockForMaking(root)
    let store = try makeStore(in: root, at: place, config, holding: lock)
    let notes = place == inside ? [] : leavePointer(in: folder, to: place)
    return try Repository(
      folder: folder.path, storePath: place, access: .attached(folder, needsPointer: false), store: store, notes: notes,
      options: options)
  }

  private func makeStore(
    in root: consuming Descriptor, at place: BytePath, _ config: Config, holding lock: borrowing MakingLock
  ) throws(RepositoryError) -> Store {
    if try opening.holdsStore(root) { throw exists(place) }
    return try translating(root) { (root: consuming Descriptor) throws(StoreError) in
      try Store.create(in: root, config, durable: options.isDurable, clock: options.clock, holding: lock)
    }
  }

  /// Gives `body` a repository for a folder that has no store yet, to find out what a first save would do. The store is
  /// empty and temporary. `scratch`: a folder for temporary files.
  func withScratchStore<Result>(
    for given: BytePath, in scratch: BytePath, _ body: (Repository) throws -> Result
  ) throws -> Result {
    let folder = try OpenFolder(given)
    guard try owners.trusts(folder) else {
      throw RepositoryError(foreignFolder: folder.path, user: folder.status.user)
    }
    let parent = try OpenFolder(scratch)
    let time = Clock.now()
    let name = Array("memento-plan-\(Host.processID)-\(time.seconds)\(time.nanoseconds)".utf8)
    let root: Descriptor
    do throws(Errno) {
      try parent.shared.descriptor.makeDirectory(name)
      root = try parent.shared.descriptor.open(name, .directory)
    } catch {
      throw RepositoryError(
        .system, "cannot make a folder in \(scratch): \(error)", path: scratch, systemError: error.code)
    }
    defer { try? parent.shared.descriptor.removeTree(name) }  // it holds nothing
    let store = try translating(root) { (root: consuming Descriptor) throws(StoreError) in
      try Store.create(inOwn: root, Config())
    }
    return try body(
      Repository(
        folder: folder.path, storePath: folder.path.appending(ReservedName.store),
        access: .attached(folder, needsPointer: false), store: store, notes: [], options: options))
  }

  // MARK: The folder of the store

  /// Throws when the folder already has a store, or leads to one.
  private func checkFree(_ folder: OpenFolder) throws(RepositoryError) {
    switch try StoreEntrance(of: folder, opening) {
    case .none, .unfinished: break
    case .store(let found, _): throw exists(found.path)
    case .pointer(let pointer): throw exists(pointer.store)
    case .foreign(let user):
      throw RepositoryError(foreignStore: folder.path.appending(ReservedName.store), user: user)
    }
  }

  private func exists(_ place: BytePath) -> RepositoryError {
    RepositoryError(
      .storeExists, "there is a store already: \(place)", path: place)
  }

  /// Leaves the pointer. Returns a note when it fails: a folder that cannot be written is a reason to keep its store
  /// elsewhere.
  private func leavePointer(in folder: OpenFolder, to place: BytePath) -> [Problem] {
    do throws(Errno) {
      try StorePointer(store: place).leave(in: folder.shared.descriptor, isDurable: options.isDurable)
      return []
    } catch {
      let reason = "cannot note here where the store is (\(error)), so that it must be named each time"
      return [Problem(path: folder.path, message: reason, isNote: true)]
    }
  }

  /// Makes the folder of a store, or opens one that is there, and allows only its owner in. When root makes it, it gets
  /// the owner of the saved folder. An existing folder may hold only a store, or the parts of one that was never
  /// finished.
  private func makeFolder(_ place: BytePath, for folder: OpenFolder) throws(RepositoryError) -> Descriptor {
    let found: OpenFolder
    do throws(Errno) {
      let parent = try Descriptor.open(place.parent.bytes, .namedDirectory)
      guard let name = place.components.last else { throw .invalid }
      do throws(Errno) {
        try parent.makeDirectory(name)
        let root = try parent.open(name, .directory)
        if Host.isSuperuser, folder.status.user != Host.effectiveUser {
          try root.setOwner(user: folder.status.user, group: folder.status.group)
        }
        try root.setPermissions(0o700)  // whatever the umask took away
        try parent.flushDirectory()
        return root
      } catch {
        if error != .exists { throw error }
      }
      found = try OpenFolder(adopting: try parent.open(name, .directory), path: place)
    } catch {
      throw RepositoryError(
        .system, "cannot make a store at \(place): \(error)", path: place, systemError: error.code)
    }
    return try adopt(found, place)
  }

  /// The names that can exist in a store that was never finished.
  private static let unfinished = Set(
    [
      ".gitignore", "cache", "folder.lock", "index", "lock", "packs", "packs.lock", "refs", "refs.lock", "refs.prev",
      "tmp",
    ].map { Array($0.utf8) })

  private func adopt(_ found: OpenFolder, _ place: BytePath) throws(RepositoryError) -> Descriptor {
    guard try owners.trusts(found) else { throw RepositoryError(foreignStore: place, user: found.status.user) }
    let names: [[UInt8]]
    do throws(Errno) {
      let listing = try DirectoryListing(reading: found.shared.descriptor)
      names = (0..<listing.count).map { listing.name(at: $0) }
    } catch {
      throw RepositoryError(
        .system, "cannot make a store at \(place): \(error)", path: place, systemError: error.code)
    }
    // After the names: when another process makes this store meanwhile, names of a finished store come after `config`.
    let holdsStore = try opening.holdsStore(found.shared.descriptor)
    do throws(Errno) {
      if holdsStore || names.allSatisfy(StoreMaker.unfinished.contains) {
        let root = try found.shared.descriptor.duplicate()
        try root.setPermissions(0o700)
        return root
      }
    } catch {
      throw RepositoryError(
        .system, "cannot make a store at \(place): \(error)", path: place, systemError: error.code)
    }
    throw RepositoryError(
      .notEmpty, "\(place) is not empty, and no store", reason: .occupiedStorePlace, path: place)
  }

  /// The absolute path of something that need not exist, in a folder that must exist.
  private func absolute(_ path: BytePath) throws(RepositoryError) -> BytePath {
    guard let name = path.components.last else {
      throw RepositoryError(.invalidArgument, "\(path) cannot be a store", path: path)
    }
    let parent = path.isAbsolute || path.components.count > 1 ? path.parent : BytePath(".")
    return try OpenFolder(parent).path.appending(name)
  }
}
