// Knows which packs are there, which are new and which are gone. While the program runs, packs have numbers here:
// places name a pack so often that an id would take too much memory.

internal import MementoSystem
internal import Synchronization

final class PackDirectory: Sendable {
  fileprivate struct State: Sendable {
    /// All packs that have a number, in runs with consecutive numbers. A pack keeps its number when tables are merged.
    var runs: [Run] = []
    var count: UInt32 = 0
    /// The numbers of packs that were not there when `packs/` was listed last.
    var gone: Set<UInt32> = []
    /// What is known from the last listing of `packs/`. Nil when it must be listed again.
    var listing: Listing?
    /// The numbers of packs whose file was seen with its full size.
    var intact: Set<UInt32> = []
  }

  fileprivate struct Run: Sendable {
    let first: UInt32
    var rows: PackRows
    /// Whether a table in use lists these packs.
    var isCurrent = true
  }

  /// The modification time of `packs/` when it was listed.
  fileprivate struct Listing: Equatable, Sendable {
    var modified: Timestamp
    /// Whether a change after the listing would change the modification time. With a coarse clock, a change shortly
    /// after another one may get the same time.
    var isSettled: Bool

    /// The coarsest clocks of file systems tick once in this many seconds.
    static let tick: Int64 = 2
  }

  /// What a comparison with `packs/` has found.
  struct Changes {
    /// The packs that are there and that no table in use lists, sorted.
    let new: [ObjectID]
    fileprivate let listing: Listing?
    fileprivate let modified: Timestamp?
  }

  private let storage: any PackStorage
  private let healed: HealedFiles
  private let state = Mutex(State())

  init(_ storage: any PackStorage, _ healed: HealedFiles = HealedFiles()) {
    self.storage = storage
    self.healed = healed
  }

  // MARK: Numbers

  /// Gives the packs of a table consecutive numbers and returns the first. A pack that is in two tables has two
  /// numbers.
  func number(_ rows: PackRows) -> UInt32 {
    state.withLock { state in
      let first = state.count
      state.runs.append(Run(first: first, rows: rows))
      state.count += UInt32(rows.count)
      return first
    }
  }

  /// Notes that the tables whose packs begin with these numbers are not used any more. The numbers stay valid, since
  /// another thread may be reading by them.
  func retire(_ firsts: [UInt32]) {
    state.withLock { state in
      for first in firsts {
        let run = state.run(of: first)
        // Copy the rows: they may share memory with the header of the table.
        state.runs[run].rows = PackRows(Array(state.runs[run].rows))
        state.runs[run].isCurrent = false
      }
    }
  }

  /// The name of the pack with this number.
  func id(_ number: UInt32) -> ObjectID {
    state.withLock { $0.pack(number).id }
  }

  /// The name and the size of the pack with this number.
  func pack(_ number: UInt32) -> IndexedPack {
    state.withLock { $0.pack(number) }
  }

  /// A number of a pack, of a table in use where one lists it. Nil when it has none.
  func number(of id: ObjectID) -> UInt32? {
    state.withLock { state in
      // The tables in use are the newest ones.
      for run in state.runs.reversed() {
        if let index = run.rows.firstIndex(where: { $0.id == id }) { return run.first + UInt32(index) }
      }
      return nil
    }
  }

  // MARK: What is there

  /// The numbers of packs that were not there when `packs/` was listed last.
  var gone: Set<UInt32> { state.withLock { $0.gone } }

  /// The names of all packs that are there now. Throws when they cannot be listed.
  func present() throws(StoreError) -> [ObjectID] {
    try storage.names()
  }

  /// When a pack was last added or removed. Nil when that cannot be determined, which counts as a change.
  func modified() -> Timestamp? {
    storage.modified()
  }

  /// Compares the known packs with those that are there, if they may have changed since the last listing, or if `again`
  /// is true. Returns nil when there was nothing to compare. Throws when the packs cannot be listed. The caller reads
  /// the new packs and then calls `accept`.
  func changes(again: Bool) throws(StoreError) -> Changes? {
    let now = Clock.now()
    let modified = modified()
    let listing = modified.map {
      Listing(modified: $0, isSettled: now.seconds - $0.seconds > Listing.tick)
    }
    if !again, let listing, listing.isSettled, state.withLock({ $0.listing == listing }) { return nil }
    let present = Set(try present())
    let known = state.withLock { state in
      var known: Set<ObjectID> = []
      for run in state.runs where run.isCurrent {
        for (offset, pack) in run.rows.enumerated() {
          let number = run.first + UInt32(offset)
          if present.contains(pack.id) {
            known.insert(pack.id)
            state.gone.remove(number)
          } else {
            state.gone.insert(number)
          }
        }
      }
      return known
    }
    return Changes(new: present.subtracting(known).sorted(), listing: listing, modified: modified)
  }

