// Which packs are there, which have come and which have gone. Packs have numbers here while the program runs, since the
// places of blobs name them a million times.

internal import MementoSystem
internal import Synchronization

final class PackDirectory: Sendable {
  fileprivate struct State: Sendable {
    /// All packs that have a number, by the first number of those that came together. A pack keeps its number when tables
    /// are merged.
    var runs: [Run] = []
    var count: UInt32 = 0
    var gone: Set<UInt32> = []
    /// When `packs/` was listed last; nil: never.
    var listing: Listing?
    /// Packs whose file was seen with its right size.
    var intact: Set<UInt32> = []
  }

  fileprivate struct Run: Sendable {
    let first: UInt32
    var rows: PackRows
    /// Whether a table in use speaks of them.
    var isCurrent = true
  }

  /// What `packs/` said of itself when it was listed.
  fileprivate struct Listing: Equatable, Sendable {
    var modified: Timestamp
    /// Whether a change after the listing shows in the time: a clock that ticks slowly hides what follows soon.
    var isSettled: Bool

    /// Coarser clocks of file systems tick once in this many seconds.
    static let tick: Int64 = 2
  }

  /// What a look at `packs/` has found.
  struct Changes {
    /// Packs that are there and that no table in use speaks of, in order.
    let new: [ObjectID]
    fileprivate let listing: Listing?
    fileprivate let modified: Timestamp?
  }

  private let storage: any PackStorage
  private let state = Mutex(State())

  init(_ storage: any PackStorage) {
    self.storage = storage
  }

  // MARK: Numbers

  /// Gives the packs of a table consecutive numbers; returns the first. A pack of two tables has two.
  func number(_ rows: PackRows) -> UInt32 {
    state.withLock { state in
      let first = state.count
      state.runs.append(Run(first: first, rows: rows))
      state.count += UInt32(rows.count)
      return first
    }
  }

  /// The tables whose packs begin with these numbers are not used any more. The numbers stay: somebody may read by them.
  func retire(_ firsts: [UInt32]) {
    state.withLock { state in
      for first in firsts {
        let run = state.run(of: first)
        // The rows are copied: they may be a part of the header of the table.
        state.runs[run].rows = PackRows(Array(state.runs[run].rows))
        state.runs[run].isCurrent = false
      }
    }
  }

  /// The name of a pack by its number.
  func id(_ number: UInt32) -> ObjectID {
    state.withLock { $0.pack(number).id }
  }

  /// The first number of a pack; nil when it has none.
  func number(of id: ObjectID) -> UInt32? {
    state.withLock { state in
      for run in state.runs {
        if let index = run.rows.firstIndex(where: { $0.id == id }) { return run.first + UInt32(index) }
      }
      return nil
    }
  }

  // MARK: What is there

  /// The numbers of packs that were not there when `packs/` was listed last.
  var gone: Set<UInt32> { state.withLock { $0.gone } }

  /// The names of all packs that are there now.
  func present() throws(StoreError) -> [ObjectID] {
    try storage.names()
  }

  /// When a pack was last added or removed; nil when that cannot be asked, which counts as a change.
  func modified() -> Timestamp? {
    storage.modified()
  }

  /// Compares with the packs that are there, if they may have changed since they were listed last, or if asked `again`. Nil
  /// when there was nothing to do. Throws when the packs cannot be listed. The caller reads the new ones and then calls
  /// `accept`.
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

  /// The new packs have been read. `isWhole`: false when one of them may be whole and could not be read; then the next
  /// question looks again. Returns whether packs have come or gone since the last time.
  func accept(_ changes: Changes, isWhole: Bool) -> Bool {
    state.withLock { state in
      defer { state.listing = isWhole ? changes.listing : nil }
      return state.listing?.modified != changes.modified
    }
  }

  /// All packs that are there have been read, and `packs/` had changed last at this moment.
  func restart(listedAt modified: Timestamp?) {
    state.withLock { state in
      state.listing = modified.map { Listing(modified: $0, isSettled: false) }
      state.intact = []
    }
  }

  /// This process has added packs. `before`: when `packs/` had changed last before. Somebody else may have added one in
  /// between; it is found when something of it is asked for.
  func noteOwnChange(since before: Timestamp?) {
    let modified = modified()
    state.withLock { state in
      if let modified, state.listing != nil, state.listing?.modified == before {
        state.listing = Listing(modified: modified, isSettled: false)
      }
    }
  }

  /// Before a save: forgets which packs were seen whole. Returns whether packs may have come or gone since they were listed.
  func forgetIntact() -> Bool {
    let modified = modified()
    return state.withLock { state in
      state.intact = []
      return state.listing == nil || state.listing?.modified != modified
    }
  }

  // MARK: Looking at packs

  /// Whether the file of a pack is there in its full size. False as well when it cannot be looked at: then nobody relies on
  /// it.
  func isIntact(_ number: UInt32) -> Bool {
    let (known, pack) = state.withLock { ($0.intact.contains(number), $0.pack(number)) }
    if known { return true }
    guard (try? storage.size(of: pack.id)) == pack.size else { return false }
    state.withLock { _ = $0.intact.insert(number) }
    return true
  }

  /// The packs that are there in their full size, as far as they are known. A save asks for all of them. One that cannot be
  /// looked at is left out: what it holds is stored once more.
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

  /// The table of contents of a pack, read from the pack itself.
  func contents(of id: ObjectID) throws(StoreError) -> PackContents {
    try PackCheck.contents(storage.open(id), named: id)
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
