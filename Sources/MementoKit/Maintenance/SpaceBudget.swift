// What of a store's budget is left for its packs.

internal import MementoStore

struct SpaceBudget {
  private let store: Store

  init(_ store: Store) {
    self.store = store
  }

  /// A budget in bytes. Throws when it is a share of the disk, and the size of that cannot be known.
  func bytes(_ budget: RetentionPolicy.Budget) throws(StoreError) -> UInt64 {
    budget.bytes(ofDisk: budget.isShare ? try store.folder.diskSize() : 0)
  }

  /// What is left of a budget for packs. Their parity takes the same share of what stays as it takes now of the packs that
  /// have some: a command that was killed while it removed packs may have left some without.
  func forPacks(_ budget: UInt64) throws(StoreError) -> UInt64 {
    let left = budget - min(budget, store.folder.bytesBesidePacks())
    let parity = store.folder.parityBytes()
    if parity == 0 { return left }
    let protected = try store.packs.parity?.packs() ?? []
    let packs = try store.packs.list(withSizes: true).reduce(UInt64(0)) { sum, pack in
      sum + (protected.contains(pack.id) ? pack.size ?? 0 : 0)
    }
    if packs == 0 { return left }
    return UInt64(Double(left) * Double(packs) / Double(packs + parity))
  }
}
