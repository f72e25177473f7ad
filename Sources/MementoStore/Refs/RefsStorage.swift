// The interface to the place where `refs` are kept: a file, memory, or an object on another machine.

package import MementoSystem

/// Identifies the `refs` that somebody has read. Two versions are equal when nobody has replaced `refs` in between.
package struct RefsVersion: Equatable, Sendable {
  private let bytes: [UInt8]

  /// Tells versions apart, also those of which another process knew.
  var digest: ObjectID { ObjectID(hashing: bytes) }

  /// `bytes`: whatever the storage uses to tell versions apart, such as a checksum, a counter or an entity tag.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// The bytes of `refs` with their version.
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
  /// The newest `refs`. Nil when they are still of the version `known`. Takes no lock. Throws `.damaged` when there are
  /// none.
  func read(ifOtherThan known: RefsVersion?) throws(StoreError) -> StoredRefs?

  /// A second copy of the same `refs`, in the place of damaged ones. `damaged`: their bytes; nil when they cannot be
  /// read. Nil when there is no copy, or it may be older or newer.
  func intactCopy(of damaged: [UInt8]?) throws(StoreError) -> StoredRefs?

  /// Replaces `refs` with `bytes` in one step, if they are still of `version`; if that is nil, replaces whatever is
  /// there. Calls `beforeCommit` once at most, before anybody can see the new `refs`. Returns the new version. Nil when
  /// somebody else has replaced `version`: nothing has changed then, and the caller reads again. The new `refs` are
  /// durable when this returns, except with `--no-sync`.
  func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion?

  /// Runs `body`, which reads and replaces `refs`. If the storage has a lock, it holds the lock meanwhile, so that
  /// nobody else can replace them. Throws `.locked` when the time runs out and `.cancelled` when the wait is cancelled.
  func exclusively<Result>(
    waiting wait: LockWait, _ body: (borrowing RefsTurn) throws(StoreError) -> Result
  ) throws(StoreError) -> Result
}

extension RefsStorage {
  package func intactCopy(of damaged: [UInt8]?) throws(StoreError) -> StoredRefs? { nil }

  package func exclusively<Result>(
    waiting wait: LockWait, _ body: (borrowing RefsTurn) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try body(RefsTurn())
  }
}
