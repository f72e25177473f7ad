// The JSON of `memento fork`.

import MementoKit

struct ForkDocument: Encodable {
  let schema = 1
  /// The folder that became a fork.
  let folder: String
  let folderB64: String?
  /// Eight hexadecimal digits; null for a dry run.
  let id: OrNull<String>
  /// What was written into the folder.
  let restore: RestoreDocument
  let dryRun: Bool

  init(_ summary: ForkSummary) {
    folder = summary.folder.lossyText
    folderB64 = summary.folder.base64
    id = OrNull(summary.id)
    restore = RestoreDocument(summary.restore, folder: summary.folder)
    dryRun = !summary.restore.isCommitted
  }
}

struct ForksDocument: Encodable {
  struct Entry: Encodable {
    let id: String
    /// Where the folder was when the fork last changed something.
    let folder: String
    let folderB64: String?
    /// `ready`, `interrupted` by a kill during a restore, `unfilled` by one before it, `missing`, `astray` when it leads to
    /// another place than this store, or `unreadable`.
    let state: String
    /// The id of the snapshot at which it is; null before it was filled.
    let position: OrNull<String>
    /// The names of that snapshot.
    let names: [String]
    let steps: Int

    init(_ fork: Fork) {
      id = fork.id
      folder = fork.folder.lossyText
      folderB64 = fork.folder.base64
      state = ForkText.word(fork)
      position = OrNull(fork.position?.description)
      names = fork.names
      steps = fork.steps
    }
  }

  let schema = 1
  /// The oldest first.
  let forks: [Entry]

  init(_ forks: [Fork]) {
    self.forks = forks.map(Entry.init)
  }
}

struct ForgottenForkDocument: Encodable {
  let schema = 1
  let forgotten: ForksDocument.Entry
  let stepsRemoved: Int
  let dryRun: Bool

  init(_ summary: ForgottenFork) {
    forgotten = ForksDocument.Entry(summary.fork)
    stepsRemoved = summary.stepsRemoved
    dryRun = !summary.isCommitted
  }
}
