// Reads JSON (RFC 8259) that comes from outside: without recursion, and to a depth that is bounded, so that nothing that
// a client writes can exhaust the stack. The size is bounded by whoever reads the bytes.

/// Why bytes are no JSON.
struct JSONProblem: Error, Equatable {
  let what: String
  /// Where, in bytes from the start.
  let offset: Int
}

struct JSONReader {
  private struct Frame {
    let isObject: Bool
    var names: [String] = []
    var values: [JSONNode] = []

    var node: JSONNode {
      isObject
        ? .object(zip(names, values).map { JSONNode.Member(name: $0.0, value: $0.1) }) : .list(values)
    }
  }

  /// How deep lists and objects may be inside each other.
  static let deepest = 64

  private let bytes: [UInt8]
  private var place = 0
  private var frames: [Frame] = []

  /// Reads one value, which may have white space around it.
  static func read(_ bytes: [UInt8]) throws(JSONProblem) -> JSONNode {
    var reader = JSONReader(bytes)
    let node = try reader.value()
    reader.skipSpace()
    if reader.place < bytes.count { throw reader.problem("something follows the value") }
    return node
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func value() throws(JSONProblem) -> JSONNode {
    while true {
      guard var done = try beginning() else { continue }
      while true {
        guard let top = frames.indices.last else { return done }
        frames[top].values.append(done)
        skipSpace()
        let isObject = frames[top].isObject
        switch next {
        case UInt8(ascii: ","):
          place += 1
          if isObject { try name() }
        case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
          place += 1
          done = frames.removeLast().node
          continue
        default:
          throw problem("a comma or an end is missing")
        }
        break
      }
    }
  }

  /// Reads a value that has no parts, or an empty list or object. Nil after the beginning of one with parts.
  private mutating func beginning() throws(JSONProblem) -> JSONNode? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try begin(isObject: true, end: UInt8(ascii: "}"))
    case UInt8(ascii: "["): return try begin(isObject: false, end: UInt8(ascii: "]"))
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func begin(isObject: Bool, end: UInt8) throws(JSONProblem) -> JSONNode? {
    if frames.count == JSONReader.deepest { throw problem("more than \(JSONReader.deepest) levels") }
    place += 1
    skipSpace()
    if next == end {
      place += 1
      return isObject ? .object([]) : .list([])
    }
    frames.append(Frame(isObject: isObject))
    if isObject { try name() }
    return nil
  }

  /// Reads the name of a member, and the colon.
  private mutating func name() throws(JSONProblem) {
    skipSpace()
    guard next == UInt8(ascii: "\"") else { throw problem("a name is missing") }
    frames[frames.count - 1].names.append(try text())
    skipSpace()
    guard next == UInt8(ascii: ":") else { throw problem("a colon is missing") }
    place += 1
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func problem(_ what: String) -> JSONProblem { JSONProblem(what: what, offset: place) }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
  }

  private mutating func word(_ word: StaticString, _ node: JSONNode) throws(JSONProblem) -> JSONNode {
    let end = place + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes[place..<end].elementsEqual("\(word)".utf8) else { throw problem("no value") }
    place = end
    return node
  }
}

// MARK: - Numbers

extension JSONReader {
  private mutating func number() throws(JSONProblem) -> String {
    let start = place
    if next == UInt8(ascii: "-") { place += 1 }
    if next == UInt8(ascii: "0") { place += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      place += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      try digits()
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(JSONProblem) {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    if place == start { throw problem("no value") }
  }
}

// MARK: - Text

extension JSONReader {
  private mutating func text() throws(JSONProblem) -> String {
    place += 1
    var content: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else { throw problem("text that is not UTF-8") }
        place += 1
        return text
      case UInt8(ascii: "\\"):
        place += 1
        try escape(&content)
      case ..<0x20:
        throw problem("a control character in a text")
      default:
        content.append(byte)
        place += 1
      }
    }
    throw problem("a text has no end")
  }

  private mutating func escape(_ content: inout [UInt8]) throws(JSONProblem) {
    guard let byte = next else { throw problem("a text has no end") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content.append(contentsOf: String(Character(try scalar())).utf8)
    default: throw problem("no such escape")
    }
  }

  /// Reads the digits of one `\u`, or of two that are a surrogate pair.
  private mutating func scalar() throws(JSONProblem) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, next == UInt8(ascii: "\\"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "u")
    else { throw problem("half of a surrogate pair") }
    place += 2
    let second = try unit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    else { throw problem("half of a surrogate pair") }
    return scalar
  }

  private mutating func unit() throws(JSONProblem) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw problem("an escape needs four digits")
      }
      unit = unit << 4 | UInt32(digit)
      place += 1
    }
    return unit
  }
}
