// The JSON of a snapshot and of a problem, which other documents contain.

import MementoKit

struct SnapshotDocument: Encodable {
  let id: String
  let parent: OrNull<String>
  let kind: String
  let name: OrNull<String>
  let message: OrNull<String>
  let time: String
  let user: String
  let host: String
  let files: Int
  let bytes: UInt64
  let complete: Bool

  init(_ snapshot: Snapshot) {
    id = snapshot.id.description
    parent = OrNull(snapshot.parent?.description)
    kind = snapshot.kind.description
    name = OrNull(snapshot.name)
    message = OrNull(snapshot.message)
    time = snapshot.time.rfc3339
    user = snapshot.user
    host = snapshot.host
    files = snapshot.files
    bytes = snapshot.bytes
    complete = snapshot.isComplete
  }
}

extension BytePath {
  /// The exact bytes in Base64; nil when the path is UTF-8, so that its text is exact.
  var base64: String? { text == nil ? JSONText.base64(bytes) : nil }
}

struct ProblemDocument: Encodable {
  let path: String
  let pathB64: String?
  let message: String
  /// Whether the path was left out on purpose.
  let note: Bool

  init(_ problem: Problem) {
    path = problem.path.lossyText
    pathB64 = problem.path.base64
    message = problem.text
    note = problem.isNote
  }
}
