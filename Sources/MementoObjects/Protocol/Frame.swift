// The frames that a program and a helper exchange. docs/remote-helpers.md describes them byte for byte.

/// What a frame is. Requests and what belongs to them go to the helper, answers come from it.
enum FrameKind: UInt8 {
  case list = 1
  case size = 2
  case read = 3
  case put = 4
  case remove = 5
  /// A part of the content of a put, because the helper wanted it.
  case content = 6
  /// The content of a put cannot be read: it must not happen.
  case abandon = 7

  /// The helper wants a part of the content of a put.
  case want = 65
  /// The next bytes of a read.
  case data = 66
  /// Objects of a listing.
  case objects = 67
  /// The request is done.
  case done = 68
  /// The request has failed.
  case error = 69
  /// Nothing new, but the helper lives.
  case alive = 70
}

enum FrameLimit {
  /// Bytes of a header: the length of the payload (4), the number of the request (4), the kind (1).
  static let header = 9
  /// Bytes of a payload. No side sends more, and the other need not take more.
  static let payload = 1 << 20
  /// What this implementation puts into a frame of content.
  static let piece = 256 << 10
  /// What one request may read.
  static let read = 8 << 20
  /// Only of a larger put the hash is told: it is read once more for that.
  static let unhashed: UInt64 = 8 << 20
  /// Bytes of a hash.
  static let hash = 32
  /// What a helper may want of one put before it has got it.
  static let wanted = 16 << 20
  /// The objects of one page.
  static let page = 20_000
  /// Bytes of the text that says where a page begins.
  static let pageText = 4096
  /// Bytes of a reason.
  static let reason = 1000
  /// Bytes of the first line, with its end.
  static let greeting = 256
}

struct FrameHeader: Equatable {
  let length: Int
  let request: UInt32
  let kind: UInt8

  /// Reads the first bytes of `bytes`, of which there must be `FrameLimit.header`. Nil when the payload is too long.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = MessageReader(UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, FrameLimit.header)]))
    guard let length = reader.number(UInt32.self), let request = reader.number(UInt32.self),
      let kind = reader.number(UInt8.self), length <= FrameLimit.payload
    else { return nil }
    self.length = Int(length)
    self.request = request
    self.kind = kind
  }
}

/// A frame that is being written: header and payload in one piece of memory.
struct FrameWriter {
  fileprivate var bytes: [UInt8]

  init(_ kind: FrameKind, _ request: UInt32) {
    bytes = [0, 0, 0, 0]
    add(request)
    bytes.append(kind.rawValue)
  }

  /// Numbers have their highest byte first.
  mutating func add<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ text: some Sequence<UInt8>) {
    bytes.append(contentsOf: text)
  }

  /// Adds `count` bytes that `body` writes. Returns what `body` throws.
  mutating func addBytes(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(ObjectError) -> Void
  ) -> ObjectError? {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count))
    return bytes.withUnsafeMutableBytes { bytes in
      do throws(ObjectError) {
        try body(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
        return nil
      } catch {
        return error
      }
    }
  }

  var payloadSize: Int { bytes.count - FrameLimit.header }

  /// The whole frame.
  mutating func finish() -> [UInt8] {
    let length = UInt32(payloadSize)
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
    return bytes
  }
}

/// Reads the payload of a frame. Nil means that it is too short.
struct MessageReader {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    guard let bytes = bytes(MemoryLayout<Number>.size) else { return nil }
    return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
  }

  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }

  mutating func remainder() -> UnsafeRawBufferPointer {
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[rest.count...]) }
    return rest
  }

  /// All the rest as a name.
  mutating func name() -> ObjectName? {
    guard rest.count <= 200 else { return nil }
    return ObjectName(String(decoding: remainder(), as: UTF8.self))
  }
}
