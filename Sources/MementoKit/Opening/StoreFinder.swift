// Finds and opens stores. It looks for `.memento` in a folder and in those above it, as git looks for `.git`; or the
// caller names the store. Only this code decides which folder a store may be used on; see FolderAccess.

internal import MementoStore
internal import MementoSystem

struct StoreFinder {
  private let options: OpenOptions
  private let opening: StoreOpening
  private var owners: TrustedOwners { opening.owners }

  init(_ options: OpenOptions) {
    self.options = options
    opening = StoreOpening(options)
  }

  func find(from start: BytePath) throws(RepositoryError) -> Repository {
    let place = try OpenFolder(start)
    if let path = options.store { return try openNamed(path, from: place) }
    var notes: [Problem] = []
    var next: OpenFolder? = place
    while let folder = next {
      let entrance = try StoreEntrance(of: folder, opening)
      if case .foreign(let user) = entrance {
        let path = folder.path.appending(ReservedName.store)
        if folder.identity == place.identity { throw RepositoryError(foreignStore: path, user: user) }
        // Anybody can make a `.memento` in /tmp, for example.
        notes.append(
          Problem(path: path, message: "passed over, since it belongs to another user (\(user))", isNote: true))
      } else if let found = try open(entrance, of: folder, notes) {
        return found
      }
      next = try folder.above()
    }
    var error = RepositoryError(
      .noStore, "no store here or in a folder above: \(start)", reason: .noStoreHere, path: start)
    error.problems = notes
    throw error
  }

  /// Opens the store of this folder, or the store that the options name. Makes folder and store where they are missing.
  func openOrCreate(_ given: BytePath) throws(RepositoryError) -> Repository {
    try makeFolders(given)
    let folder = try OpenFolder(given)
    if let found = try reopen(folder) { return found }
    do throws(RepositoryError) {
      return try StoreMaker(options).create(given, compression: nil)
    } catch {
      // Another process has made the store first.
      guard error.code == .storeExists, let found = try reopen(folder) else { throw error }
      return found
    }
  }

  private func reopen(_ folder: OpenFolder) throws(RepositoryError) -> Repository? {
    if let store = options.store {
      do throws(RepositoryError) {
        return try openNamed(store, from: folder)
      } catch {
        guard error.code == .noStore else { throw error }
        return nil
      }
    }
    let entrance = try StoreEntrance(of: folder, opening)
    if case .foreign(let user) = entrance {
      throw RepositoryError(foreignStore: folder.path.appending(ReservedName.store), user: user)
    }
    return try open(entrance, of: folder, [])
  }

  /// Makes the missing folders of a path.
  private func makeFolders(_ path: BytePath) throws(RepositoryError) {
    var present = BytePath(path.isAbsolute ? "/" : ".")
    for name in path.components {
      do throws(Errno) {
        let parent = try Descriptor.open(present.bytes, .namedDirectory)
        if try parent.statusIfPresent(of: name) == nil { try parent.makeDirectory(name, permissions: 0o777) }
      } catch {
        if error != .exists {
          throw RepositoryError(
            .system, "cannot make the folder \(path): \(error)", path: path, systemError: error.code)
        }
      }
      present = present.appending(name)
    }
  }

  // MARK: Opening

  /// Opens the store that `entrance` leads to; nil when there is none.
  private func open(
    _ entrance: StoreEntrance, of holder: OpenFolder, _ notes: [Problem]
  ) throws(RepositoryError) -> Repository? {
    switch entrance {
    case .none, .unfinished, .foreign:
      return nil
    case .store(let found, _):
      let store = try opening.open(found)
      // A store that names no folder belongs to the folder that it lies in, or that has a link to it.
      let claimed = FolderConfig(store.config).folder ?? holder.path
      return try repository(store, at: found.path, of: claimed, for: holder, notes)
    case .pointer(let pointer):
      let found = try follow(pointer.store, from: holder)
      let store = try opening.open(found, fork: pointer.fork)
      if let fork = pointer.fork {
        return try Repository(
          folder: holder.path, storePath: found.path, access: try access(to: holder, as: fork, store), store: store,
          notes: notes, options: options)
      }
      guard let claimed = FolderConfig(store.config).folder else {
        return try Repository(
          folder: holder.path, storePath: found.path, access: .detached(.withoutFolder(store: found.path)),
          store: store, notes: notes, options: options)
      }
      return try repository(store, at: found.path, of: claimed, for: holder, notes)
    }
  }

  /// Opens the store that the pointer in a folder names.
  private func follow(_ path: BytePath, from holder: OpenFolder) throws(RepositoryError) -> OpenFolder {
    let target: OpenFolder
    do throws(Errno) {
      target = try OpenFolder(opening: path)
    } catch {
      guard error == .notFound || error == .notDirectory else { throw RepositoryError(unreachable: path, error) }
      throw RepositoryError(lost: path, pointer: holder.path, reason: "\(error)")
    }
    guard try owners.trusts(target) else { throw RepositoryError(foreignStore: target.path, user: target.status.user) }
    guard case .store = try StoreEntrance(at: target, isLink: false, opening) else {
      throw RepositoryError(lost: path, pointer: holder.path, reason: "there is no store")
    }
    return target
  }

  /// Makes a repository for the folder `holder`, which leads to the store. The store says that it belongs to `claimed`.
  private func repository(
    _ store: Store, at path: BytePath, of claimed: BytePath, for holder: OpenFolder, _ notes: [Problem]
  ) throws(RepositoryError) -> Repository {
    var folder = holder.path
    let access: FolderAccess
    var isHolder = claimed == holder.path
    if !isHolder { isHolder = try OpenFolder.identity(ifThere: claimed) == holder.identity }
    if isHolder {
      access = try attach(holder, needsPointer: false)
    } else {
      folder = claimed
      access = .detached(.disagreement(claimed, store: path, at: holder.path))
    }
    return try Repository(
      folder: folder, storePath: path, access: access, store: store, notes: notes, options: options)
  }

