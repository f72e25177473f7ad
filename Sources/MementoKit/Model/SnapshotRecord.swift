// A snapshot as it is stored: a text of a line a fact, so that `cat` and `awk` read it. See docs/format.md, "snapshot".

internal import MementoStore
internal import MementoSystem

struct SnapshotRecord: Equatable, Sendable {
  enum Body: Equatable, Sendable {
    /// The tree of the folder and the metadata of the folder itself.
    case tree(ObjectID, FileMetadata)
    case value(SizedContent)
  }

  var body: Body
  var files: Int
  var bytes: UInt64
  var parent: ObjectID?
  /// What the name meant before.
  var replaces: ObjectID?
  var time: Timestamp
  var user: String
  var host: String
  var name: String?
  var message: String?
  var changes: ChangeCounts
  var isComplete: Bool
  /// Hard-link groups: see LinkTable.
  var links: SizedContent?
  /// Paths that could not be recorded: see UnrecordedList.
  var unrecorded: SizedContent?

  static let firstLine = "memento snapshot 1"

  var tree: ObjectID? {
    if case .tree(let id, _) = body { return id }
    return nil
  }
}

extension SnapshotRecord {
  func encoded() -> [UInt8] {
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
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func text(_ value: SizedContent) -> String {
    "\(value.size) \(value.content.level) \(value.content.id)"
  }

  /// Reads a record; lines with unknown words are left to later versions.
  init(_ bytes: [UInt8]) throws(FormatError) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw FormatError("it is not text") }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst().map(String.init) == SnapshotRecord.firstLine, lines.popLast() == "" else {
      throw FormatError("it is not a snapshot")
    }
    var fields: [Substring: [Substring]] = [:]
    var attributes: [ExtendedAttribute] = []
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard let key = words.first else { continue }
      let values = Array(words.dropFirst())
      if key == "attribute" {
        guard values.count == 2, let name = PercentText.decode(String(values[0])),
          let value = PercentText.decode(String(values[1]))
        else { throw SnapshotRecord.bad("attribute") }
        attributes.append(ExtendedAttribute(name: name, value: value))
      } else {
        guard fields.updateValue(values, forKey: key) == nil else { throw SnapshotRecord.bad(key) }
      }
    }
    let parser = FieldParser(fields: fields)
    if let value = try parser.content("value") {
      body = .value(value)
    } else {
      guard let tree = try parser.id("tree"), let root = fields["root"], root.count == 5,
        let mode = UInt32(root[0], radix: 8), mode <= 0o7777, let user = UInt32(root[1]),
        let group = UInt32(root[2]), let seconds = Int64(root[3]), let nanoseconds = UInt32(root[4]),
        nanoseconds < 1_000_000_000
      else { throw SnapshotRecord.bad("tree") }
      body = .tree(
        tree,
        FileMetadata(
          permissions: mode, user: user, group: group,
          modified: Timestamp(seconds: seconds, nanoseconds: nanoseconds), attributes: attributes))
    }
    guard let files = fields["files"]?.first.flatMap({ Int($0) }), files >= 0 else { throw SnapshotRecord.bad("files") }
    guard let bytes = fields["bytes"]?.first.flatMap({ UInt64($0) }) else { throw SnapshotRecord.bad("bytes") }
    guard let time = fields["time"]?.first.flatMap({ Timestamp(rfc3339: String($0)) }) else {
      throw SnapshotRecord.bad("time")
    }
    self.files = files
    self.bytes = bytes
    self.time = time
    parent = try parser.id("parent")
    replaces = try parser.id("replaces")
    user = try parser.text("user") ?? ""
    host = try parser.text("host") ?? ""
    name = try parser.text("name")
    message = try parser.text("message")
    let counts = (fields["changes"] ?? []).compactMap { Int($0) }
    guard counts.count == 3 else { throw SnapshotRecord.bad("changes") }
    changes = ChangeCounts(added: counts[0], modified: counts[1], removed: counts[2])
    isComplete = fields["complete"]?.first == "yes"
    links = try parser.content("links")
    unrecorded = try parser.content("unrecorded")
  }

  fileprivate static func bad(_ field: Substring) -> FormatError {
    FormatError("its line \"\(field)\" is not understood")
  }
}

private struct FieldParser {
  let fields: [Substring: [Substring]]

  func id(_ key: Substring) throws(FormatError) -> ObjectID? {
    guard let values = fields[key] else { return nil }
    guard values.count == 1, let id = ObjectID(hex: String(values[0])) else { throw SnapshotRecord.bad(key) }
    return id
  }

  func text(_ key: Substring) throws(FormatError) -> String? {
    guard let values = fields[key] else { return nil }
    guard values.count == 1, let bytes = PercentText.decode(String(values[0])),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw SnapshotRecord.bad(key) }
    return text
  }

  func content(_ key: Substring) throws(FormatError) -> SizedContent? {
    guard let values = fields[key] else { return nil }
    guard values.count == 3, let size = UInt64(values[0]), size <= UInt64(Int64.max),
      let level = UInt8(values[1]), level <= FileContent.highestLevel, (level == 0) == (size == 0),
      let id = ObjectID(hex: String(values[2]))
    else { throw SnapshotRecord.bad(key) }
    return SizedContent(size: size, content: level == 0 ? .empty : FileContent(level: level, id: id))
  }
}

extension SnapshotRecord {
  /// Whether a blob is a record; one of a later version counts.
  static func isRecord(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: "memento snapshot ".utf8) else { return false }
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    return !first.elementsEqual(firstLine.utf8) || (try? SnapshotRecord(bytes)) != nil
  }

  /// Reads and checks the record of a snapshot.
  static func read(_ id: ObjectID, from store: Store) throws(StoreError) -> SnapshotRecord {
    try decode(try store.read(id), id)
  }

  /// Checks what was read as the record of a snapshot.
  static func decode(_ bytes: [UInt8], _ id: ObjectID) throws(StoreError) -> SnapshotRecord {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if first.starts(with: "memento snapshot ".utf8), !first.elementsEqual(SnapshotRecord.firstLine.utf8) {
      throw .newerFormat(found: String(decoding: first.prefix(40), as: UTF8.self))
    }
    do throws(FormatError) {
      return try SnapshotRecord(bytes)
    } catch {
      throw .damaged(file: "snapshot \(id.short)", reason: error.reason)
    }
  }
}

extension Snapshot {
  init(_ id: ObjectID, _ record: SnapshotRecord) {
    self.init(
      id: SnapshotID(id), parent: (record.tree == nil ? record.replaces : record.parent).map { SnapshotID($0) },
      kind: record.tree == nil ? .value : .tree, name: record.name, message: record.message,
      time: SnapshotTime(record.time), user: record.user, host: record.host, files: record.files,
      bytes: record.bytes, changes: record.changes, isComplete: record.isComplete)
  }
}
