// After a start of the machine: packs that a command with --no-sync had put there are read before anybody relies on them.

internal import MementoSystem

/// A pack that a power cut has damaged, and that was put aside.
package struct LostPack: Sendable {
  package let id: ObjectID
  /// What is wrong with it.
  package let reason: String
}

extension Store {
  /// Whether there are such packs.
  package func hasUnconfirmedPacks() throws(StoreError) -> Bool {
    try onFile("read", "unsynced") { () throws(Errno) in try folder.hasUnsyncedFromEarlierStart() }
  }

  /// Reads them as a whole. What can still be read of damaged ones is copied into new packs, and these are put into
  /// `damaged/`.
  package func confirmPacks(holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) -> [LostPack] {
    let mark = try onFile("read", "unsynced") { () throws(Errno) in try folder.unsyncedFromEarlierStart() }
    guard let mark else { return [] }
    folder.flushesAlways(true)
    defer { folder.flushesAlways(false) }
    // Where the start of the machine is not known, it may still be the same.
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
    // Damaged names may have their last durable copy in the mark: it stays until they are put back.
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

  private func confirm(_ id: ObjectID) throws(StoreError) {
    let file = try packs.open(id)
    file.dropCache()
    try PackCheck.readBlobs(file, of: try PackCheck.contents(file, named: id))
  }

  /// Makes durable what commands with --no-sync have left.
  package func settle() throws(StoreError) {
    try onFile("flush", "the store") { () throws(Errno) in try folder.settle() }
  }
}
