// A directory of the working tree, reached from its parent's descriptor and never by a path. Descriptors are a bounded
// resource: those that are open longest are closed, and opened again, step by step from the root, when they are needed.

internal import MementoSystem
internal import Synchronization

/// How many directories may be open at once. A deep tree needs no more.
final class HandlePool: Sendable {
  /// Weak: handles hold their pool, and would never go.
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
  /// Unsafe, but changed only in `deinit`, where nobody else holds the handle.
  nonisolated(unsafe) private(set) var parent: DirectoryHandle?
  let name: [UInt8]
  private let pool: HandlePool
  private let identity: Mutex<FileIdentity?>
  private let descriptor: Mutex<SharedDescriptor?>

  /// The root, which stays open.
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
    // A chain of 100,000 folders must not be freed by 100,000 nested calls.
    var next = parent
    parent = nil
    while isKnownUniquelyReferenced(&next) {
      let up = next?.parent
      next?.parent = nil
      next = up
    }
  }

  /// The open directory. Fails with `.stale` when another directory has taken its place.
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

  /// From now on `open` fails with `.stale` for any other directory; nil: the next that is opened is the one. A directory that
  /// is open already is closed, so that it is looked at again.
  func expect(_ directory: FileIdentity?) {
    identity.withLock { $0 = directory }
    finish()
  }

  /// Nobody needs it open any more; the next `open` opens it again.
  func close() {
    if parent == nil { return }
    descriptor.withLock { $0 = nil }
  }

  /// As `close`, when it will not be needed again.
  func finish() {
    if parent == nil { return }
    if descriptor.withLock({ $0 }) != nil { pool.closed(ObjectIdentifier(self)) }
    close()
  }

  /// Its path from the root.
  var path: [UInt8] {
    var names: [[UInt8]] = []
    var handle: DirectoryHandle? = self
    while let current = handle, current.parent != nil {
      names.append(current.name)
      handle = current.parent
    }
    return Array(names.reversed().joined(separator: [UInt8(ascii: "/")]))
  }

  /// The path of a name in it.
  func path(of name: [UInt8]) -> BytePath {
    BytePath(path).appending(name)
  }
}
