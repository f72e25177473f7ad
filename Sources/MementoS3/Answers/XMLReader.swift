// A reader for the XML that object stores answer with. It comes from outside: it may be anything.

/// Reads elements and texts one after the other. Nothing recurses, and there are no entities but those of XML itself: a
/// document type is refused.
struct XMLReader {
  enum Event: Equatable {
    /// Without the prefix of its namespace.
    case start(String)
    /// The end of the element that was started last, with the text between its tags that is in no other element.
    case end(String, text: String)
  }

  struct Failure: Error, Equatable {
    let reason: String
  }

  private static let deepest = 16
  private static let longestText = 16 << 10
  private static let longestName = 200

  private let bytes: [UInt8]
  private var place = 0
  private var open: [(name: String, text: [UInt8])] = []
  /// The end of an element without content, which was announced and not yet ended.
  private var pending: Event?
  private var hasRoot = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { place = 3 }
  }

  /// The next event; nil at the end of a document that is whole.
  mutating func next() throws(Failure) -> Event? {
    if let event = pending {
      pending = nil
      return event
    }
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "<") else {
        try readText()
        continue
      }
      if starts(with: "<?") {
        try skip(past: "?>")
      } else if starts(with: "<!--") {
        try skip(past: "-->")
      } else if starts(with: "<![CDATA[") {
        try readData()
      } else if starts(with: "<!") {
        throw Failure(reason: "it has a document type")
      } else if starts(with: "</") {
        return try readEnd()
      } else {
        return try readStart()
      }
    }
    guard open.isEmpty, hasRoot else { throw Failure(reason: "it is cut short") }
    return nil
  }

  // MARK: Tags

  private mutating func readStart() throws(Failure) -> Event {
    place += 1
    let name = try readName()
    guard !open.isEmpty || !hasRoot else { throw Failure(reason: "it has two roots") }
    guard open.count < XMLReader.deepest else { throw Failure(reason: "it is too deep") }
    hasRoot = true
    // Attributes say nothing that is needed here.
    var quote: UInt8?
    var last: UInt8 = 0
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if let mark = quote {
        if byte == mark { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "<") {
        break
      } else if byte == UInt8(ascii: ">") {
        if last == UInt8(ascii: "/") { pending = .end(name, text: "") } else { open.append((name, [])) }
        return .start(name)
      }
      last = byte
    }
    throw Failure(reason: "a tag does not end")
  }

  private mutating func readEnd() throws(Failure) -> Event {
    place += 2
    let name = try readName()
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else { throw Failure(reason: "a tag does not end") }
    place += 1
    guard let element = open.popLast(), element.name == name else { throw Failure(reason: "its tags do not match") }
    guard let text = String(validating: element.text, as: UTF8.self) else { throw Failure(reason: "it is not UTF-8") }
    return .end(name, text: text)
  }

  private mutating func readName() throws(Failure) -> String {
    let start = place
    while place < bytes.count, XMLReader.isOfName(bytes[place]) { place += 1 }
    let name = bytes[start..<place]
    guard !name.isEmpty, name.count <= XMLReader.longestName,
      let text = String(validating: name, as: UTF8.self),
      let local = text.split(separator: ":").last
    else { throw Failure(reason: "a tag has no name") }
    return String(local)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  // MARK: Text

  private mutating func readText() throws(Failure) {
    while place < bytes.count, bytes[place] != UInt8(ascii: "<") {
      let byte = bytes[place]
      if byte == UInt8(ascii: "&") {
        for byte in try readReference() { try add(byte) }
      } else {
        place += 1
        try add(byte)
      }
    }
  }

  private mutating func readData() throws(Failure) {
    let start = place + 9
    try skip(past: "]]>")
    for byte in bytes[start..<place - 3] { try add(byte) }
  }

  private mutating func add(_ byte: UInt8) throws(Failure) {
    guard !open.isEmpty else {
      // Some engines send spaces before the document while they work.
      guard XMLReader.isSpace(byte) else { throw Failure(reason: "it is not XML") }
      return
    }
    guard open[open.count - 1].text.count < XMLReader.longestText else { throw Failure(reason: "a text is too long") }
    open[open.count - 1].text.append(byte)
  }

  /// `&amp;` and the like, and numbers.
  private mutating func readReference() throws(Failure) -> [UInt8] {
    guard let end = bytes[place..<min(place + 12, bytes.count)].firstIndex(of: UInt8(ascii: ";")) else {
      throw Failure(reason: "an entity does not end")
    }
    let name = String(decoding: bytes[place + 1..<end], as: UTF8.self)
    place = end + 1
    switch name {
    case "amp": return [UInt8(ascii: "&")]
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default:
      let isHex = name.hasPrefix("#x")
      guard name.hasPrefix("#"), let number = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
        let scalar = Unicode.Scalar(number)
      else { throw Failure(reason: "it has an unknown entity") }
      return Array(String(Character(scalar)).utf8)
    }
  }

  // MARK: Bytes

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[place...].starts(with: $0) }
  }

  private mutating func skip(past text: String) throws(Failure) {
    let end = Array(text.utf8)
    while place + end.count <= bytes.count {
      if bytes[place] == end[0], bytes[place..<place + end.count].elementsEqual(end) {
        place += end.count
        return
      }
      place += 1
    }
    throw Failure(reason: "it is cut short")
  }

  private mutating func skipSpace() {
    while place < bytes.count, XMLReader.isSpace(bytes[place]) { place += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }
}
