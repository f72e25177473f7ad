// The JSON of push, fetch, pull and clone.

import MementoKit

struct MoveOfNameDocument: Encodable {
  let kind: String
  let name: String
  let id: String
  let before: OrNull<String>
  /// For a conflict: the name of the other value there; left out otherwise.
  let otherName: String?

  init(_ move: RemoteMove) {
    kind = move.kind.description
    name = move.name
    id = move.snapshot.description
    before = OrNull(move.before?.description)
    otherName = move.otherName
  }
}

struct PushDocument: Encodable {
  let schema = 1
  let remote: String
  let moves: [MoveOfNameDocument]
  let unchanged: Int
  let blobs: Int
  let rawBytes: UInt64
  let sentBytes: UInt64
  let packs: Int
  let positionMoved: Bool
  let dryRun: Bool

  init(_ summary: PushSummary) {
    remote = summary.remote
    moves = summary.moves.map(MoveOfNameDocument.init)
    unchanged = summary.unchanged
    blobs = summary.blobs
    rawBytes = summary.rawBytes
    sentBytes = summary.sentBytes
    packs = summary.packs
    positionMoved = summary.movesPosition
    dryRun = !summary.isCommitted
  }
}

struct FetchDocument: Encodable {
  let schema = 1
  let remote: String
  let moves: [MoveOfNameDocument]
  let names: Int
  let blobs: Int
  let rawBytes: UInt64
  let receivedBytes: UInt64
  let dryRun: Bool

  init(_ summary: FetchSummary) {
    remote = summary.remote
    moves = summary.moves.map(MoveOfNameDocument.init)
    names = summary.names
    blobs = summary.blobs
    rawBytes = summary.rawBytes
    receivedBytes = summary.receivedBytes
    dryRun = !summary.isCommitted
  }
}

struct CloneDocument: Encodable {
  let schema = 1
  let folder: String
  let folderB64: String?
  let fetch: FetchDocument
  /// Null when the remote knows no position.
  let restore: OrNull<RestoreDocument>

  init(_ summary: CloneSummary) {
    folder = summary.folder.lossyText
    folderB64 = summary.folder.base64
    fetch = FetchDocument(summary.fetch)
    restore = OrNull(summary.restore.map { RestoreDocument($0, folder: summary.folder) })
  }
}
