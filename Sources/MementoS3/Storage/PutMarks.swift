// Whether the answer to a put is about what was put. A proxy that repeats an answer makes it that of the next request, and a
// put that has failed would look like one that has not.

internal import Crypto
internal import MementoObjects
internal import NIOCore
internal import Synchronization

/// What engines say of contents: the header `ETag`. Most often it is their MD5; some have marks of another kind.
final class PutMarks: Sendable {
  private struct State {
    /// What was learnt from the first answer; nil before that. Marks of parts can differ from those of whole objects.
    var areHashes: [Bool: Bool] = [:]
    /// The marks of all answers so far.
    var seen: Set<String> = []
    var isStrict = false
  }

  private let state = Mutex(State())

  /// The mark of an answer; nil when it is that of another content. `last`: the mark in the answer to an earlier try, which
  /// is believed when it comes again.
  func mark(_ answer: HTTPAnswer, _ body: ByteBuffer, isPart: Bool, last: String?) -> String? {
    guard let mark = answer.mark else { return nil }
    let text = PutMarks.text(mark)
    let isEmpty = text == PutMarks.emptyHash
    // The mark of the whole tells of those of its parts (`confirm`). So one that no answer had before is believed: hashing the
    // part would take as long as signing and sending it.
    let (areHashes, isNew) = state.withLock { state in
      let isNew = state.seen.insert(text).inserted
      return (state.areHashes[isPart], isNew && !state.isStrict)
    }
    if areHashes == false, !isEmpty { return mark }
    if areHashes == true, isPart, isNew, !isEmpty, text.utf8.count == PutMarks.emptyHash.utf8.count { return mark }
    let isHash = text == PutMarks.hash(body)
    // Nothing was put, whatever else is known of the marks.
    if !isHash, isEmpty { return nil }
    let isExpected = state.withLock { state in
      if state.areHashes[isPart] == nil { state.areHashes[isPart] = isHash }
      return state.areHashes[isPart] == true
    }
    return isHash || !isExpected || mark == last ? mark : nil
  }

  /// Whether an upload was put together from the parts that were put. `whole`: the mark of the whole, which is the MD5 of the
  /// marks of its parts and their number where these are hashes. `areCompared`: each of them was compared with its part.
  func confirm(_ whole: String?, of parts: [String], areCompared: Bool) -> Bool {
    if areCompared || state.withLock({ $0.areHashes[true] }) != true { return true }
    var hasher = Insecure.MD5()
    for part in parts {
      guard let bytes = PutMarks.bytes(part) else { return false }
      hasher.update(data: bytes)
    }
    return whole.map(PutMarks.text) == "\(RequestSigner.hex(hasher.finalize()))-\(parts.count)"
  }

  /// Without quotes.
  static func text(_ mark: String) -> String { mark.filter { $0 != "\"" }.lowercased() }

  /// The bytes of an MD5; nil for another mark.
  private static func bytes(_ mark: String) -> [UInt8]? {
    let digits = text(mark).utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 16) }
    guard digits.count == 32, digits.allSatisfy({ $0 < 16 }) else { return nil }
    return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// From now on every mark is compared with the content.
  func beStrict() { state.withLock { $0.isStrict = true } }

  var isStrict: Bool { state.withLock(\.isStrict) }

  private static let emptyHash = hash(ByteBuffer())

  private static func hash(_ body: ByteBuffer) -> String {
    body.withUnsafeReadableBytes { bytes in
      var hasher = Insecure.MD5()
      hasher.update(bufferPointer: bytes)
      return RequestSigner.hex(hasher.finalize())
    }
  }
}

extension HTTPAnswer {
  /// What the engine says of a content; nil when it says nothing.
  var mark: String? {
    guard let mark = self["etag"], (1...200).contains(mark.utf8.count) else { return nil }
    return mark
  }
}

extension BucketClient {
  /// Puts a body, with `call`. Returns the mark of it.
  func put(_ call: BucketCall, isPart: Bool = false) throws(ObjectError) -> String {
    var last: String?
    return try perform(call) { (answer, _) throws(ObjectError) in
      guard answer.status == 200 || answer.status == 201 else { return nil }
      return try mark(answer, call, isPart: isPart, last: &last)
    }
  }

  /// The mark in an answer of success. Throws `.garbled` when it has none, or is about another content: something else has
  /// answered, such as a proxy.
  func mark(
    _ answer: HTTPAnswer, _ call: BucketCall, isPart: Bool = false, last: inout String?
  ) throws(ObjectError) -> String {
    if let mark = marks.mark(answer, call.body?.bytes ?? ByteBuffer(), isPart: isPart, last: last) { return mark }
    last = answer["etag"]
    throw garbled("it does not say that this was put", call.name)
  }
}
