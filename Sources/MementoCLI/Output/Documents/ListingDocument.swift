// The JSON of `memento ls` and `memento cat`.

import MementoKit

struct EntryDocument: Encodable {
  let path: String
  let pathB64: String?
  let type: String
  /// Type and permissions in octal, as in `st_mode`.
  let mode: String
  let user: UInt32
  let group: UInt32
  let size: UInt64
  let time: String
  /// Only for links and for files that are not large.
  let sha256: String?
  /// The target of a link.
  let target: String?
  let targetB64: String?
  /// The major and minor number of a device.
  let device: String?

  init(_ path: BytePath, _ entry: FileEntry) {
    let target = entry.target.map { BytePath($0) }
    self.path = path.lossyText
    pathB64 = path.base64
    type = entry.type.description
    mode = PatchText.octal(entry.mode)
    user = entry.user
    group = entry.group
    size = entry.size
    time = entry.modified.rfc3339
    sha256 = entry.sha256
    self.target = target?.lossyText
    targetB64 = target?.base64
    device = entry.device.map { "\($0.major):\($0.minor)" }
  }
}

struct ListingDocument: Encodable {
  let schema = 1
  let snapshot: SnapshotDocument
  /// The folder that is listed; empty for the whole snapshot.
  let path: String
  let pathB64: String?
  let entries: [EntryDocument]

  init(_ snapshot: Snapshot, _ path: BytePath, _ entries: [EntryDocument]) {
    self.snapshot = SnapshotDocument(snapshot)
    self.path = path.lossyText
    pathB64 = path.base64
    self.entries = entries
  }
}

struct ContentDocument: Encodable {
  let schema = 1
  let snapshot: SnapshotDocument
  /// Null for a value.
  let entry: OrNull<EntryDocument>
  let size: Int
  /// The content as text when it is UTF-8; otherwise the bytes in Base64.
  let content: String?
  let contentB64: String?

  init(_ snapshot: Snapshot, _ path: BytePath?, _ entry: FileEntry?, _ bytes: [UInt8]) {
    self.snapshot = SnapshotDocument(snapshot)
    if let path, let entry { self.entry = OrNull(EntryDocument(path, entry)) } else { self.entry = OrNull(nil) }
    size = bytes.count
    content = String(validating: bytes, as: UTF8.self)
    contentB64 = content == nil ? JSONText.base64(bytes) : nil
  }
}
