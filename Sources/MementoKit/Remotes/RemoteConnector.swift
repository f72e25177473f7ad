// Reaches the objects of a remote.

internal import MementoObjects
internal import MementoSystem
internal import Synchronization

/// The way to a remote. It is open until this is released.
final class RemoteConnector: Sendable {
  var objects: any ObjectStorage { way }
  private let way: ReleasableObjects
  private let helper: RemoteConnection?
  private let isFinished = Mutex(false)

  /// Connects, unless somebody who has the same access is connected.
  static func reach(
    _ url: RemoteURL, _ access: RemoteAccess, monitor: any Monitor
  ) throws(RepositoryError) -> RemoteConnector {
    try access.connectors.connector(to: url) { () throws(RepositoryError) in
      try RemoteConnector(url, access, monitor: monitor)
    }
  }

  private init(_ url: RemoteURL, _ access: RemoteAccess, monitor: any Monitor) throws(RepositoryError) {
    let reached: any ObjectStorage
    if url.engine == .file {
      reached = DirectoryObjects(path: url.path.bytes)
      helper = nil
    } else {
      let connection = try access.connect(url)
      helper = connection
      do throws(ObjectError) {
        reached = try HelperObjects(
          input: Descriptor(adopting: connection.answers), output: Descriptor(adopting: connection.requests),
          who: url.host.map { "\(url.engine) \($0)" } ?? url.engine.description,
          isCancelled: { monitor.isCancelled })
      } catch {
        let said = connection.finish()
        throw RepositoryError(error, of: url, said: said)
      }
    }
    way = ReleasableObjects(
      access.bytesPerSecond.map { LimitedObjects(base: reached, limit: RateLimit(bytesPerSecond: $0)) } ?? reached)
  }

  /// Whether the helper was asked for its last words.
  var hasEnded: Bool { isFinished.withLock { $0 } }

  /// What the helper said when it failed; nil when it said nothing, or there is none. The connection is over then.
  func lastWords() -> String? {
    guard let helper else { return nil }
    let isFirst = isFinished.withLock { isFinished in
      defer { isFinished = true }
      return !isFinished
    }
    guard isFirst else { return nil }
    // The helper ends when nobody holds its descriptors any more.
    way.release()
    return helper.finish()
  }

  deinit {
    _ = lastWords()
  }
}

/// Objects that others hold, too, and that can be let go of at once.
private final class ReleasableObjects: ObjectStorage {
  private let base: Mutex<(any ObjectStorage)?>

  init(_ base: any ObjectStorage) {
    self.base = Mutex(base)
  }

  func release() {
    base.withLock { $0 = nil }
  }

  private func held() throws(ObjectError) -> any ObjectStorage {
    guard let base = base.withLock({ $0 }) else { throw ObjectError(.unreachable, "the connection has ended") }
    return base
  }

  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage { try held().list(prefix, page: page) }

  func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try held().size(of: name) }

  func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    try held().read(name, at: offset, into: buffer)
  }

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) { try held().put(source, as: name) }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    try held().putIfAbsent(source, as: name)
  }

  func remove(_ name: ObjectName) throws(ObjectError) { try held().remove(name) }
}
