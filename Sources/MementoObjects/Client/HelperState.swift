// What the threads that talk to a helper share. No input and no output: frames come in, answers are put where their
// requests wait for them.

internal import MementoTime

/// A part of the content of a put that the helper wants.
struct WantedPart: Equatable {
  let offset: UInt64
  let count: Int
}

/// What the helper has said at the end of a request.
enum HelperAnswer {
  case page(next: String?, now: Timestamp)
  case size(UInt64)
  case read(Int)
  case put(ConditionalPut)
  case removed
  case failed(ObjectError)
}

/// A request that is under way.
struct PendingRequest {
  let request: ObjectRequest
  /// Where the bytes of a read go.
  var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  var filled = 0
  var objects: [ListedObject] = []
  var wanted: [WantedPart] = []
  /// The bytes of `wanted`, and of what is being sent.
  var wantedBytes = 0
  var answer: HelperAnswer?
}

/// `@unchecked Sendable`: the buffers in it belong to callers that wait for their requests, and it is used only under a
/// lock.
struct HelperState: @unchecked Sendable {
  var pending: [UInt32: PendingRequest] = [:]
  var nextRequest: UInt32 = 1
  var greeting: Greeting?
  /// Whether a thread reads what the helper says, or writes to it.
  var isReading = false
  var isWriting = false
  var isGreeted = false
  /// Nothing can be asked any more.
  var failure: ObjectError?
  /// When bytes moved last, in seconds of the monotonic clock.
  var progress: Double

  /// Takes a frame of the helper. Returns what is wrong with it, or nil.
  mutating func take(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) -> String? {
    guard let kind = FrameKind(rawValue: header.kind), kind.rawValue >= FrameKind.want.rawValue else {
      return "a frame of the unknown kind \(header.kind)"
    }
    if kind == .alive { return nil }
    if kind == .error, header.request == 0 {
      guard let error = ObjectError(payload, nil) else { return "an error without a kind" }
      if failure == nil { failure = error }
      return nil
    }
    guard var entry = pending[header.request], entry.answer == nil else { return "an answer that nobody waits for" }
    // The entry is written back below, and has no second owner meanwhile.
    pending[header.request] = nil
    defer { pending[header.request] = entry }
    switch kind {
    case .want: return entry.takeWant(payload)
    case .data: return entry.takeData(payload)
    case .objects: return entry.takeObjects(payload)
    case .done: return entry.takeDone(payload)
    default:
      guard let error = ObjectError(payload, entry.request.name) else { return "an error without a kind" }
      entry.answer = .failed(error)
      return nil
    }
  }
}

extension ObjectRequest {
  var name: ObjectName? {
    switch self {
    case .list: nil
    case .size(let name), .remove(let name): name
    case .read(let name, _, _), .put(let name, _, _, _): name
    }
  }
}

extension PendingRequest {
  fileprivate mutating func takeWant(_ payload: UnsafeRawBufferPointer) -> String? {
    var reader = MessageReader(payload)
    guard case .put(_, let size, _, _) = request, let offset = reader.number(UInt64.self),
      let count = reader.number(UInt32.self), reader.isAtEnd, count > 0, offset < size, UInt64(count) <= size - offset
    else { return "it wants what is not there" }
    guard Int(count) <= FrameLimit.wanted - wantedBytes, wanted.count < 1024 else {
      return "it wants more than it may at once"
    }
    wantedBytes += Int(count)
    wanted.append(WantedPart(offset: offset, count: Int(count)))
    return nil
  }

  fileprivate mutating func takeData(_ payload: UnsafeRawBufferPointer) -> String? {
    guard case .read = request, payload.count <= buffer.count - filled else { return "more bytes than were asked for" }
    UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: payload)
    filled += payload.count
    return nil
  }

  fileprivate mutating func takeObjects(_ payload: UnsafeRawBufferPointer) -> String? {
    guard case .list(let prefix, _) = request else { return "a listing that nobody asked for" }
    var reader = MessageReader(payload)
    while !reader.isAtEnd {
      guard let object = ListedObject(&reader), object.name.text.utf8.starts(with: prefix.utf8) else {
        return "a listing that cannot be read"
      }
      if let last = objects.last, !(last.name < object.name) { return "a listing that is not in order" }
      guard objects.count < FrameLimit.page else { return "a page with too many objects" }
      objects.append(object)
    }
    return nil
  }

  fileprivate mutating func takeDone(_ payload: UnsafeRawBufferPointer) -> String? {
    var reader = MessageReader(payload)
    let fault = "an answer that cannot be read"
    let answer: HelperAnswer
    switch request {
    case .list:
      guard let now = Timestamp(&reader), let hasNext = reader.number(UInt8.self), hasNext <= 1 else { return fault }
      let next = reader.remainder()
      guard next.count <= FrameLimit.pageText, hasNext == 1 || next.isEmpty else { return fault }
      answer = .page(next: hasNext == 1 ? String(decoding: next, as: UTF8.self) : nil, now: now)
    case .size:
      guard let size = reader.number(UInt64.self) else { return fault }
      answer = .size(size)
    case .read:
      guard let count = reader.number(UInt32.self), Int(count) == filled else {
        return "a read that is cut short"
      }
      answer = .read(filled)
    case .put(_, _, let isOnlyIfAbsent, _):
      switch reader.number(UInt8.self) {
      case 0: answer = .put(.put)
      case 1 where isOnlyIfAbsent: answer = .put(.exists)
      case 2 where isOnlyIfAbsent: answer = .put(.unsupported)
      default: return fault
      }
    case .remove: answer = .removed
    }
    guard reader.isAtEnd else { return fault }
    self.answer = answer
    return nil
  }
}
