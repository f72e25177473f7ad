// Sends and receives no more bytes a second than the user allows.

internal import MementoObjects
internal import MementoSystem
internal import Synchronization

/// Waits after each piece until it is due. The time that is not used is not saved up beyond a second.
final class RateLimit: Sendable {
  private let bytesPerSecond: Double
  private let due = Mutex<Double>(0)

  init(bytesPerSecond: UInt64) {
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
  }

  func pay(_ bytes: Int) {
    let now = Clock.monotonicSeconds()
    let wait = due.withLock { due in
      due = max(due, now) + Double(bytes) / bytesPerSecond
      return due - now - 1
    }
    if wait > 0 { Clock.sleep(seconds: wait) }
  }
}

struct LimitedObjects: ObjectStorage {
  let base: any ObjectStorage
  let limit: RateLimit

  /// Tells no hash: it would be read once more for that, and whoever sends it while it is read would be kept waiting.
  private struct Source: ObjectSource {
    let base: any ObjectSource
    let limit: RateLimit

    var size: UInt64 { base.size }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
      limit.pay(buffer.count)
      try base.read(into: buffer, at: offset)
    }
  }

  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage { try base.list(prefix, page: page) }

  func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try base.size(of: name) }

  func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ObjectError)
    -> Int
  {
    let count = try base.read(name, at: offset, into: buffer)
    limit.pay(count)
    return count
  }

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    try base.put(Source(base: source, limit: limit), as: name)
  }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    try base.putIfAbsent(Source(base: source, limit: limit), as: name)
  }

  func remove(_ name: ObjectName) throws(ObjectError) { try base.remove(name) }
}
