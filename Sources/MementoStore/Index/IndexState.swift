// What the index knows at a moment: its tables, the packs with their numbers, and what could not be read.

internal import MementoSystem

/// Changed by one thread at a time: the index keeps it under a lock.
struct IndexState: Sendable {
  var tables: [Numbered] = []
  /// All packs that have a number in a `Location`, by the first number of those that came together. A number stays that
  /// of its pack when tables are merged.
  var packs: [(first: UInt32, rows: PackRows)] = []
  var packCount: UInt32 = 0
  var gone: Set<UInt32> = []
  /// When `packs/` was listed last; nil: never.
  var listing: Listing?
  var isRecovered = false
  /// Packs whose file was seen with its right size.
  var intact: Set<UInt32> = []
  var problems: [StoreError] = []
  /// Why a table could not be read that may be good.
  var unread: StoreError?
  /// Why a pack could not be read that may be good: a blob that is not found may lie in it.
  var unreadPack: StoreError?

  func pack(_ number: UInt32) -> IndexedPack {
    let run = packs[run(of: number)]
    return run.rows[Int(number - run.first)]
  }

  func number(of id: ObjectID) -> UInt32? {
    for (first, rows) in packs {
      if let index = rows.firstIndex(where: { $0.id == id }) { return first + UInt32(index) }
    }
    return nil
  }

  /// Tables that are merged into another take their headers with them.
  mutating func leave(_ firsts: [UInt32]) {
    for first in firsts {
      let run = run(of: first)
      packs[run].rows = PackRows(Array(packs[run].rows))
    }
  }

  private func run(of number: UInt32) -> Int {
    var low = 0
    var high = packs.count
    while low < high {
      let middle = (low + high) / 2
      if packs[middle].first <= number { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  struct Numbered: Sendable {
    let table: IndexTable
    /// The number of the table's first pack.
    let firstPack: UInt32
  }

  /// What `packs/` said of itself when it was listed.
  struct Listing: Equatable, Sendable {
    var modified: Timestamp
    /// Whether a change after the listing shows in the time: a clock that ticks slowly hides what follows soon.
    var isSettled: Bool

    /// Coarser clocks of file systems tick once in this many seconds.
    static let tick: Int64 = 2
  }
}
