// From ids to places, over all packs. Derived: whatever is missing, stale or damaged here is built again from the packs.

internal import MementoSystem
internal import Synchronization

/// The merged view of all tables. Opened lazily: the packs are listed only when something is not found, or before a save,
/// which must know for certain.
package final class Index: Sendable {
  struct State: Sendable {
    var tables: [Numbered] = []
    /// All packs have been read since they were listed last.
    var isRecovered = false
    /// Packs whose contents could not be read.
    var problems: [StoreError] = []
    /// Why a table could not be read that may be good.
    var unread: StoreError?
    /// Why a pack could not be read that may be good: a blob that is not found may lie in it.
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
  /// Taken before the lock of `directory` where both are needed.
  let state: Mutex<State>
  let confirmed = ConfirmedPacks()

  /// The tables are in `folder`, whichever storage has the packs: they are derived.
  init(_ folder: StoreFolder, _ packs: any PackStorage) {
    files = IndexFiles(folder)
    directory = PackDirectory(packs)
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

  /// Takes a table into use, under the lock: whoever knows of its packs finds the table.
  func adopt(_ table: IndexTable, _ state: inout State) {
    state.tables.append(Numbered(table: table, firstPack: directory.number(table.packs)))
  }

  // MARK: Looking up

  /// Every place that holds the blob; none when no pack holds it. Throws when that could not be found out.
  package func places(of id: ObjectID) throws(StoreError) -> [Location] {
    try look(for: id, everywhere: true)
  }

  /// A place that holds the blob, or nil.
  package func place(of id: ObjectID) throws(StoreError) -> Location? {
    try places(of: id).first
  }

  /// Whether some pack that is there holds the blob. Reads no pack: for what may well have gone, where `places` would look
  /// everywhere again before it says no.
  package func contains(_ id: ObjectID) throws(StoreError) -> Bool {
    try !look(for: id, everywhere: false).isEmpty
  }

  /// `everywhere`: reads all packs again before it says that none holds the blob.
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

  /// The places that the tables name, but for those in packs that have gone.
  func knownPlaces(of id: ObjectID) throws(StoreError) -> [Location] {
    let tables = state.withLock { $0.tables }
    let gone = directory.gone
    var result: [Location] = []
    for numbered in tables {
      try numbered.table.find(id) { block, entry in
        let pack = numbered.firstPack + block.pack
        guard !gone.contains(pack), UInt64(entry.offset) + UInt64(entry.length) <= UInt64(block.record.rawLength)
        else { return }
        result.append(
          Location(pack: pack, block: block.record, offset: entry.offset, length: entry.length))
      }
    }
    return result
  }

  /// The bytes that some blobs of a set take in packs: those that came after the first `count`.
  package func storedBytes(of blobs: BlobSet, after count: Int) throws(StoreError) -> UInt64 {
    var sum: UInt64 = 0
    for number in count..<blobs.count {
      guard let place = try knownPlaces(of: blobs[number]).first else { continue }
      sum += UInt64(place.block.storedLength) * UInt64(place.length) / UInt64(max(place.block.rawLength, 1))
    }
    return sum
  }

  /// What the tables say of a pack, in the order in which it lies there: of one that does not say itself any more. Throws
  /// when they could say something, but cannot be read.
  func rows(of pack: ObjectID) throws(StoreError) -> [(ObjectID, Location)] {
    var result: [(ObjectID, Location)] = []
    for numbered in state.withLock({ $0.tables }) {
      guard let own = numbered.table.packs.firstIndex(where: { $0.id == pack }) else { continue }
      try numbered.table.forEachEntry { entry in
        guard let block = numbered.table.block(Int(entry.block)), block.pack == UInt32(own) else { return }
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

  /// The names of all packs that are there now.
  package func presentPacks() throws(StoreError) -> [ObjectID] {
    try directory.present()
  }

  /// The packs that are there in their full size, as far as they are known. A save asks for all of them. One that cannot be
  /// looked at is left out: what it holds is stored once more.
  package func intactPacks() throws(StoreError) -> Set<ObjectID> {
    try directory.allIntact()
  }

  /// The table of contents of a pack, read from the pack itself.
  package func contents(of id: ObjectID) throws(StoreError) -> PackContents {
    try directory.contents(of: id)
  }

  /// Packs whose contents could not be read, found by `reconcile`.
  package var problems: [StoreError] { state.withLock { $0.problems } }

  /// Every blob of a pack with its place in that pack.
  package func placements(of pack: PackContents) -> [(ObjectID, Location)] {
    guard let number = directory.number(of: pack.id) else { return [] }
    var result: [(ObjectID, Location)] = []
    var blob = 0
    for block in pack.contents.blocks {
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
