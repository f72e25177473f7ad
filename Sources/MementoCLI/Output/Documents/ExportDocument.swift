// The JSON of `memento export`.

import MementoKit

struct ExportDocument: Encodable {
  let schema = 1
  let snapshot: SnapshotDocument
  /// Null for standard output.
  let file: OrNull<String>
  let fileB64: String?
  let entries: Int
  let bytes: UInt64
  let bytesWritten: UInt64
  let compression: String

  init(_ summary: ExportSummary, file: BytePath?) {
    snapshot = SnapshotDocument(summary.snapshot)
    self.file = OrNull(file?.lossyText)
    fileB64 = file?.base64
    entries = summary.entries
    bytes = summary.bytes
    bytesWritten = summary.bytesWritten
    compression = summary.compression.description
  }
}
