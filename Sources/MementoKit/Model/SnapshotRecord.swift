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
  /// Whether a blob is a record; one of a later version counts.
  static func isRecord(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: "memento snapshot ".utf8) else { return false }
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    // What cannot be parsed is none: nothing is read here.
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
