// Puts a large object in parts. It appears when all of them are there.

internal import MementoObjects
internal import MementoSystem
internal import NIOCore
internal import Synchronization

struct MultipartUpload {
  private let client: BucketClient
  private let name: ObjectName
  /// For how many seconds nothing had moved before.
  private let silence: Double

  /// No engine takes more.
  private static let mostParts: UInt64 = 10_000
  /// So many parts of one object are under way at once: else a push of one pack has one connection at work.
  private static let mostAtOnce = 4

  init(_ client: BucketClient, _ name: ObjectName, afterSilence silence: Double = 0) {
    self.client = client
    self.name = name
    self.silence = silence
  }

  /// The size of all parts but the last: whole MiB.
  static func partSize(_ size: UInt64) -> Int {
    let mebibyte: UInt64 = 1 << 20
    let needed = (size / mostParts / mebibyte + 1) * mebibyte
    return Int(max(UInt64(BucketObjects.part), needed))
  }

  func put(_ source: any ObjectSource) throws(ObjectError) {
    // Of all parts, whatever other uploads find out meanwhile.
    let areCompared = client.marks.isStrict
    let upload = try begin()
    do throws(ObjectError) {
      let marks = try putParts(of: source, upload)
      let whole = try complete(marks, upload, size: source.size)
      guard client.marks.confirm(whole, of: marks, areCompared: areCompared) else {
        throw client.garbled("it has other parts than those that were put", name)
      }
    } catch {
      abort(upload)
      guard error.kind == .garbled, !areCompared else { throw error }
      // The answer to another request was taken for that of a part, or the engine says nothing of parts.
      client.marks.beStrict()
      try put(source)
    }
  }

  /// Returns the marks of all parts, in their order. When it throws, no part is under way any more.
  private func putParts(of source: any ObjectSource, _ upload: String) throws(ObjectError) -> [String] {
    let step = MultipartUpload.partSize(source.size)
    let count = Int((source.size - 1) / UInt64(step)) + 1
    let state = Mutex<(marks: [String], failure: ObjectError?)>(([String](repeating: "", count: count), nil))
    let parts = WorkStack<Int>()
    parts.push((0..<count).reversed())
    parts.run(workers: min(MultipartUpload.mostAtOnce, count)) { _, part in
      if state.withLock({ $0.failure != nil }) { return }
      do throws(ObjectError) {
        let offset = UInt64(part) * UInt64(step)
        let mark = try client.holdingBody { (body) throws(ObjectError) in
          try source.read(Int(min(UInt64(step), source.size - offset)), at: offset, into: &body)
          return try putPart(body, number: part + 1, upload)
        }
        state.withLock { $0.marks[part] = mark }
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
      }
    }
    let (marks, failure) = state.withLock { $0 }
    if let failure { throw failure }
    return marks
  }

  private func begin() throws(ObjectError) -> String {
    let call = BucketCall(method: "POST", name: name, query: [("uploads", "")])
    return try client.perform(call, afterSilence: silence) { (answer, _) throws(ObjectError) in
      guard answer.status == 200 else { return nil }
      // What it says instead does not matter.
      guard let fields = try? XMLFields(answer.body), fields.root == "InitiateMultipartUploadResult",
        isAboutThis(fields),
        let upload = fields["UploadId"], (1...2000).contains(upload.utf8.count)
      else { throw client.garbled("it gives no upload", name) }
      return upload
    }
  }

  /// Returns what names the part later.
  private func putPart(_ body: ByteBuffer, number: Int, _ upload: String) throws(ObjectError) -> String {
    let call = BucketCall(
      method: "PUT", name: name, query: [("partNumber", "\(number)"), ("uploadId", upload)], body: .bytes(body))
    return try client.put(call, isPart: true)
  }

  /// Returns the mark of the whole; nil when it is not known.
  private func complete(_ marks: [String], _ upload: String, size: UInt64) throws(ObjectError) -> String? {
    var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    for (index, mark) in marks.enumerated() {
      text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(MultipartUpload.escaped(mark))</ETag></Part>"
    }
    text += "</CompleteMultipartUpload>"
    let call = BucketCall(
      method: "POST", name: name, query: [("uploadId", upload)], headers: [("Content-Type", "application/xml")],
      body: .bytes(ByteBuffer(string: text)))
    var isRepeated = false
    do throws(ObjectError) {
      return try client.perform(call) { (answer, tries) throws(ObjectError) -> String?? in
        isRepeated = tries > 1
        return try completed(answer).map { $0["ETag"] }
      }
    } catch {
      // An earlier try was carried out, and its answer was lost. Objects of one name mean the same.
      guard isRepeated, error.kind != .cancelled, isThere(size) else { throw error }
      return nil
    }
  }

  private func isThere(_ size: UInt64) -> Bool {
    do throws(ObjectError) {
      return try client.look(at: name).size == size
    } catch {
      // The error that led here counts: the upload is not known to be complete.
      return false
    }
  }

  /// What an engine says of an upload that is complete; nil when it is not.
  private func completed(_ answer: HTTPAnswer) throws(ObjectError) -> XMLFields? {
    if answer.status == 400, BucketFailure(answer).code == "InvalidPart" {
      throw client.garbled("it has another part than the one that was put", name)
    }
    guard answer.status == 200 else { return nil }
    // The status was sent before the engine was done: the content has the outcome.
    guard let fields = try? XMLFields(answer.body), fields.root == "CompleteMultipartUploadResult", isAboutThis(fields)
    else {
      throw client.garbled("the upload is not complete (\(ErrorAnswer(answer.body)?.code ?? "no reason"))", name)
    }
    return fields
  }

  /// An answer names its object, and may be the answer to another request.
  private func isAboutThis(_ fields: XMLFields) -> Bool {
    fields["Key"].map { $0 == client.place.key(name.text) } ?? true
  }

  /// Takes back what was put. What stays there all the same costs space until a rule of the bucket removes it.
  private func abort(_ upload: String) {
    let call = BucketCall(method: "DELETE", name: name, query: [("uploadId", upload)], isLast: true)
    // The error that led here is the one that counts.
    try? client.perform(call) { (answer, _) -> Void? in answer.status < 300 ? () : nil }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
