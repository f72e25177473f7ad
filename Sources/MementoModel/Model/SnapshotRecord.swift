// A snapshot as it is stored: a text of a line a fact, so that `cat` and `awk` read it. See docs/format.md, "snapshot".

package import MementoTime

package struct SnapshotRecord: Equatable, Sendable {
  package enum Body: Equatable, Sendable {
    /// The tree of the folder and the metadata of the folder itself.
    case tree(ObjectID, FileMetadata)
    case value(SizedContent)
  }

  package var body: Body
  package var files: Int
  package var bytes: UInt64
  package var parent: ObjectID?
  /// What the name meant before.
  package var replaces: ObjectID?
  package var time: Timestamp
  package var user: String
  package var host: String
  package var name: String?
  package var message: String?
  package var changes: ChangeCounts
  package var isComplete: Bool
  /// Hard-link groups: see LinkTable.
  package var links: SizedContent?
  /// Paths that could not be recorded: see UnrecordedList.
  package var unrecorded: SizedContent?

  package init(
    body: Body, files: Int, bytes: UInt64, parent: ObjectID? = nil, replaces: ObjectID? = nil, time: Timestamp,
    user: String, host: String, name: String? = nil, message: String? = nil, changes: ChangeCounts, isComplete: Bool,
    links: SizedContent? = nil, unrecorded: SizedContent? = nil
  ) {
    self.body = body
    self.files = files
    self.bytes = bytes
    self.parent = parent
    self.replaces = replaces
    self.time = time
    self.user = user
    self.host = host
    self.name = name
    self.message = message
    self.changes = changes
    self.isComplete = isComplete
    self.links = links
    self.unrecorded = unrecorded
  }

  package static let firstLine = "memento snapshot 1"

  package var tree: ObjectID? {
    if case .tree(let id, _) = body { return id }
    return nil
  }
}

extension SnapshotRecord {
  /// Whether a blob is a record; one of a later version counts.
  package static func isRecord(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: "memento snapshot ".utf8) else { return false }
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    // What cannot be parsed is none: nothing is read here.
    return !first.elementsEqual(firstLine.utf8) || (try? SnapshotRecord(bytes)) != nil
  }
}

extension Snapshot {
  package init(_ id: ObjectID, _ record: SnapshotRecord) {
    self.init(
      id: SnapshotID(id), parent: (record.tree == nil ? record.replaces : record.parent).map { SnapshotID($0) },
      kind: record.tree == nil ? .value : .tree, name: record.name, message: record.message,
      time: SnapshotTime(record.time), user: record.user, host: record.host, files: record.files,
      bytes: record.bytes, changes: record.changes, isComplete: record.isComplete)
  }
}
