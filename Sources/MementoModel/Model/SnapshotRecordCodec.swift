// Encodes and decodes the record of a snapshot. Listing ten thousand states decodes ten thousand records, so the lines
// are read in place, without copies.

internal import MementoInode
internal import MementoTime

extension SnapshotRecord {
  /// The bytes of the record.
  package func encoded() -> [UInt8] {
    var lines = [SnapshotRecord.firstLine]
    switch body {
    case .tree(let id, let root):
      lines.append("tree \(id)")
      lines.append(
        "root \(String(root.permissions, radix: 8)) \(root.user) \(root.group) \(root.modified.seconds) "
          + "\(root.modified.nanoseconds)")
      for attribute in root.attributes {
        lines.append("attribute \(PercentText.encode(attribute.name)) \(PercentText.encode(attribute.value))")
      }
    case .value(let value):
      lines.append("value \(SnapshotRecord.text(value))")
    }
    lines.append("files \(files)")
    lines.append("bytes \(bytes)")
    if let parent { lines.append("parent \(parent)") }
    if let replaces { lines.append("replaces \(replaces)") }
    lines.append("time \(time.rfc3339)")
    lines.append("user \(PercentText.encode(user.utf8))")
    lines.append("host \(PercentText.encode(host.utf8))")
    if let name { lines.append("name \(PercentText.encode(name.utf8))") }
    if let message { lines.append("message \(PercentText.encode(message.utf8))") }
    lines.append("changes \(changes.added) \(changes.modified) \(changes.removed)")
    lines.append("complete \(isComplete ? "yes" : "no")")
    if let links { lines.append("links \(SnapshotRecord.text(links))") }
    if let unrecorded { lines.append("unrecorded \(SnapshotRecord.text(unrecorded))") }
    if let touched { lines.append("touched \(touched.hex)") }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// The bytes of the record, with the lines of an older form of it that this version does not know.
  package func encoded(withUnknownLinesOf old: [UInt8]) -> [UInt8] {
    var bytes = encoded()
    for line in old.split(separator: UInt8(ascii: "\n")).dropFirst() where !RecordFields.isKnown(line) {
      bytes += line
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private static func text(_ value: SizedContent) -> String {
    "\(value.size) \(value.content.level) \(value.content.id)"
  }

  /// Decodes a record. Ignores lines with unknown first words, which later versions may add. Throws when the bytes are
  /// not a valid record.
  package init(_ bytes: [UInt8]) throws(FormatError) {
    let fields = try RecordFields(bytes)
    if let value = try fields.content(.value) {
      body = .value(value)
    } else {
      guard let tree = try fields.id(.tree), let root = fields.words(.root), root.count == 5,
        let mode = UInt32(root[0].text, radix: 8), mode <= 0o7777, let user = UInt32(root[1].text),
        let group = UInt32(root[2].text), let seconds = Int64(root[3].text), let nanoseconds = UInt32(root[4].text),
        nanoseconds < 1_000_000_000
      else { throw RecordFields.bad("tree") }
      body = .tree(
        tree,
        FileMetadata(
          permissions: mode, user: user, group: group,
          modified: Timestamp(seconds: seconds, nanoseconds: nanoseconds), attributes: fields.attributes))
    }
    guard let files = fields.line(.files).flatMap({ Int($0.text) }), files >= 0 else {
      throw RecordFields.bad("files")
    }
    guard let size = fields.line(.bytes).flatMap({ UInt64($0.text) }) else { throw RecordFields.bad("bytes") }
    guard let time = fields.line(.time).flatMap({ Timestamp(rfc3339: $0) }) else { throw RecordFields.bad("time") }
    self.files = files
    self.bytes = size
    self.time = time
    parent = try fields.id(.parent)
    replaces = try fields.id(.replaces)
    user = try fields.text(.user) ?? ""
    host = try fields.text(.host) ?? ""
    name = try fields.text(.name)
    message = try fields.text(.message)
    let counts = (fields.words(.changes) ?? []).compactMap { Int($0.text) }
    guard counts.count == 3 else { throw RecordFields.bad("changes") }
    changes = ChangeCounts(added: counts[0], modified: counts[1], removed: counts[2])
    isComplete = fields.line(.complete)?.elementsEqual("yes".utf8) == true
    links = try fields.content(.links)
    unrecorded = try fields.content(.unrecorded)
    // It only saves work, so a form that this version does not know is none.
    touched = fields.line(.touched).flatMap { TouchedPaths(hex: $0) }
  }
}

/// The lines of a record by their first words.
private struct RecordFields {
  enum Key: Int, CaseIterable {
    case tree, root, value, files, bytes, parent, replaces, time, user, host, name, message, changes, complete, links
    case unrecorded, touched

    static let words = allCases.map { Array("\($0)".utf8) }
  }

  /// The rest of each line after its first word and the space, by key.
  private var lines = [ArraySlice<UInt8>?](repeating: nil, count: Key.allCases.count)
  private(set) var attributes: [ExtendedAttribute] = []
  /// The key after the last one that was found, where the next one usually is.
  private var next = 0

  init(_ bytes: [UInt8]) throws(FormatError) {
    guard bytes.starts(with: (SnapshotRecord.firstLine + "\n").utf8), bytes.last == UInt8(ascii: "\n") else {
      throw FormatError("it is not a snapshot")
    }
    guard bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil else {
      throw FormatError("it is not text")
    }
    var start = SnapshotRecord.firstLine.utf8.count + 1
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      try add(bytes[start..<end])
      start = end + 1
    }
  }

  private mutating func add(_ line: ArraySlice<UInt8>) throws(FormatError) {
    let wordEnd = line.firstIndex(of: UInt8(ascii: " ")) ?? line.endIndex
    let word = line[..<wordEnd]
    let rest = line[min(wordEnd + 1, line.endIndex)...]
    if word.elementsEqual("attribute".utf8) {
      let values = rest.words
      guard values.count == 2, let name = PercentText.decode(values[0]), let value = PercentText.decode(values[1])
      else { throw RecordFields.bad("attribute") }
      attributes.append(ExtendedAttribute(name: name, value: value))
    } else if let key = key(word) {
      next = key + 1
      guard lines[key] == nil else { throw RecordFields.bad(String(decoding: word, as: UTF8.self)) }
      lines[key] = rest
    }
  }

  /// The key of a word. Nil when this version knows no such word. Records have their lines in the order of the keys.
  private func key(_ word: ArraySlice<UInt8>) -> Int? {
    let matches = { (key: Int) in word.elementsEqual(Key.words[key]) }
    return (next..<Key.words.count).first(where: matches) ?? (0..<next).first(where: matches)
  }

  /// Whether this version knows the first word of a line.
  static func isKnown(_ line: ArraySlice<UInt8>) -> Bool {
    let word = line.prefix { $0 != UInt8(ascii: " ") }
    return word.elementsEqual("attribute".utf8) || Key.words.contains { word.elementsEqual($0) }
  }

  func line(_ key: Key) -> ArraySlice<UInt8>? { lines[key.rawValue] }

  func words(_ key: Key) -> [ArraySlice<UInt8>]? { line(key)?.words }

  func id(_ key: Key) throws(FormatError) -> ObjectID? {
    guard let line = line(key) else { return nil }
    guard let id = ObjectID(line) else { throw RecordFields.bad("\(key)") }
    return id
  }

  func text(_ key: Key) throws(FormatError) -> String? {
    guard let line = line(key) else { return nil }
    // Most texts have nothing encoded in them.
    let isPlain = line.allSatisfy { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "%") && $0 < 0x80 }
    if isPlain { return line.text }
    guard !line.contains(UInt8(ascii: " ")), let bytes = PercentText.decode(line),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw RecordFields.bad("\(key)") }
    return text
  }

  func content(_ key: Key) throws(FormatError) -> SizedContent? {
    guard let values = words(key) else { return nil }
    guard values.count == 3, let size = UInt64(values[0].text), size <= UInt64(Int64.max),
      let level = UInt8(values[1].text), level <= FileContent.highestLevel, (level == 0) == (size == 0),
      let id = ObjectID(values[2])
    else { throw RecordFields.bad("\(key)") }
    return SizedContent(size: size, content: level == 0 ? .empty : FileContent(level: level, id: id))
  }

  static func bad(_ field: String) -> FormatError {
    FormatError("its line \"\(field)\" is not understood")
  }
}

extension ArraySlice<UInt8> {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }

  fileprivate var words: [ArraySlice<UInt8>] {
    split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
  }
}
