// Finds, opens and makes stores. `.memento` is looked for in a folder and those above it, as git looks for its own.

internal import MementoStore
internal import MementoSystem

struct StoreFinder {
  static let storeName = Array(".memento".utf8)
  let options: OpenOptions

  init(_ options: OpenOptions) {
    self.options = options
  }

  // MARK: Finding

  func find(from start: BytePath) throws(RepositoryError) -> Repository {
    if let path = options.store { return try openNamed(path, from: start) }
    var path = try resolve(start)
    var folder = try openFolder(path)
    let device = try status(of: folder, path).device
    while true {
      if let store = try openStore(in: folder, path) {
        return try repository(folder: path, SharedDescriptor(folder), store, at: path.appending(StoreFinder.storeName))
      }
      guard path.components.count > 0 else { break }
      let up = BytePath([UInt8(ascii: "/")] + path.components.dropLast().joined(separator: [UInt8(ascii: "/")]))
      // As git: what belongs to another file system is another's.
      guard let above = try? Descriptor.open(up.bytes, .directory), (try? above.status())?.device == device else {
        break
      }
      folder = above
      path = up
    }
    throw RepositoryError(
      .noStore, "no store here or in a folder above: \(start)",
      advice: "`memento save` makes one for this folder; `memento init` makes an empty one", path: start)
  }

  /// Opens the store of this very folder; makes both where they are missing.
  func openOrCreate(_ given: BytePath) throws(RepositoryError) -> Repository {
    if let found = try reopen(given) { return found }
    try makeFolders(given)
    let path = try resolve(given)
    do throws(RepositoryError) {
      return try create(path, compression: nil)
    } catch {
      // Another process was quicker.
      guard error.code == .storeExists, let found = try reopen(path) else { throw error }
      return found
    }
  }

  /// The store that was named, or that of a folder; nil when there is none.
  private func reopen(_ given: BytePath) throws(RepositoryError) -> Repository? {
    if let store = options.store {
      do throws(RepositoryError) {
        return try openNamed(store, from: given)
      } catch {
        guard error.code == .noStore else { throw error }
        return nil
      }
    }
    guard let path = try? resolve(given) else { return nil }
    let folder = try openFolder(path)
    guard let store = try openStore(in: folder, path) else { return nil }
    return try repository(folder: path, SharedDescriptor(folder), store, at: path.appending(StoreFinder.storeName))
  }

  /// Makes the folders of a path that are missing.
  private func makeFolders(_ path: BytePath) throws(RepositoryError) {
    var present = BytePath(path.isAbsolute ? "/" : ".")
    for name in path.components {
      do throws(Errno) {
        let parent = try Descriptor.open(present.bytes, .namedDirectory)
        if !parent.exists(name) { try parent.makeDirectory(name, permissions: 0o777) }
      } catch {
        if error == .exists { continue }
        throw RepositoryError(
          .system, "cannot make the folder \(path): \(error)", advice: RepositoryError.advice(for: error), path: path,
          systemError: error.code)
      }
      present = present.appending(name)
    }
  }

  /// Opens `.memento` in a folder; nil when there is none.
  private func openStore(in folder: borrowing Descriptor, _ path: BytePath) throws(RepositoryError) -> Store? {
    guard let status = try? folder.status(of: StoreFinder.storeName) else { return nil }
    let storePath = path.appending(StoreFinder.storeName)
    guard status.isDirectory else {
      throw RepositoryError(.damaged, "\(storePath) is not a folder", path: storePath)
    }
    if status.user != Host.effectiveUser, !options.trustedUsers.contains(status.user) {
      throw RepositoryError(StoreError.foreignOwner(user: status.user))
    }
    let root: Descriptor
    do throws(Errno) {
      root = try folder.open(StoreFinder.storeName, .directory)
    } catch {
      throw RepositoryError(.system, "cannot open \(storePath): \(error)", path: storePath, systemError: error.code)
    }
    guard try holdsStore(root) else { return nil }
    return try open(root, isInsideFolder: true)
  }

  /// Opens a store that was named.
  private func openNamed(_ given: BytePath, from start: BytePath) throws(RepositoryError) -> Repository {
    let path: BytePath
    do throws(RepositoryError) {
      path = try resolve(given)
    } catch {
      throw RepositoryError(.noStore, "there is no store at \(given)", path: given)
    }
    let root = try openFolder(path)
    guard try holdsStore(root) else {
      throw RepositoryError(.noStore, "there is no store at \(given)", path: given)
    }
    let store = try open(root, isInsideFolder: path.components.last == StoreFinder.storeName)
    let folder = store.config.folder.map { BytePath($0) } ?? BytePath(path.bytes).parent
    return try repository(folder: folder, SharedDescriptor(try openFolder(folder)), store, at: path)
  }