  /// Whether a folder may be used as this fork: the store knows the fork, and it is not elsewhere. A fork that was moved goes
  /// on; a copy of one that is still there does not, since both would move the same position.
  private func access(to folder: OpenFolder, as fork: ForkID, _ store: Store) throws(RepositoryError) -> FolderAccess {
    guard let known = try translating({ () throws(StoreError) in try store.refs.ofMainFolder.read()[fork: fork] })
    else {
      throw .unknownFork(fork, at: folder.path)
    }
    let recorded = BytePath(known.path)
    if recorded != folder.path, try OpenFolder.identity(ifThere: recorded) != folder.identity,
      try StorePointer.fork(of: recorded) == fork
    {
      return .detached(.copiedFork(folder.path, of: recorded))
    }
    return try attach(folder, needsPointer: false)
  }

  private func attach(_ folder: OpenFolder, needsPointer: Bool) throws(RepositoryError) -> FolderAccess {
    try owners.trusts(folder)
      ? .attached(folder, needsPointer: needsPointer)
      : .detached(RepositoryError(foreignFolder: folder.path, user: folder.status.user))
  }

  /// Opens a store that the caller named, while working in `place`. A user who names a store trusts it.
  private func openNamed(_ given: BytePath, from place: OpenFolder) throws(RepositoryError) -> Repository {
    let absent = RepositoryError(.noStore, "there is no store at \(given)", path: given)
    var found: OpenFolder
    do throws(Errno) {
      found = try OpenFolder(opening: given)
    } catch {
      guard error == .notFound || error == .notDirectory else { throw RepositoryError(unreachable: given, error) }
      throw absent
    }
    switch try StoreEntrance(at: found, isLink: false, opening) {
    case .store: break
    case .pointer(let pointer):
      let holder = found.path.parent
      found = try follow(pointer.store, from: found)
      if let fork = pointer.fork { return try openNamed(fork, at: holder, in: found, from: place) }
    default: throw absent
    }
    if let (fork, folder) = try fork(of: found, around: place) {
      return try openNamed(fork, at: folder.path, in: found, from: place)
    }
    let store = try opening.open(found)
    let (folder, access) = self.access(to: store, found, from: place)
    return try Repository(
      folder: folder, storePath: found.path, access: access, store: store, notes: [], options: options)
  }

  /// The fork of a store in which `place` lies, by the nearest `.memento`; nil when that is no fork of this store.
  private func fork(
    of found: OpenFolder, around place: OpenFolder
  ) throws(RepositoryError) -> (fork: ForkID, folder: OpenFolder)? {
    var next: OpenFolder? = place
    while let folder = next {
      let entrance: StoreEntrance
      do throws(RepositoryError) {
        entrance = try StoreEntrance(of: folder, opening)
      } catch {
        // What cannot be understood is no fork. The store is used on its own folder alone then, which is looked at itself.
        return nil
      }
      switch entrance {
      case .pointer(let pointer):
        guard let fork = pointer.fork, try OpenFolder.identity(ifThere: pointer.store) == found.identity else {
          return nil
        }
        return (fork, folder)
      case .store: return nil
      default: next = try folder.above()
      }
    }
    return nil
  }

  /// Opens a store by the pointer of a fork that the caller named.
  private func openNamed(
    _ fork: ForkID, at path: BytePath, in found: OpenFolder, from place: OpenFolder
  ) throws(RepositoryError) -> Repository {
    let store = try opening.open(found, fork: fork)
    let folder = try OpenFolder(path)
    let isInside = try place.isIn(folder)
    return try Repository(
      folder: folder.path, storePath: found.path,
      access: isInside
        ? try access(to: folder, as: fork, store)
        : .detached(.outside(folder.path, store: folder.path.appending(ReservedName.store), at: place.path)),
      store: store, notes: [], options: options)
  }

  /// The folder of a store that the caller named, and whether the caller may use that folder from `place`.
  private func access(to store: Store, _ found: OpenFolder, from place: OpenFolder) -> (BytePath, FolderAccess) {
    let isInFolder = found.path.components.last == ReservedName.store
    guard let claimed = FolderConfig(store.config).folder ?? (isInFolder ? found.path.parent : nil) else {
      return (found.path.parent, .detached(.withoutFolder(store: found.path)))
    }
    let folder: OpenFolder
    do throws(Errno) {
      folder = try OpenFolder(opening: claimed)
    } catch {
      return (claimed, .detached(.missing(claimed, store: found.path, error)))
    }
    do throws(RepositoryError) {
      let entrance = try StoreEntrance(of: folder, opening)
      // A user who works in the folder itself and names its store has chosen both. Below that folder, the folder must
      // lead to the store. Otherwise a store that claims to belong to / could be used on every folder.
      if place.identity == folder.identity {
        if case .none = entrance { return (folder.path, try attach(folder, needsPointer: true)) }
        return (folder.path, try attach(folder, needsPointer: false))
      }
      if try place.isIn(folder), try leads(entrance, to: found) {
        return (folder.path, try attach(folder, needsPointer: false))
      }
      return (folder.path, .detached(.outside(folder.path, store: found.path, at: place.path)))
    } catch {
      return (folder.path, .detached(error))
    }
  }

  private func leads(_ entrance: StoreEntrance, to found: OpenFolder) throws(RepositoryError) -> Bool {
    switch entrance {
    case .store(let store, _): store.identity == found.identity
    case .pointer(let pointer) where pointer.fork == nil:
      try OpenFolder.identity(ifThere: pointer.store) == found.identity
    default: false
    }
  }
}
