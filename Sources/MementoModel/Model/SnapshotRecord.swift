// A snapshot as it is stored: text with one fact on each line, so that `cat` and `awk` can read it. See docs/format.md,
// "snapshot".

package import MementoTime

/// The stored record of a snapshot.
package struct SnapshotRecord: Equatable, Sendable {
  /// What the snapshot holds: a folder or a value.
  package enum Body: Equatable, Sendable {
    /// The tree of the folder, and the metadata of the folder itself.
    case tree(ObjectID, FileMetadata)
    case value(SizedContent)
  }

  package var body: Body
  /// The number of regular files. 1 for a value.
  package var files: Int
  /// The total size of these files in bytes.
  package var bytes: UInt64
  package var parent: ObjectID?
  /// The snapshot that the name meant before.
  package var replaces: ObjectID?
  package var time: Timestamp
  package var user: String
  package var host: String
  package var name: String?
  package var message: String?
  package var changes: ChangeCounts
  package var isComplete: Bool
  /// The hard links: see LinkTable.
  package var links: SizedContent?
  /// The paths that could not be recorded: see UnrecordedList.
  package var unrecorded: SizedContent?
  /// What differs from the parent. Nil without a parent, where there is too much of it, and where nobody has written it down.
  package var touched: TouchedPaths?

  package init(
    body: Body, files: Int, bytes: UInt64, parent: ObjectID? = nil, replaces: ObjectID? = nil, time: Timestamp,
    user: String, host: String, name: String? = nil, message: String? = nil, changes: ChangeCounts, isComplete: Bool,
    links: SizedContent? = nil, unrecorded: SizedContent? = nil, touched: TouchedPaths? = nil
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
    self.touched = touched
  }

  /// How the record of any version begins.
  package static let start = "memento snapshot "
  package static let firstLine = start + "1"

  /// The tree of the folder. Nil for a value.
  package var tree: ObjectID? {
    if case .tree(let id, _) = body { return id }
    return nil
  }
}

extension SnapshotRecord {
  /// Whether a blob is a record of a snapshot. A record of a later version counts.
  package static func isRecord(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: start.utf8) else { return false }
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    // An error does not matter: bytes that are not a valid record are not one.
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
