// After a restart of the machine, memento reads the packs that a command with `--no-sync` had written, before anything
// relies on them.

internal import MementoSystem

/// A pack that a power cut has damaged and that was moved to `damaged/`.
package struct LostPack: Sendable {
  package let id: ObjectID
  /// What is wrong with it.
  package let reason: String
}

extension Store {
  /// Whether there may be packs that were not flushed before a restart of the machine.
  package func hasUnconfirmedPacks() throws(StoreError) -> Bool {
    do throws(Errno) {
      return try folder.hasUnsyncedFromEarlierStart()
    } catch {
      throw folder.failure(of: "read", "unsynced", error)
    }
  }

  /// Reads all packs that were not flushed before a restart of the machine. Copies the readable blobs of damaged packs
  /// into new packs, and moves the damaged ones to `damaged/`. Returns the damaged packs.
  package func confirmPacks(holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) -> [LostPack] {
    let found: UnsyncedMark?
    do throws(Errno) {
      found = try folder.unsyncedFromEarlierStart()
    } catch {
      throw folder.failure(of: "read", "unsynced", error)
    }
    guard let mark = found else { return [] }
    folder.flushesAlways(true)
    defer { folder.flushesAlways(false) }
    // If the identity of the boot is not known, the machine may not have been restarted: flush first.
    try onFile("flush", "packs") { () throws(Errno) in try folder.root.flushFileSystem() }
    try index.reconcile(again: true)
    var lost: [LostPack] = []
    for id in try index.presentPacks().sorted() where !mark.durable.contains(id) {
      do throws(StoreError) {
        try confirm(id)
      } catch {
        guard error.isDamage else { throw error }
        var reason = "it cannot be read"
        if case .damaged(_, let why) = error { reason = why }
        lost.append(LostPack(id: id, reason: reason))
      }
    }
    if !lost.isEmpty {
      var leaving = Set(lost.map(\.id))
      leaving.subtract(try Salvage(self).copy(leaving, holding: lock))
      try Salvage(self).setAside(leaving, holding: lock)
      try index.reconcile(again: true)
    }
    // If `refs` are damaged, the mark may hold their last durable copy. Keep it until they are repaired.
    do throws(StoreError) {
      _ = try refs.read()
    } catch {
      guard error.isDamage else { throw error }
      return lost
    }
    try onFile("remove", "unsynced") { () throws(Errno) in
      try folder.root.flushDirectory()
      try folder.root.removeFile(UnsyncedMark.name)
    }
    return lost
  }

  /// Reads a pack from the medium and checks every blob. Throws when it is damaged.
  private func confirm(_ id: ObjectID) throws(StoreError) {
    let file = try packs.open(id)
    file.dropCache()
    try PackCheck.readBlobs(file, of: try PackCheck.contents(file, named: id))
  }

  /// Makes durable what commands with `--no-sync` have written.
  package func settle() throws(StoreError) {
    do throws(Errno) {
      try folder.settle()
    } catch {
      throw folder.failure(of: "flush", "the store", error)
    }
  }
}
