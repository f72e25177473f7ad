// Looks again at a folder that changed while it was walked. A file that was renamed meanwhile may have been met under
// neither name: the new one came into a directory that was listed already, and the old one was gone when its turn came.
//
// Every directory whose time moved since it was listed is listed again, and so is one whose time is too recent for the
// clock of the file system to tell. What lies there, is older than the walk and was recorded under no name, was missed.

internal import MementoStore
internal import MementoSystem

/// Used by one thread, after a walk.
struct SecondLook {
  /// While entries keep moving, it is repeated so often.
  private static let attempts = 3

  private let context: SaveContext
  private let known: StatCache
  private let clock: () -> Timestamp
  private var root: DirectoryHandle
  /// What lies in a directory that changed, and not as it was recorded.
  private var unknown: [(directory: DirectoryHandle, name: [UInt8], inode: UInt64)] = []
  /// What could not be looked at again.
  private var unread: Set<BytePath> = []
  /// A directory changed while it was looked at again, or an entry went.
  private var isRestless = false

  /// `known`: the cache that the walk has written. `clock`: that of the file system.
  init(_ context: SaveContext, root: SharedDescriptor, known: StatCache, clock: @escaping () -> Timestamp) {
    self.context = context
    self.known = known
    self.clock = clock
    self.root = DirectoryHandle(root: root, pool: HandlePool())
  }

  /// The paths of what was missed, or may have been.
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
      // Entries still move, and one that was there before may be under way.
      for entry in context.vanished where entry.wasKnown && !seen.contains(entry.inode) { result.insert(entry.path) }
    }
    return result.union(unread).sorted()
  }

  /// Runs `body`; what has gone meanwhile is somewhere else now, where it is found, or nowhere.
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

  /// Lists again every recorded directory whose time has moved, or may have moved unseen.
  private mutating func compareDirectories(since begun: Timestamp) {
    var pending = [(handle: root, record: context.rootRecord, listed: context.rootListed)]
    while let (handle, record, listed) = pending.popLast() {
      // One that could not be listed was reported.
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

  /// The inodes of everything that was recorded or deliberately left out.
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

  /// Whether a file that was made then was not there when the walk began. What was made in the same tick may have been.
  private func isCertainlyNew(_ born: Timestamp) -> Bool {
    born > (context.cacheWriter?.sharesClock == true ? context.begun : context.begun.adding(seconds: 4))
  }

  /// Of the unknown entries and of what lies below them, what was there when the walk began and was not recorded.
  private mutating func search(besides seen: Set<UInt64>) -> Set<BytePath> {
    var result: Set<BytePath> = []
    let passedOver = Set(context.passedOver)
    while let (handle, name, _) = unknown.popLast() {
      looking(at: handle.path(of: name)) { (look) throws(Errno) in
        let directory = try handle.open()
        let status = try directory.descriptor.status(of: name)
        if passedOver.contains(status.inode) || status.device != look.context.device { return }
        if status.isDirectory {
          // Recorded under another name, it may still lack what moved with it.
          let inner = DirectoryHandle(parent: handle, name: name)
          try look.list(try inner.open().descriptor, inner, nil)
        }
        if seen.contains(status.inode) { return }
        if let born = try directory.descriptor.birth(of: name), look.isCertainlyNew(born) { return }
        result.insert(handle.path(of: name))
      }
    }
    // A name that was said not to be there, and is. The file may be recorded by another of its names.
    for entry in context.vanished {
      looking(at: entry.path) { (_) throws(Errno) in
        guard let status = try entry.directory.open().descriptor.statusIfPresent(of: entry.name) else { return }
        if status.inode == entry.inode { result.insert(entry.path) }
      }
    }
    return result
  }
}

/// An entry that was listed, and was not there when its turn came.
struct VanishedEntry: Sendable {
  let directory: DirectoryHandle
  let name: [UInt8]
  let inode: UInt64
  /// The last save, or an earlier walk of this one, knew this very file.
  let wasKnown: Bool

  var path: BytePath { directory.path(of: name) }
}
