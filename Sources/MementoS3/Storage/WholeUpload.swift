// Puts a large object with one request, which is one in place of ten: whoever stores it and whoever reads it later has less to
// do than with parts. It is read while it is sent, so its hash has to be known before.

internal import MementoObjects
internal import NIOCore
internal import Synchronization

struct WholeUpload {
  private let client: BucketClient
  private let name: ObjectName

  /// In bytes. Engines take 5 GiB; what is lost on the way is sent again.
  static let largest: UInt64 = 128 << 20

  init(_ client: BucketClient, _ name: ObjectName) {
    self.client = client
    self.name = name
  }

  /// False when it is to be put in parts: nothing says that it is there.
  func put(_ source: any ObjectSource) throws(ObjectError) -> Bool {
    guard source.size <= WholeUpload.largest, !client.prefersParts.load(ordering: .relaxed),
      let hash = try source.contentHash()
    else { return false }
    let call = BucketCall(method: "PUT", name: name, body: .source(source, hash: RequestSigner.hex(hash)))
    do throws(ObjectError) {
      let mark = try client.perform(call) { (answer, _) throws(ObjectError) -> String? in
        guard answer.status == 200 || answer.status == 201 else { return nil }
        guard let mark = answer.mark else { throw client.garbled("it does not say that this was put", name) }
        return mark
      }
      // The answer may be that to another request. Comparing the mark with the content would take as long as sending it, so the
      // engine is asked what it has.
      if try isThere(source.size, mark) { return true }
      if try PutMarks.isHash(mark, of: source) { return true }
    } catch {
      // Also when another one was lost at the same time as this one failed: in parts it fails in the same way.
      guard error.kind == .garbled || client.prefersParts.load(ordering: .relaxed) else { throw error }
    }
    client.prefersParts.store(true, ordering: .relaxed)
    return false
  }

  /// Whether the engine has an object of this size and with this mark.
  private func isThere(_ size: UInt64, _ mark: String) throws(ObjectError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { buffer.deallocate() }
    let call = BucketCall(method: "GET", name: name, headers: [("Range", "bytes=0-0")])
    return try client.perform(call, into: buffer) { (answer, _) -> Bool? in
      switch answer.status {
      case 206: ContentRange(answer)?.total == size && answer.mark.map(PutMarks.text) == PutMarks.text(mark)
      // A listing or a read may lag behind.
      case 404: BucketFailure(answer).code == "NoSuchKey" ? false : nil
      default: nil
      }
    }
  }
}
