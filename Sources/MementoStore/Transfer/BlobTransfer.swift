// Copies blobs from one store into another. A block of which all is wanted is copied as it is stored: it is unpacked to
// check its ids, and not compressed again. What else is wanted is put into new blocks.

internal import MementoSystem
internal import Synchronization

/// Copies blobs into packs of another store, several packs at a time.
package struct BlobTransfer: Sendable {
  /// A pack holds about so much, in stored bytes. An interrupted transfer loses what it has of unfinished packs, and a
  /// storage elsewhere must take a whole pack before the next begins.
  package static let packSize: UInt64 = 64 << 20
  private static let mostWorkers = 4

  let source: Store
  let target: Store
  /// Packs of the target that nothing may rely on: what only they hold is copied.
  let leaving: Set<ObjectID>
  let isCancelled: @Sendable () -> Bool
  /// Hears how many stored bytes were copied, from several threads.
  let moved: @Sendable (UInt64) -> Void

  package init(
    from source: Store, to target: Store, ignoring leaving: Set<ObjectID> = [],
    isCancelled: @escaping @Sendable () -> Bool,
    moved: @escaping @Sendable (UInt64) -> Void
  ) {
    self.source = source
    self.target = target
    self.leaving = leaving
    self.isCancelled = isCancelled
    self.moved = moved
  }

  /// What is going to be copied: what the target does not have. Throws `.missing` for a blob that the source does not have
  /// either. `asking`: whether the packs of the target are asked if its index is right, or the index alone, for packs to
  /// which each question is a request.
  package func plan(_ wanted: BlobSet, asking packs: Bool) throws(StoreError) -> TransferPlan {
    let known = target.index.knownPlaces()
    return try TransferPlan(wanted, from: source) { (id) throws(StoreError) in
      if packs { return target.index.hasIntactCopy(id, ignoring: leaving) }
      var isThere = false
      try known.forEach(of: id) { place in
        isThere = isThere || leaving.isEmpty || !leaving.contains(target.index.packID(place.pack))
      }
      return isThere
    }
  }

  /// Copies what the plan says. Each pack is complete, durable and visible before the call returns. When it throws, some
  /// packs may be visible: the next transfer does not copy them again. Returns the new packs.
  @discardableResult
  package func run(_ plan: TransferPlan) throws(StoreError) -> Set<ObjectID> {
    let batches = plan.batches(of: BlobTransfer.packSize)
    if batches.isEmpty { return [] }
    let result = Mutex<(packs: Set<ObjectID>, failure: StoreError?)>(([], nil))
    let stack = WorkStack<Range<Int>>()
    stack.push(batches.reversed())
    stack.run(workers: min(BlobTransfer.mostWorkers, batches.count)) { _, batch in
      if result.withLock({ $0.failure != nil }) { return }
      do throws(StoreError) {
        let packs = try copy(plan, batch)
        result.withLock { $0.packs.formUnion(packs) }
      } catch {
        result.withLock { $0.failure = $0.failure ?? error }
      }
    }
    let (packs, failure) = result.withLock { $0 }
    if let failure { throw failure }
    return packs
  }

  private func copy(_ plan: TransferPlan, _ batch: Range<Int>) throws(StoreError) -> Set<ObjectID> {
    let writer = try target.packWriter(ignoring: leaving)
    do throws(StoreError) {
      try write(plan, batch, writer)
      return try writer.finish(durably: true)
    } catch {
      writer.discard()
      throw error
    }
  }

  private func write(_ plan: TransferPlan, _ batch: Range<Int>, _ writer: PackWriter) throws(StoreError) {
    var worker = TransferWorker(source, target, writer)
    var start = batch.lowerBound
    while start < batch.upperBound {
      if isCancelled() { throw .cancelled }
      let run = plan.run(from: start, before: batch.upperBound)
      try worker.copy(plan, run)
      moved(plan.storedBytes(of: run.blocks))
      start = run.blocks.upperBound
    }
    try worker.finish()
  }
}
