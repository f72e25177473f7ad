// An object storage in memory with delays, listings that lag, lost answers and failures.

import MementoModel
import MementoObjects
import MementoTime

@testable import MementoRemote

/// How bad the storage and its users are. Times are in seconds.
struct Conditions {
  var grace: Int64 = 10_000
  /// How long a listing may lack what was put, or have what was removed.
  var lag: Int64 = 2000
  /// How long a request or its answer may take.
  var delay: Int64 = 4
  /// How often, in percent, a put is done and its answer is lost, and how often a request fails.
  var lostAnswers: Int64 = 2
  var failures: Int64 = 1
  /// How long a push may take at most between two steps.
  var longestPush: Int64 = 30_000
  /// How long the commit waits after the look before it.
  var commitWait: Int64 = 0
  /// How often, in percent, a push ends right after its commit without the last look.
  var deaths: Int64 = 10
  /// Whether pushes look at the marks again.
  var looksAgain = true
  var isConditional = true
}

/// What all actors share.
final class SimulatedBucket: @unchecked Sendable {
  struct Object {
    let bytes: [UInt8]
    let modified: Int64
    var removed: Int64?
  }

  let time: VirtualTime
  let conditions: Conditions
  private(set) var objects: [ObjectName: Object] = [:]
  /// Every refs record that was ever put.
  private(set) var history: [RefsRecord] = []
  var isCalm = false

  init(_ time: VirtualTime, _ conditions: Conditions) {
    self.time = time
    self.conditions = conditions
  }

  var clock: Timestamp { Timestamp(seconds: time.now, nanoseconds: 0) }

  func bytes(_ name: ObjectName) -> [UInt8]? { objects[name].flatMap { $0.removed == nil ? $0.bytes : nil } }

  /// All that is there in truth.
  func names(_ prefix: String) -> [ObjectName] {
    objects.filter { $0.value.removed == nil && $0.key.text.hasPrefix(prefix) }.keys.sorted()
  }

  func put(_ bytes: [UInt8], _ name: ObjectName) {
    objects[name] = Object(bytes: bytes, modified: time.now)
    if RefsRecord.dot(name) != nil, let record = try? RefsRecord(bytes, of: name) { history.append(record) }
  }

  func remove(_ name: ObjectName) { if objects[name]?.removed == nil { objects[name]?.removed = time.now } }

  func list(_ prefix: String) -> [ListedObject] {
    /// What is younger than the lag may be seen or not.
    func isSeen(_ since: Int64) -> Bool { time.now - since >= conditions.lag || (isCalm ? true : time.happens(50)) }
    return objects.filter { $0.key.text.hasPrefix(prefix) }.sorted { $0.key < $1.key }.compactMap { name, object in
      let isThere = object.removed.map { !isSeen($0) } ?? true
      guard isThere, isSeen(object.modified) else { return nil }
      return ListedObject(
        name: name, size: UInt64(object.bytes.count), modified: Timestamp(seconds: object.modified, nanoseconds: 0))
    }
  }
}

/// The bucket as its users reach it, or, when it `isPerfect`, without delays and failures.
struct SimulatedStorage: ObjectStorage, @unchecked Sendable {
  let bucket: SimulatedBucket
  var isPerfect = false

  /// Lets the request, or its answer, travel.
  private func travel() {
    if !isPerfect { bucket.time.travel(atMost: bucket.conditions.delay) }
  }

  private func request(_ name: ObjectName?) throws(ObjectError) {
    travel()
    if !isPerfect, bucket.time.happens(bucket.conditions.failures) { throw ObjectError(.failed, name, "it failed") }
  }

  private func answer(_ name: ObjectName) throws(ObjectError) {
    travel()
    if !isPerfect, bucket.time.happens(bucket.conditions.lostAnswers) {
      throw ObjectError(.unreachable, name, "no answer")
    }
  }

  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    try request(nil)
    let clock = bucket.clock
    let objects = bucket.list(prefix)
    travel()
    return ObjectPage(objects: objects, next: nil, now: clock)
  }

  func size(of name: ObjectName) throws(ObjectError) -> UInt64 {
    try request(name)
    let bytes = bucket.bytes(name)
    travel()
    guard let bytes else { throw ObjectError(.notFound, name, "not found") }
    return UInt64(bytes.count)
  }

  func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    try request(name)
    let bytes = bucket.bytes(name)
    travel()
    guard let bytes else { throw ObjectError(.notFound, name, "not found") }
    let rest = bytes.dropFirst(Int(offset)).prefix(buffer.count)
    buffer.copyBytes(from: rest)
    return rest.count
  }

  private func bytes(_ source: any ObjectSource) throws(ObjectError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(source.size), alignment: 16)
    defer { buffer.deallocate() }
    try source.read(into: buffer, at: 0)
    return Array(buffer)
  }

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    let bytes = try bytes(source)
    try request(name)
    bucket.put(bytes, name)
    try answer(name)
  }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    guard bucket.conditions.isConditional else { return .unsupported }
    let bytes = try bytes(source)
    try request(name)
    let isThere = bucket.bytes(name) != nil
    if !isThere { bucket.put(bytes, name) }
    try answer(name)
    return isThere ? .exists : .put
  }

  func remove(_ name: ObjectName) throws(ObjectError) {
    try request(name)
    bucket.remove(name)
    try answer(name)
  }
}
