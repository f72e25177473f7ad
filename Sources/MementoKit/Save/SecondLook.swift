// Looks again at a folder that changed during the walk. The walk may have missed a file that was renamed meanwhile: its
// new directory was already listed, and its old name was gone when its turn came.
//
// Every directory whose time of change moved since it was listed is listed again. So is every directory whose time is
// too recent to be sure. An entry that is older than the walk and was not recorded under any name was missed.

internal import MementoStore
internal import MementoSystem

/// One thread uses it, after a walk.
struct SecondLook {
  /// How often the look is repeated while entries keep moving.
  private static let attempts = 3

  private let context: SaveContext
  private let known: StatCache
  private let clock: () -> Timestamp
  private var root: DirectoryHandle
  /// The entries of changed directories that do not match what was recorded.
  private var unknown: [(directory: DirectoryHandle, name: [UInt8], inode: UInt64)] = []
  /// The paths that could not be looked at again.
  private var unread: Set<BytePath> = []
  /// Whether a directory changed, or an entry vanished, during this look.
  private var isRestless = false

  /// `known`: the cache that the walk has written. `clock`: the clock of the file system.
  init(_ context: SaveContext, root: SharedDescriptor, known: StatCache, clock: @escaping () -> Timestamp) {
    self.context = context
    self.known = known
    self.clock = clock
    self.root = DirectoryHandle(root: root, pool: HandlePool())
  }

  /// The paths that were missed, or may have been missed.
  mutating func missed() -> [BytePath] {
    var recorded: Set<UInt64>?
    var result: Set<BytePath> = []
    for _ in 0..<SecondLook.attempts {
      isRestless = false
      unknown = []
      compareDirectories(since: clock())
      if unknown.isEmpty, context.vanished.isEmpty { break }
      let seen = recorded ?? inodes()
      recorded = seen
      result = search(besides: seen)
      if !result.isEmpty || !isRestless { break }
    }
    if result.isEmpty, isRestless, let seen = recorded {
      // Entries still move, so a file that existed before may be on its way to another name.
      for entry in context.vanished where entry.wasKnown && !seen.contains(entry.inode) { result.insert(entry.path) }
    }
    return result.union(unread).sorted()
  }

  /// Runs `body`. An entry that has vanished meanwhile is found at its new name, or was removed.
  private mutating func looking(at path: @autoclosure () -> BytePath, _ body: (inout SecondLook) throws(Errno) -> Void)
  {
    do throws(Errno) {
      try body(&self)
    } catch {
      switch error {
      case .notFound, .stale, .notDirectory: isRestless = true
      default: unread.insert(path())
      }
    }
  }

  /// Lists every recorded directory again whose time of change has moved, or is too recent to tell.
  private mutating func compareDirectories(since begun: Timestamp) {
    var pending = [(handle: root, record: context.rootRecord, listed: context.rootListed)]
    while let (handle, record, listed) = pending.popLast() {
      // A directory that could not be listed has been reported.
      guard listed != .distantPast, let directory = known.directory(at: record) else { continue }
      looking(at: BytePath(handle.path)) { (look) throws(Errno) in
        let open = try handle.open()
        let status = try open.descriptor.status()
        if status.changed == listed, !look.context.mayHideChanges(status) { return }
        try look.list(open.descriptor, handle, directory)
        if try open.descriptor.status().changed >= begun { look.isRestless = true }
      }
      var cursor = CachedDirectory.Cursor(directory)
      while let entry = cursor.current {
        if entry.record != 0 {
          let name = Array(directory.bytes[entry.outline.name])
          pending.append((DirectoryHandle(parent: handle, name: name), entry.record, entry.changed))
        }
        cursor.advance()
      }
    }
  }

  private mutating func list(
    _ directory: borrowing Descriptor, _ handle: DirectoryHandle, _ cached: CachedDirectory?
  ) throws(Errno) {
    let listing = try DirectoryListing(reading: directory)
    var cursor = cached.map { CachedDirectory.Cursor($0) }
    listing.withNames { names in
      for index in 0..<names.count {
        let inode = listing.inode(at: index)
        if cursor?.entry(named: names[index])?.inode == inode { continue }
        if handle.parent == nil, ReservedName.isReserved(names[index]) { continue }
        unknown.append((handle, Array(names[index]), inode))
      }
    }
  }

  /// The inodes of all entries that were recorded or deliberately left out.
  private func inodes() -> Set<UInt64> {
    var result = Set(context.passedOver)
    var pending = [context.rootRecord]
    while let record = pending.popLast() {
      guard let directory = known.directory(at: record) else { continue }
      var cursor = CachedDirectory.Cursor(directory)
      while let entry = cursor.current {
        result.insert(entry.inode)
        if entry.record != 0 { pending.append(entry.record) }
        cursor.advance()
      }
    }
    return result
  }

  /// Whether a file with this time of birth is newer than the walk. A file made in the same tick may be older.
  private func isCertainlyNew(_ born: Timestamp) -> Bool {
    born > (context.cacheWriter?.sharesClock == true ? context.begun : context.begun.adding(seconds: 4))
  }

  /// Of the unknown entries and those below them, the ones that existed when the walk began and were not recorded.
  private mutating func search(besides seen: Set<UInt64>) -> Set<BytePath> {
    var result: Set<BytePath> = []
    let passedOver = Set(context.passedOver)
    while let (handle, name, _) = unknown.popLast() {
      looking(at: handle.path(of: name)) { (look) throws(Errno) in
        let directory = try handle.open()
        let status = try directory.descriptor.status(of: name)
        if passedOver.contains(status.inode) || status.device != look.context.device { return }
        if status.isDirectory {
          // It may be recorded under another name, but without entries that moved with it.
          let inner = DirectoryHandle(parent: handle, name: name)
          try look.list(try inner.open().descriptor, inner, nil)
        }
        if seen.contains(status.inode) { return }
        if let born = try directory.descriptor.birth(of: name), look.isCertainlyNew(born) { return }
        result.insert(handle.path(of: name))
      }
    }
    // A name that had vanished and exists after all. Its file may be recorded under another name.
    for entry in context.vanished {
      looking(at: entry.path) { (_) throws(Errno) in
        guard let status = try entry.directory.open().descriptor.statusIfPresent(of: entry.name) else { return }
        if status.inode == entry.inode { result.insert(entry.path) }
      }
    }
    return result
  }
}

/// An entry that was listed and did not exist any more when its turn came.
struct VanishedEntry: Sendable {
  let directory: DirectoryHandle
  let name: [UInt8]
  let inode: UInt64
  /// Whether the last save, or an earlier walk of this save, knew this file.
  let wasKnown: Bool

  var path: BytePath { directory.path(of: name) }
}
