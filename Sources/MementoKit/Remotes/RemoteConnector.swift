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
  /// Whether an operation has it, and not only what was made ahead of one.
  private let isTaken = Atomic(false)
  /// Of a connection that was made ahead: when, in seconds of the monotonic clock, and whether its helper has ended since.
  private let ahead: (made: Double, hasEnded: @Sendable () -> Bool)?
  /// So many seconds may pass until a connection that was made ahead is used. Whoever is between may forget one that is silent.
  private static let patience = 30.0

  /// Connects, unless somebody who has the same access is connected.
  static func reach(
    _ url: RemoteURL, _ access: RemoteAccess, monitor: any Monitor
  ) throws(RepositoryError) -> RemoteConnector {
    let connector: RemoteConnector
    if let known = access.connectors[url] {
      connector = known
    } else {
      let connection = url.engine == .file ? nil : try access.connect(url)
      connector = try RemoteConnector(url, access, connection, isAhead: false, monitor: monitor)
      access.connectors[url] = connector
    }
    connector.isTaken.store(true, ordering: .relaxed)
    return connector
  }

  /// Connects while something else is going on, if that asks nobody. Nil when it would, and when it fails: `reach` then does it
  /// anew, and says why.
  static func reachAhead(_ url: RemoteURL, _ access: RemoteAccess, monitor: any Monitor) -> RemoteConnector? {
    if let known = access.connectors[url] { return known }
    guard url.engine != .file, let connection = access.connectAhead(url),
      let connector = try? RemoteConnector(url, access, connection, isAhead: true, monitor: monitor)
    else { return nil }
    access.connectors[url] = connector
    return connector
  }

  /// `connection`: nil for a folder of this machine.
  private init(
    _ url: RemoteURL, _ access: RemoteAccess, _ connection: RemoteConnection?, isAhead: Bool, monitor: any Monitor
  ) throws(RepositoryError) {
    let reached: any ObjectStorage
    helper = connection
    if let connection {
      do throws(ObjectError) {
        let objects = try HelperObjects(
          input: Descriptor(adopting: connection.answers), output: Descriptor(adopting: connection.requests),
          who: url.host.map { "\(url.engine) \($0)" } ?? url.engine.description,
          isCancelled: { monitor.isCancelled })
        reached = objects
        ahead = isAhead ? (Clock.monotonicSeconds(), { [weak objects] in objects?.hasEnded() ?? true }) : nil
      } catch {
        let said = connection.finish()
        throw RepositoryError(error, of: url, said: said)
      }
    } else {
      reached = DirectoryObjects(path: url.path.bytes)
      ahead = nil
    }
    way = ReleasableObjects(
      access.bytesPerSecond.map { LimitedObjects(base: reached, limit: RateLimit(bytesPerSecond: $0)) } ?? reached)
  }

  /// Whether somebody else may use the connection.
  func isUsable() -> Bool {
    // It has ended when the helper was asked for its last words.
    if isFinished.withLock(\.self) { return false }
    guard let ahead, !isTaken.load(ordering: .relaxed) else { return true }
    return Clock.monotonicSeconds() - ahead.made < RemoteConnector.patience && !ahead.hasEnded()
  }

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
    // A helper that is still connecting would be waited for.
    if !isTaken.load(ordering: .relaxed) { helper?.abandon() }
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
