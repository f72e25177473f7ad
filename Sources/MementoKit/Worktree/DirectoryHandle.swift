// A directory of the working tree. It is opened from the descriptor of its parent, never by a path. The number of open
// descriptors is limited: those that have been open longest are closed, and opened again from the root when they are
// needed.

internal import MementoSystem
internal import Synchronization

/// Limits how many directories are open at once. A deep tree does not need more.
final class HandlePool: Sendable {
  /// Weak, because handles hold their pool and the pool would keep them alive.
  private struct Entry {
    let id: ObjectIdentifier
    weak var handle: DirectoryHandle?
  }

  static let limit = 200
  private let open = Mutex<[Entry]>([])

  func opened(_ handle: DirectoryHandle) {
    let oldest = open.withLock { open -> DirectoryHandle? in
      open.append(Entry(id: ObjectIdentifier(handle), handle: handle))
      return open.count > HandlePool.limit ? open.removeFirst().handle : nil
    }
    oldest?.close()
  }

  func closed(_ id: ObjectIdentifier) {
    open.withLock { open in
      if let index = open.lastIndex(where: { $0.id == id }) { open.remove(at: index) }
    }
  }
}

final class DirectoryHandle: Sendable {
  /// Unsafe, but it changes only in `deinit`, when nobody else holds the handle.
  nonisolated(unsafe) private(set) var parent: DirectoryHandle?
  let name: [UInt8]
  private let pool: HandlePool
  private let identity: Mutex<FileIdentity?>
  private let descriptor: Mutex<SharedDescriptor?>

  /// The handle of the root, which stays open.
  init(root: SharedDescriptor, pool: HandlePool) {
    parent = nil
    name = []
    self.pool = pool
    identity = Mutex(nil)
    descriptor = Mutex(root)
  }

  init(parent: DirectoryHandle, name: [UInt8]) {
    self.parent = parent
    self.name = name
    pool = parent.pool
    identity = Mutex(nil)
    descriptor = Mutex(nil)
  }

  deinit {
    if parent != nil, descriptor.withLock({ $0 }) != nil { pool.closed(ObjectIdentifier(self)) }
    // Frees a chain of 100,000 folders without 100,000 nested calls.
    var next = parent
    parent = nil
    while isKnownUniquelyReferenced(&next) {
      let up = next?.parent
      next?.parent = nil
      next = up
    }
  }

  /// The open directory. Throws `.stale` when another directory has taken its place.
  func open() throws(Errno) -> SharedDescriptor {
    if let open = descriptor.withLock({ $0 }) { return open }
    var missing: [DirectoryHandle] = []
    var handle = self
    var current: SharedDescriptor?
    while true {
      if let open = handle.descriptor.withLock({ $0 }) {
        current = open
        break
      }
      missing.append(handle)
      guard let up = handle.parent else { throw .stale }
      handle = up
    }
    guard var current else { throw .stale }
    for handle in missing.reversed() {
      current = try handle.open(in: current)
    }
    return current
  }

  private func open(in parent: SharedDescriptor) throws(Errno) -> SharedDescriptor {
    let shared = SharedDescriptor(try parent.descriptor.open(name, .directory))
    let found = try shared.descriptor.status().identity
    let expected = identity.withLock { identity -> FileIdentity in
      if identity == nil { identity = found }
      return identity ?? found
    }
    guard expected == found else { throw .stale }
    descriptor.withLock { $0 = shared }
    pool.opened(self)
    return shared
  }

  /// From now on, `open` throws `.stale` for any directory but this one. Nil accepts the next directory that is opened.
  /// Closes an open directory, so that the next `open` checks it.
  func expect(_ directory: FileIdentity?) {
    identity.withLock { $0 = directory }
    finish()
  }

  /// Closes the directory. The next `open` opens it again.
  func close() {
    if parent == nil { return }
    descriptor.withLock { $0 = nil }
  }

  /// Closes the directory, and removes it from the pool.
  func finish() {
    if parent == nil { return }
    if descriptor.withLock({ $0 }) != nil { pool.closed(ObjectIdentifier(self)) }
    close()
  }

  /// The path from the root.
  var path: [UInt8] {
    var names: [[UInt8]] = []
    var handle: DirectoryHandle? = self
    while let current = handle, current.parent != nil {
      names.append(current.name)
      handle = current.parent
    }
    return Array(names.reversed().joined(separator: [UInt8(ascii: "/")]))
  }

  /// The path of a name in this directory.
  func path(of name: [UInt8]) -> BytePath {
    BytePath(path).appending(name)
  }
}