  private func repository(
    folder: BytePath, _ root: SharedDescriptor, _ store: Store, at storePath: BytePath
  ) throws(RepositoryError) -> Repository {
    try Repository(folder: folder, storePath: storePath, root: root, store: store, options: options)
  }

  // MARK: Making

  func create(_ given: BytePath, compression: String?) throws(RepositoryError) -> Repository {
    var config = Config()
    if let compression {
      guard let choice = Compression(compression) else {
        throw RepositoryError(
          .invalidArgument, "\"\(compression)\" is no compression",
          advice: "use none, zlib, zlib:1 to zlib:9, zstd, or zstd:1 to zstd:19")
      }
      config.compression = choice
    }
    let path = try resolve(given)
    let folder = try openFolder(path)
    let storePath = try options.store.map { (path) throws(RepositoryError) in try absolute(path) }
    if storePath != nil { config.folder = path.bytes }
    let place = storePath ?? path.appending(StoreFinder.storeName)
    let root = try makeFolder(place)
    // Of several that make it at once one does; the others must not put an empty `refs` over what it has saved since.
    let lock = try lockForMaking(root, place)
    if try holdsStore(root) {
      throw RepositoryError(
        .storeExists, "there is a store already: \(place)", advice: "use it as it is: `memento save NAME`", path: place)
    }
    let store: Store
    do throws(StoreError) {
      store = try Store.create(in: root, config)
    } catch {
      throw RepositoryError(error)
    }
    _ = consume lock
    return try repository(folder: path, SharedDescriptor(folder), store, at: place)
  }

  func lockForMaking(
    _ root: borrowing Descriptor, _ place: BytePath
  ) throws(RepositoryError) -> FileLock {
    do throws(Errno) {
      if let lock = try FileLock.acquire(StoreFolder.lockName, in: root, .exclusive, waiting: options.lockWait) {
        return lock
      }
    } catch {
      throw RepositoryError(
        .system, "cannot make a store at \(place): \(error)", advice: RepositoryError.advice(for: error), path: place,
        systemError: error.code)
    }
    throw RepositoryError(StoreError.locked(by: nil))
  }

  /// Makes the folder of a store, for its owner alone.
  private func makeFolder(_ place: BytePath) throws(RepositoryError) -> Descriptor {
    do throws(Errno) {
      let parent = try Descriptor.open(place.parent.bytes, .namedDirectory)
      guard let name = place.components.last else { throw .invalid }
      do throws(Errno) {
        try parent.makeDirectory(name)
      } catch {
        if error != .exists { throw error }
      }
      let root = try parent.open(name, .directory)
      try root.setPermissions(0o700)
      try parent.flushDirectory()
      return root
    } catch {
      throw RepositoryError(
        .system, "cannot make a store at \(place): \(error)", path: place, systemError: error.code)
    }
  }

  // MARK: Paths

  private func openFolder(_ path: BytePath) throws(RepositoryError) -> Descriptor {
    do throws(Errno) {
      return try Descriptor.open(path.bytes, .namedDirectory)
    } catch {
      throw RepositoryError(.system, "cannot open \(path): \(error)", path: path, systemError: error.code)
    }
  }

  private func status(of folder: borrowing Descriptor, _ path: BytePath) throws(RepositoryError) -> FileStatus {
    do throws(Errno) {
      return try folder.status()
    } catch {
      throw RepositoryError(.system, "cannot read \(path): \(error)", path: path, systemError: error.code)
    }
  }

  /// The real path of a folder, without links.
  private func resolve(_ path: BytePath) throws(RepositoryError) -> BytePath {
    let folder = try openFolder(path)
    return folder.path().map { BytePath($0) } ?? path
  }

  /// The real path of something that need not exist yet, in a folder that does.
  private func absolute(_ path: BytePath) throws(RepositoryError) -> BytePath {
    guard let name = path.components.last else {
      throw RepositoryError(.invalidArgument, "\(path) cannot be a store", path: path)
    }
    let parent = path.isAbsolute || path.components.count > 1 ? path.parent : BytePath(".")
    return try resolve(parent).appending(name)
  }
}

extension BytePath {
  /// The folder that holds it.
  var parent: BytePath {
    let up = components.dropLast().joined(separator: [UInt8(ascii: "/")])
    return BytePath((isAbsolute ? [UInt8(ascii: "/")] : []) + up)
  }
}
