// The objects of a remote in a bucket.

package import MementoObjects
internal import MementoTime
internal import NIOCore

/// A bucket as an object storage. Several threads may use it at the same time.
package final class BucketObjects: ObjectStorage {
  private let client: BucketClient
  private let condition: ConditionalWrites
  private let wholes = WholeUploads()

  /// The largest object that is put from memory, and the smallest part of a larger one, in bytes. A worker has one of them in
  /// memory.
  static let part = 8 << 20

  init(_ client: BucketClient) {
    self.client = client
    condition = ConditionalWrites(client)
  }

  /// Reads what the URL and the environment say. Nothing is asked for yet.
  package convenience init(
    _ url: String, environment: [String: String], limits: RetryLimits = RetryLimits()
  ) throws(ObjectError) {
    self.init(try BucketClient(url, environment: environment, limits: limits))
  }

  /// Everything that is under way ends, and everything that comes later. Uploads that are not complete are taken back.
  package func cancel() { client.cancel() }

  // MARK: Listing

  package func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    let base = client.place.prefix.isEmpty ? "" : "\(client.place.prefix)/"
    var query = [(name: "list-type", value: "2"), (name: "max-keys", value: "1000")]
    if !(base + prefix).isEmpty { query.append(("prefix", base + prefix)) }
    // Where the page before has ended: a key, and no token that could have become invalid.
    if let page { query.append(("start-after", base + page)) }
    let call = BucketCall(method: "GET", query: query)
    return try client.perform(call) { (answer, _) throws(ObjectError) in
      guard answer.status == 200 else { return nil }
      let listing: ListingAnswer
      do throws(XMLReader.Failure) {
        listing = try ListingAnswer(answer.body)
      } catch {
        throw client.garbled("the listing: \(error.reason)", nil)
      }
      if let other = listing.prefix, other != base + prefix { throw client.garbled("a listing of another prefix", nil) }
      guard let now = answer["date"].flatMap(AnswerTime.init(http:)) else {
        throw client.garbled("it does not say what time it is", nil)
      }
      return try self.page(listing, base, prefix, after: page, now.value)
    }
  }

  private func page(
    _ listing: ListingAnswer, _ base: String, _ prefix: String, after start: String?, _ now: Timestamp
  ) throws(ObjectError) -> ObjectPage {
    var last = Array((base + (start ?? "")).utf8)
    var isFirst = start == nil
    var objects: [ListedObject] = []
    for entry in listing.entries {
      let key = Array(entry.key.utf8)
      guard key.starts(with: (base + prefix).utf8), isFirst || last.lexicographicallyPrecedes(key) else {
        throw client.garbled("the listing is not in order", nil)
      }
      (last, isFirst) = (key, false)
      // What is no name was not put by memento.
      guard let name = ObjectName(String(decoding: key.dropFirst(base.utf8.count), as: UTF8.self)) else { continue }
      objects.append(ListedObject(name: name, size: entry.size, modified: entry.modified))
    }
    guard listing.isTruncated else { return ObjectPage(objects: objects, next: nil, now: now) }
    // Else it would never end.
    guard !listing.entries.isEmpty else { throw client.garbled("an empty page is not the last", nil) }
    return ObjectPage(
      objects: objects, next: String(decoding: last.dropFirst(base.utf8.count), as: UTF8.self), now: now)
  }

  // MARK: Reading

  package func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try client.look(at: name).size }

  package func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    let (end, overflow) = offset.addingReportingOverflow(UInt64(buffer.count))
    guard !buffer.isEmpty, !overflow else { return 0 }
    let call = BucketCall(method: "GET", name: name, headers: [("Range", "bytes=\(offset)-\(end - 1)")])
    return try client.perform(call, into: buffer) { (answer, _) throws(ObjectError) in
      switch answer.status {
      case 206:
        guard let range = ContentRange(answer), range.first == offset, range.last == min(end, range.total) - 1,
          UInt64(answer.filled) == range.last - range.first + 1
        else { throw client.garbled("another range than asked for", name) }
        return answer.filled
      case 416: return 0
      case 200:
        // All of it. Small objects come so from engines that know no ranges.
        guard let start = Int(exactly: offset), start <= answer.body.count else { return 0 }
        let part = answer.body[start...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
      default: return nil
      }
    }
  }

  // MARK: Writing

  package func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    guard source.size > UInt64(BucketObjects.part) else {
      let body = try source.bytes(at: 0, count: Int(source.size))
      _ = try client.put(BucketCall(method: "PUT", name: name, body: .bytes(body)))
      condition.note(body, as: name)
      return
    }
    switch try wholes.put(source, as: name, client) {
    case .isThere: break
    case .notKnown(let silence): try MultipartUpload(client, name, afterSilence: silence).put(source)
    }
  }

  package func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    guard source.size <= UInt64(ConditionalWrites.largest) else { return .unsupported }
    return try condition.put(try source.bytes(at: 0, count: Int(source.size)), as: name)
  }

  package func remove(_ name: ObjectName) throws(ObjectError) {
    try client.perform(BucketCall(method: "DELETE", name: name)) { (answer, _) -> Void? in
      if answer.status == 200 || answer.status == 204 { return () }
      return BucketFailure(answer).code == "NoSuchKey" ? () : nil
    }
  }
}

extension ObjectSource {
  /// A part of the content.
  func bytes(at offset: UInt64, count: Int) throws(ObjectError) -> ByteBuffer {
    var buffer = ByteBuffer()
    try read(count, at: offset, into: &buffer)
    return buffer
  }

  /// Writes a part of the content into an empty buffer.
  func read(_ count: Int, at offset: UInt64, into buffer: inout ByteBuffer) throws(ObjectError) {
    var outcome = Result<Void, ObjectError>.success(())
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      outcome = Result { () throws(ObjectError) in
        try read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset)
      }
      return count
    }
    try outcome.get()
  }
}

extension BucketClient {
  /// What the engine has under a name: its size in bytes and its mark, as far as it tells one. Throws `.notFound`.
  func look(at name: ObjectName) throws(ObjectError) -> (size: UInt64, mark: String?) {
    // A read of one byte, because the answer to HEAD has no reason when it fails.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { buffer.deallocate() }
    let call = BucketCall(method: "GET", name: name, headers: [("Range", "bytes=0-0")])
    return try perform(call, into: buffer) { (answer, _) throws(ObjectError) -> (UInt64, String?)? in
      switch answer.status {
      case 206:
        guard let range = ContentRange(answer), range.first == 0, range.last == 0, answer.filled == 1 else {
          throw garbled("another range than asked for", name)
        }
        return (range.total, answer.mark)
      // An empty object has no first byte.
      case 416: return (0, answer.mark)
      case 200: return (UInt64(answer.body.count), answer.mark)
      default: return nil
      }
    }
  }
}
