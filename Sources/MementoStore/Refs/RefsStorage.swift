// Where `refs` are kept: the seam below which they may be a file, memory, or an object on another machine.

package import MementoSystem

/// Which `refs` somebody has read. Two versions are equal when nobody has replaced them in between.
package struct RefsVersion: Equatable, Sendable {
  private let bytes: [UInt8]

  /// What a storage tells its versions apart by: a checksum, a counter, an entity tag.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

package struct StoredRefs: Sendable {
  package let bytes: [UInt8]
  package let version: RefsVersion

  package init(bytes: [UInt8], version: RefsVersion) {
    self.bytes = bytes
    self.version = version
  }
}

/// Says that nobody else replaces `refs` meanwhile, or that their version tells when somebody has. `exclusively` makes it.
package struct RefsTurn: ~Copyable {
  private let lock: FileLock?

  /// `lock`: nil for a storage that has none.
  package init(_ lock: consuming FileLock? = nil) {
    self.lock = lock
  }
}

/// `refs` are read and replaced as a whole. Replacing them is the commit of every command.
package protocol RefsStorage: Sendable {
  /// The newest `refs`; nil when they are still those of version `known`. Takes no lock. Throws `.damaged` when there are
  /// none.
  func read(ifOtherThan known: RefsVersion?) throws(StoreError) -> StoredRefs?

  /// Puts `bytes` in the place of `refs`, in one step, if those are still of this version; nil: whatever is there.
  /// `beforeCommit` is called before the new ones can be seen, and once at most. Returns the new version; nil when somebody
  /// else was quicker: then nothing has changed, and the caller reads again. The new `refs` are durable when this returns,
  /// unless the user has asked for less.
  func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion?

  /// Runs `body`, which reads and replaces. A storage that has a lock holds it meanwhile, so that nobody else is quicker.
  /// Throws `.locked` when the time ran out, `.cancelled` when the wait was ended.
  func exclusively<Result>(
    waiting wait: LockWait, _ body: (borrowing RefsTurn) throws(StoreError) -> Result
  ) throws(StoreError) -> Result
}

extension RefsStorage {
  package func exclusively<Result>(
    waiting wait: LockWait, _ body: (borrowing RefsTurn) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try body(RefsTurn())
  }
}
