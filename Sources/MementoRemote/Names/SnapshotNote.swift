// What a list shows of a snapshot. It stands beside each name, so that a list reads no pack.

package import MementoModel
package import MementoTime

/// A snapshot as far as lists show it. The snapshot's own record says all.
package struct SnapshotNote: Hashable, Sendable {
  /// A longer message is cut.
  package static let longestMessage = 1024

  package var isValue: Bool
  package var isComplete: Bool
  package var time: Timestamp
  package var user: String
  package var host: String
  package var files: UInt64
  package var bytes: UInt64
  package var added: UInt64
  package var modified: UInt64
  package var removed: UInt64
  /// At most `longestMessage` bytes.
  package var message: String?
  package var messageIsCut: Bool

  package init(
    isValue: Bool = false, isComplete: Bool = true, time: Timestamp, user: String = "", host: String = "",
    files: UInt64 = 0, bytes: UInt64 = 0, added: UInt64 = 0, modified: UInt64 = 0, removed: UInt64 = 0,
    message: String? = nil
  ) {
    self.isValue = isValue
    self.isComplete = isComplete
    self.time = time
    self.user = SnapshotNote.cut(user, to: 255)
    self.host = SnapshotNote.cut(host, to: 255)
    self.files = files
    self.bytes = bytes
    self.added = added
    self.modified = modified
    self.removed = removed
    self.message = message.map { SnapshotNote.cut($0, to: SnapshotNote.longestMessage) }
    messageIsCut = (message?.utf8.count ?? 0) > SnapshotNote.longestMessage
  }

  package init(_ record: SnapshotRecord) {
    func count(_ value: Int) -> UInt64 { UInt64(clamping: value) }
    self.init(
      isValue: record.tree == nil, isComplete: record.isComplete, time: record.time, user: record.user,
      host: record.host, files: count(record.files), bytes: record.bytes, added: count(record.changes.added),
      modified: count(record.changes.modified), removed: count(record.changes.removed), message: record.message)
  }

  /// The first bytes of a text, up to the end of a character.
  static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var result = String.UnicodeScalarView()
    var length = 0
    for scalar in text.unicodeScalars {
      length += UTF8.width(scalar)
      if length > limit { break }
      result.append(scalar)
    }
    return String(result)
  }
}
