// Finds the place of a blob by its id, in any pack. The index is derived data: what is missing, outdated or damaged
// here is built again from the packs.

internal import MementoSystem
internal import Synchronization

/// The merged view of all tables. It lists the packs only when it does not find a blob, or before a save, which must
/// know all packs.
package final class Index: Sendable {
  struct State: Sendable {
    var tables: [Numbered] = []
    /// Whether all packs have been read since the last time they were listed.
    var isRecovered = false
    /// Why packs could not be read.
    var problems: [StoreError] = []
    /// Why a table could not be read. The table may be good.
    var unread: StoreError?
    /// Why a pack could not be read. The pack may be good, and hold a blob that is not found elsewhere.
    var unreadPack: StoreError?
  }

  /// A table in use.
  struct Numbered: Sendable {
    let table: IndexTable
    /// The number of the table's first pack.
    let firstPack: UInt32
  }

  let directory: PackDirectory
  let files: IndexFiles
  /// A thread that needs both locks takes this one before that of `directory`.
  let state: Mutex<State>
  let confirmed = ConfirmedPacks()
  /// Blocks that a save does not rely on.
  package let badBlocks: BadBlocks

  /// Opens the tables in `folder`. The tables are derived data, so they are there even when the packs are in another
  /// storage. `healed`: notes packs that were healed.
  init(_ folder: StoreFolder, _ packs: any PackStorage, _ healed: HealedFiles = HealedFiles()) {
    files = IndexFiles(folder)
    badBlocks = BadBlocks(folder)
    directory = PackDirectory(packs, healed)
    state = Mutex(State())
    var names: [[UInt8]] = []
    do throws(StoreError) { names = try files.names() } catch { state.withLock { $0.unread = error } }
    for name in names {
      do throws(StoreError) {
        if let table = try files.open(name) { state.withLock { adopt(table, &$0) } }
      } catch {
        state.withLock { $0.unread = error }
      }
    }
  }

  /// Starts to use a table. The caller holds the lock, so a thread that sees the numbers of its packs also sees the
  /// table.
  func adopt(_ table: IndexTable, _ state: inout State) {
    state.tables.append(Numbered(table: table, firstPack: directory.number(table.packs)))
  }

  // MARK: Looking up

  /// Every place that holds the blob. Empty when no pack holds it. Throws when that cannot be determined.
  package func places(of id: ObjectID) throws(StoreError) -> [Location] {
    try look(for: id, everywhere: true)
  }

  /// A place that holds the blob. Nil when no pack holds it. Throws when that cannot be determined.
  package func place(of id: ObjectID) throws(StoreError) -> Location? {
    try places(of: id).first
  }

  /// Whether a pack that is there holds the blob. For blobs that may well be gone: unlike `places`, it does not read
  /// all packs again before it says no, unless a table could not be read.
  package func contains(_ id: ObjectID) throws(StoreError) -> Bool {
    try !look(for: id, everywhere: false).isEmpty
  }

  /// The places of a blob. `everywhere`: read all packs again before returning an empty result.
  private func look(for id: ObjectID, everywhere: Bool) throws(StoreError) -> [Location] {
    var unread: StoreError?
    func known() -> [Location] {
      do throws(StoreError) {
        return try knownPlaces(of: id)
      } catch {
        unread = error
        return []
      }
    }
    var found = known()
    if !found.isEmpty { return found }
    try reconcile()
    found = known()
    if found.isEmpty, everywhere || unread != nil, try recover() {
      unread = nil
      found = known()
    }
    if found.isEmpty, let reason = unread ?? state.withLock({ $0.unreadPack }) { throw reason }
    return found
  }

  /// What the tables name at one time, without what is in packs that are gone: for many questions.
  package struct KnownPlaces {
    fileprivate let tables: [Numbered]
    fileprivate let gone: Set<UInt32>

    /// Calls `body` with each place of a blob. Throws when a table cannot be read.
    package func forEach(of id: ObjectID, _ body: (Location) -> Void) throws(StoreError) {
      for numbered in tables {
        try numbered.table.find(id) { block, entry in
          let pack = numbered.firstPack + block.pack
          guard !gone.contains(pack), UInt64(entry.offset) + UInt64(entry.length) <= UInt64(block.record.rawLength)
          else { return }
          body(Location(pack: pack, block: block.record, offset: entry.offset, length: entry.length))
        }
      }
    }
  }

  package func knownPlaces() -> KnownPlaces {
    KnownPlaces(tables: state.withLock { $0.tables }, gone: directory.gone)
  }

  /// The places that the tables name, without those in packs that are gone. Throws when a table cannot be read.
  package func knownPlaces(of id: ObjectID) throws(StoreError) -> [Location] {
    var result: [Location] = []
    try knownPlaces().forEach(of: id) { result.append($0) }
    return result
  }

  /// How many bytes some blobs take in packs after compression: those that were added to the set after the first
  /// `count`. Blobs that the tables do not name count as 0.
  package func storedBytes(of blobs: BlobSet, after count: Int) throws(StoreError) -> UInt64 {
    var sum: UInt64 = 0
    for number in count..<blobs.count {
      guard let place = try knownPlaces(of: blobs.ids[number]).first else { continue }
      sum += UInt64(place.block.storedLength) * UInt64(place.length) / UInt64(max(place.block.rawLength, 1))
    }
    return sum
  }

  /// The blobs that the tables list for a pack, in their order in the pack. For a pack whose own table of contents
  /// cannot be read. Throws when no table lists any, and a table could not be read.
  func rows(of pack: ObjectID) throws(StoreError) -> [(ObjectID, Location)] {
    var result: [(ObjectID, Location)] = []
    for numbered in state.withLock({ $0.tables }) {
      guard let own = numbered.table.packs.firstIndex(where: { $0.id == pack }) else { continue }
      try numbered.table.forEachEntry { (entry) throws(StoreError) in
        guard let block = try numbered.table.block(Int(entry.block)), block.pack == UInt32(own) else { return }
        let location = Location(
          pack: numbered.firstPack + block.pack, block: block.record, offset: entry.offset, length: entry.length)
        result.append((entry.id, location))
      }
    }
    if result.isEmpty, let unread = state.withLock({ $0.unread }) { throw unread }
    return result.sorted { $0.1.sortKey < $1.1.sortKey }
  }

  // MARK: Packs

  /// The name of a pack by its number in a `Location`.
  package func packID(_ number: UInt32) -> ObjectID {
    directory.id(number)
  }

  /// Same, with its size.
  func pack(_ number: UInt32) -> IndexedPack {
    directory.pack(number)
  }

  /// The names of all packs that are there now. Throws when they cannot be listed.
  package func presentPacks() throws(StoreError) -> [ObjectID] {
    try directory.present()
  }

  /// The known packs whose file has its full size. A save asks for all of them at once. A pack whose file cannot be
  /// examined is left out: its blobs are stored again.
  package func intactPacks() throws(StoreError) -> Set<ObjectID> {
    try directory.allIntact()
  }

  /// The table of contents of a pack, read from the pack itself.
  package func contents(of id: ObjectID) throws(StoreError) -> PackContents {
    try directory.contents(of: id)
  }

  /// Why the last `reconcile` could not read some packs.
  package var problems: [StoreError] { state.withLock { $0.problems } }

  /// Every blob of a pack with its place. Empty when the index does not know the pack.
  package func placements(of pack: PackContents) -> [(ObjectID, Location)] {
    placements(of: pack, blocks: pack.contents.blocks.indices, from: 0)
  }

  /// Same, for some of its blocks. `first`: the number of the first blob in these.
  package func placements(of pack: PackContents, blocks: Range<Int>, from first: Int) -> [(ObjectID, Location)] {
    guard let number = directory.number(of: pack.id) else { return [] }
    var result: [(ObjectID, Location)] = []
    var blob = first
    for block in pack.contents.blocks[blocks] {
      var offset: UInt32 = 0
      for _ in 0..<block.blobCount {
        let record = pack.contents.blobs[blob]
        result.append(
          (record.id, Location(pack: number, block: block, offset: offset, length: record.length)))
        offset += record.length
        blob += 1
      }
    }
    return result
  }
}
