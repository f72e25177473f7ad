// The objects behind a helper: a program that speaks the protocol of docs/remote-helpers.md on two pipes.

package import MementoSystem

/// Asks a helper for objects. Several threads may ask at the same time, and the answers come in any order.
///
/// It starts no process. Whoever does must ignore SIGPIPE, and keep the helper's standard error apart. The connection ends
/// with the first error that is not about one object: the helper has ended or is silent, or what it sends makes no sense.
/// Everything that is asked from then on throws this error.
package final class HelperObjects: ObjectStorage {
  private let connection: HelperConnection

  /// `input` is what the helper writes, `output` what it reads; both are closed with this value, and the helper ends then.
  /// `who` names it in messages. `timeLimit`: the seconds without any progress after which it counts as unreachable.
  /// `isCancelled` is asked a few times a second while a call waits, by any thread.
  package init(
    input: consuming Descriptor, output: consuming Descriptor, who: String = "the helper", timeLimit: Double = 30,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ObjectError) {
    do throws(Errno) {
      connection = try HelperConnection(
        input: input, output: output, who: who, timeLimit: timeLimit, isCancelled: isCancelled)
    } catch {
      throw ObjectError(.local, "\(who): \(error.message)")
    }
  }

  /// Whether the helper has ended already. Waits for nothing.
  package func hasEnded() -> Bool { connection.hasEnded() }

  package func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    guard prefix.utf8.count <= 200 else { throw ObjectError(.local, "a prefix that is too long") }
    let result = try connection.perform(.list(prefix: prefix, page: page))
    guard case .page(let next, let now) = result.answer else { throw wrongAnswer }
    return ObjectPage(objects: result.objects, next: next, now: now)
  }

  package func size(of name: ObjectName) throws(ObjectError) -> UInt64 {
    guard case .size(let size) = try connection.perform(.size(name)).answer else { throw wrongAnswer }
    return size
  }

  package func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    var done = 0
    while done < buffer.count {
      let (place, overflow) = offset.addingReportingOverflow(UInt64(done))
      if overflow { return done }
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<min(buffer.count, done + FrameLimit.read)])
      let result = try connection.perform(.read(name, offset: place, count: part.count), into: part)
      guard case .read(let count) = result.answer else { throw wrongAnswer }
      done += count
      if count < part.count { break }
    }
    return done
  }

  package func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    var hash: [UInt8]?
    if source.size > FrameLimit.unhashed, try connection.takesHashes() { hash = try source.contentHash() }
    let request = ObjectRequest.put(name, size: source.size, isOnlyIfAbsent: false, hash: hash)
    guard case .put = try connection.perform(request, from: source).answer else { throw wrongAnswer }
  }

  package func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    let request = ObjectRequest.put(name, size: source.size, isOnlyIfAbsent: true)
    guard case .put(let result) = try connection.perform(request, from: source).answer else { throw wrongAnswer }
    return result
  }

  package func remove(_ name: ObjectName) throws(ObjectError) {
    guard case .removed = try connection.perform(.remove(name)).answer else { throw wrongAnswer }
  }

  /// An answer is decoded by its request, so this is not thrown.
  private var wrongAnswer: ObjectError { ObjectError(.garbled, "the helper answered another question") }
}