  /// Notes that the caller has read the new packs. `isWhole`: false when one of them could not be read although it may
  /// be good; the next lookup then compares again. Returns whether packs have been added or removed since the last
  /// listing.
  func accept(_ changes: Changes, isWhole: Bool) -> Bool {
    state.withLock { state in
      defer { state.listing = isWhole ? changes.listing : nil }
      return state.listing?.modified != changes.modified
    }
  }

  /// Notes that the caller has read all packs that are there. `modified`: when `packs/` had last changed by then.
  func restart(listedAt modified: Timestamp?) {
    state.withLock { state in
      state.listing = modified.map { Listing(modified: $0, isSettled: false) }
      state.intact = []
    }
  }

  /// Notes that this process has added packs. `before`: when `packs/` had last changed before. If another process has
  /// added a pack in between, the index finds that pack when a blob of it is asked for.
  func noteOwnChange(since before: Timestamp?) {
    let modified = modified()
    state.withLock { state in
      if let modified, state.listing != nil, state.listing?.modified == before {
        state.listing = Listing(modified: modified, isSettled: false)
      }
    }
  }

  /// Notes that packs are going to be removed. If they are still there at the next listing, they count again. Whoever
  /// still reads by a table that is not used any more finds the file gone, and looks again.
  func giveUp(_ packs: Set<ObjectID>) {
    state.withLock { state in
      for run in state.runs where run.isCurrent {
        for (offset, pack) in run.rows.enumerated() where packs.contains(pack.id) {
          state.gone.insert(run.first + UInt32(offset))
        }
      }
    }
  }

  /// Forgets which packs were seen in full size, before a save. Returns whether packs may have been added or removed
  /// since the last listing.
  func forgetIntact() -> Bool {
    let modified = modified()
    return state.withLock { state in
      state.intact = []
      return state.listing == nil || state.listing?.modified != modified
    }
  }

  // MARK: Looking at packs

  /// Whether the file of a pack is there in its full size. False also when it cannot be examined: nobody relies on it
  /// then.
  func isIntact(_ number: UInt32) -> Bool {
    let (known, pack) = state.withLock { ($0.intact.contains(number), $0.pack(number)) }
    if known { return true }
    guard (try? storage.size(of: pack.id)) == pack.size else { return false }
    state.withLock { _ = $0.intact.insert(number) }
    return true
  }

  /// The known packs whose file has its full size. A save asks for all of them at once. A pack whose file cannot be
  /// examined is left out: its blobs are stored again.
  func allIntact() throws(StoreError) -> Set<ObjectID> {
    let listing = try storage.list(withSizes: true)
    var known: [ObjectID: (number: UInt32, size: UInt64)] = [:]
    for run in state.withLock({ $0.runs }) {
      for (index, pack) in run.rows.enumerated() { known[pack.id] = (run.first + UInt32(index), pack.size) }
    }
    var numbers: Set<UInt32> = []
    var result: Set<ObjectID> = []
    for found in listing {
      guard let pack = known[found.id], found.size == pack.size else { continue }
      numbers.insert(pack.number)
      result.insert(found.id)
    }
    let found = numbers
    state.withLock { $0.intact.formUnion(found) }
    return result
  }

  /// Reads the table of contents of a pack from the pack itself, through its parity where it is damaged. Throws when it
  /// is missing, cannot be healed or cannot be read.
  func contents(of id: ObjectID) throws(StoreError) -> PackContents {
    do throws(StoreError) {
      return try PackCheck.contents(storage.open(id), named: id)
    } catch {
      // The first error counts: it says what is wrong with the pack. A flipped bit of its first line looks like a later
      // version; parity knows better.
      guard error.isDamage || error.isNewer, let pack = storage.openHealed(id),
        let contents = try? PackCheck.contents(pack, named: id)
      else { throw error }
      healed.add(.pack(id))
      return contents
    }
  }
}

extension PackDirectory.State {
  func pack(_ number: UInt32) -> IndexedPack {
    let run = runs[run(of: number)]
    return run.rows[Int(number - run.first)]
  }

  func run(of number: UInt32) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].first <= number { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}
