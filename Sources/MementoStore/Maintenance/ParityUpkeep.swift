// Keeps parity up with the packs: makes what is missing, removes what is left over, and writes damaged packs anew from
// it.

internal import MementoSystem

package struct ParityUpkeep {
  private let store: Store
  private let isCancelled: @Sendable () -> Bool

  /// `isCancelled`: asked often. When it returns true, the work ends with `.cancelled`, and nothing is lost.
  package init(_ store: Store, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.store = store
    self.isCancelled = isCancelled
  }

  // MARK: Making parity

  /// Removes the parity of packs that are gone, and makes the parity of those that have none or whose table is damaged.
  /// Returns how many packs got theirs. For gc.
  @discardableResult
  package func sweep(holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) -> Int {
    guard let parity = store.packs.parity else { return 0 }
    let present = Set(try store.index.presentPacks())
    let known = try parity.packs()
    parity.remove(known.subtracting(present))
    if store.config.parity == .none { return 0 }
    var missing: [ObjectID] = []
    for pack in present.sorted() {
      if known.contains(pack),
        case .intact = try parity.check(
          pack, size: store.packs.size(of: pack), readingAll: false, isCancelled: isCancelled)
      {
        continue
      }
      missing.append(pack)
    }
    return try make(missing, holding: lock)
  }

  /// Makes the parity of these packs, as far as they are whole. Returns how many got theirs.
  @discardableResult
  package func make(
    _ packs: some Sequence<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> Int {
    var count = 0
    for pack in packs {
      if isCancelled() { throw .cancelled }
      do throws(StoreError) {
        if try make(pack) { count += 1 }
      } catch {
        // Parity of a damaged pack would keep the damage. `verify` reports the pack.
        guard error.isDamage else { throw error }
      }
    }
    return count
  }

  /// Makes the parity of one pack. False when it could not be written.
  private func make(_ id: ObjectID) throws(StoreError) -> Bool {
    guard let writer = ParityWriter(store.folder, store.config.parity) else { return false }
    let file = try store.packs.open(id)
    let pack = try PackCheck.contents(file, named: id)
    var end: UInt64 = 0
    /// Adds what lies before a block, or behind the last.
    func add(upTo next: UInt64, isCopied: Bool) throws(StoreError) {
      while end < next {
        let bytes = try onFile("read", "packs/\(id.short)….pack") { () throws(Errno) in
          try file.bytes(at: end, count: Int(min(next - end, 1 << 20)))
        }
        guard !bytes.isEmpty else { throw .damaged(file: "packs/\(id.short)….pack", reason: "it ends too early") }
        writer.add(bytes, at: end, isCopied: isCopied)
        end += UInt64(bytes.count)
      }
    }
    defer { writer.discard() }
    try PackCheck.readBlobs(file, of: pack) { (block, stored) throws(StoreError) in
      if isCancelled() { throw .cancelled }
      try add(upTo: block.offset, isCopied: true)
      writer.add(stored, at: block.offset, isCopied: block.kind == .meta)
      end = block.offset + UInt64(stored.count)
    }
    try add(upTo: pack.size, isCopied: true)
    guard let made = writer.finish(size: pack.size) else { return false }
    store.packs.parity?.put(made, of: id)
    return true
  }

  // MARK: Healing packs

  /// Writes packs anew of which something is damaged. A new pack is flushed and read back before it replaces the
  /// damaged one. Returns the packs that are whole now.
  package func rewrite(
    _ packs: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> Set<ObjectID> {
    var whole: Set<ObjectID> = []
    for pack in packs.sorted() {
      if isCancelled() { throw .cancelled }
      guard let healed = store.packs.openHealed(pack) else { continue }
      do throws(StoreError) {
        try rewrite(pack, from: healed)
        whole.insert(pack)
        store.healed.remove(.pack(pack))
      } catch {
        // Not all of it could be healed. What can be read of it is copied by `Salvage`.
        guard error.isDamage else { throw error }
      }
    }
    if whole.isEmpty { return whole }
    try store.packs.flush()
    store.packs.endCommit()
    store.closePacks()
    return whole
  }

  /// Puts back packs that are gone and of which there is a whole copy. Returns them.
  package func putBack(holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) -> Set<ObjectID> {
    guard let parity = store.packs.parity else { return [] }
    let lost = try parity.packs().subtracting(store.index.presentPacks())
    return try rewrite(lost.filter { parity.open($0)?.isWholeCopy == true }, holding: lock)
  }

  private func rewrite(_ id: ObjectID, from healed: PackReader) throws(StoreError) {
    let path = "packs/\(id.short)….pack"
    let temporary = try onFile("write", path) { () throws(Errno) in
      let temporary = try store.folder.makeTemporary("pack")
      let size = try healed.size()
      var offset: UInt64 = 0
      while offset < size {
        let bytes = try healed.bytes(at: offset, count: Int(min(size - offset, 4 << 20)))
        if bytes.isEmpty { throw .input }
        try temporary.write(bytes)
        offset += UInt64(bytes.count)
      }
      try temporary.flush()
      return temporary
    }
    let written = PackReader(temporary.file)
    written.dropCache()
    try PackCheck.readBlobs(written, of: try PackCheck.contents(written, named: id))
    try store.packs.put(temporary, as: id, isFlushed: true)
  }
}
