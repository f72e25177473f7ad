// Puts that happen only if there is no such object: `If-None-Match: *`. Some engines refuse them, and some pass over the
// condition and replace what is there.

internal import MementoObjects
internal import NIOCore
internal import Synchronization

final class ConditionalWrites: Sendable {
  private let client: BucketClient
  /// The last small object that was put: there is one of that name.
  private let known = Mutex<(name: ObjectName, body: ByteBuffer)?>(nil)
  private let isSupported = Mutex<Bool?>(nil)

  /// In bytes.
  static let largest = 64 << 10

  init(_ client: BucketClient) {
    self.client = client
  }

  /// Remembers an object that was put.
  func note(_ body: ByteBuffer, as name: ObjectName) {
    if body.readableBytes <= ConditionalWrites.largest { known.withLock { $0 = (name, body) } }
  }

  func put(_ body: ByteBuffer, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    guard try isHeeded() else { return .unsupported }
    return try attempt(body, as: name)
  }

  /// Whether the engine heeds the condition. Tries it on an object that is there, with its own content, so that it does
  /// not matter when the engine replaces it.
  private func isHeeded() throws(ObjectError) -> Bool {
    if let answer = isSupported.withLock({ $0 }) { return answer }
    guard let known = known.withLock({ $0 }) else { return false }
    let answer = try attempt(known.body, as: known.name, isTrial: true) == .exists
    isSupported.withLock { $0 = answer }
    return answer
  }

  private func attempt(
    _ body: ByteBuffer, as name: ObjectName, isTrial: Bool = false
  ) throws(ObjectError) -> ConditionalPut {
    var isRepeated = false
    var last: String?
    let call = BucketCall(method: "PUT", name: name, headers: [("If-None-Match", "*")], body: .bytes(body))
    let result = try client.perform(call) { (answer, tries) throws(ObjectError) -> ConditionalPut? in
      isRepeated = tries > 1
      switch answer.status {
      case 200, 201:
        _ = try client.mark(answer, call, last: &last)
        return .put
      case 412: return .exists
      case 501: return .unsupported
      default:
        return ["NotImplemented", "InvalidArgument"].contains(BucketFailure(answer).code) ? .unsupported : nil
      }
    }
    // The first try may have put it, and its answer was lost.
    if !isTrial, result == .exists, isRepeated, try client.has(body, as: name) { return .put }
    return result
  }
}

extension BucketClient {
  /// Whether an object has this content.
  fileprivate func has(_ body: ByteBuffer, as name: ObjectName) throws(ObjectError) -> Bool {
    try perform(BucketCall(method: "GET", name: name)) { (answer, _) -> Bool? in
      answer.status == 200 ? answer.body.elementsEqual(body.readableBytesView) : nil
    }
  }
}
