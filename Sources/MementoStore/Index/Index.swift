// From ids to places, over all packs. Derived: whatever is missing, stale or damaged here is built again from the packs.

internal import MementoSystem
internal import Synchronization

/// The merged view of all tables. Opened lazily: the packs are listed only when something is not found, or before a save,
/// which must know for certain.
package final class Index: Sendable {
  private struct State: Sendable {
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
  }

  private struct Numbered: Sendable {
    let table: IndexTable
    /// The number of the table's first pack.
    let firstPack: UInt32
  }

  /// What `packs/` said of itself when it was listed.
  private struct Listing: Equatable, Sendable {
    var modified: Timestamp
    /// Whether a change after the listing shows in the time: a clock that ticks slowly hides what follows soon.
    var isSettled: Bool

    /// Coarser clocks of file systems tick once in this many seconds.
    static let tick: Int64 = 2
  }

  private let folder: StoreFolder
  private let state: Mutex<State>

  package init(_ folder: StoreFolder) {
    self.folder = folder
    var state = State()
    for name in Index.tableNames(folder) {
      do throws(Errno) {
        if let table = try IndexTable(opening: name, in: folder.index) {
          Index.adopt(table, into: &state)
        } else {
          try folder.index.removeFile(name)
        }
      } catch {
        // It may be read another time: of a damaged pack it may be all there is.
        state.unread = .system(operation: "read", path: "index/\(String(decoding: name, as: UTF8.self))", error)
      }
    }
    self.state = Mutex(state)
  }

  private static func tableNames(_ folder: StoreFolder) -> [[UInt8]] {
    guard let fresh = try? folder.root.open(StoreFolder.indexName, .directory),
      let listing = try? DirectoryListing(reading: fresh)
    else { return [] }
    return (0..<listing.count).map { listing.name(at: $0) }
  }

  private static func adopt(_ table: IndexTable, into state: inout State) {
    state.tables.append(Numbered(table: table, firstPack: state.packCount))
    state.packs.append((state.packCount, table.packs))
    state.packCount += UInt32(table.packs.count)
  }

  /// Every place that holds the blob.
  package func places(of id: ObjectID) -> [Location] {
    let found = knownPlaces(of: id)
    if !found.isEmpty { return found }
    reconcile()
    let later = knownPlaces(of: id)
    return later.isEmpty && recover() ? knownPlaces(of: id) : later
  }

  /// A place that holds the blob, or nil.
  package func place(of id: ObjectID) -> Location? {
    places(of: id).first
  }

  /// Whether some pack that is there holds the blob. Reads no pack: for what may well have gone, where `places` would look
  /// everywhere again before it says no.
  package func contains(_ id: ObjectID) -> Bool {
    if !knownPlaces(of: id).isEmpty { return true }
    reconcile()
    return !knownPlaces(of: id).isEmpty
  }

  private func knownPlaces(of id: ObjectID) -> [Location] {
    let (tables, gone) = state.withLock { ($0.tables, $0.gone) }
    var result: [Location] = []
    for numbered in tables {
      numbered.table.find(id) { block, entry in
        let pack = numbered.firstPack + block.pack
        guard !gone.contains(pack), UInt64(entry.offset) + UInt64(entry.length) <= UInt64(block.record.rawLength)
        else { return }
        result.append(
          Location(pack: pack, block: block.record, offset: entry.offset, length: entry.length))
      }
    }
    return result
  }

  /// Whether the blob lies in a pack whose file is there in its full size: what a save may rely on.
  package func holdsSafely(_ id: ObjectID, ignoring leaving: Set<ObjectID> = []) -> Bool {
    for place in knownPlaces(of: id) where isIntact(place.pack) {
      if leaving.isEmpty || !leaving.contains(packID(place.pack)) { return true }
    }
    return false
  }

  private func isIntact(_ number: UInt32) -> Bool {
    let (known, pack) = state.withLock { ($0.intact.contains(number), $0.pack(number)) }
    if known { return true }
    guard let status = try? folder.packs.status(of: PackFormat.fileName(pack.id)),
      status.isRegular, status.size == pack.size
    else { return false }
    state.withLock { _ = $0.intact.insert(number) }
    return true
  }

  /// The name of a pack by its number in a `Location`.
  package func packID(_ number: UInt32) -> ObjectID {
    state.withLock { $0.pack(number).id }
  }

  /// Before a save: learns of packs that others have made since, and forgets which packs were seen whole. A pack that has
  /// gone shows when something in it is asked for.
  func prepareForWriting() {
    let modified = packsModified()
    let isKnown = state.withLock { state in
      state.intact = []
      return state.listing != nil && state.listing?.modified == modified
    }
    if !isKnown { reconcile(again: true) }
  }

  /// When a pack was last added or removed.
  func packsModified() -> Timestamp? {
    try? folder.packs.status().modified
  }

  /// Compares with the packs that are there, if they may have changed since they were listed last, or if asked `again`:
  /// reads the contents of new ones, forgets those that are gone. False when there was nothing to do.
  @discardableResult
  package func reconcile(again: Bool = false) -> Bool {
    let now = Clock.now()
    let modified = packsModified()
    let listing = modified.map { Listing(modified: $0, isSettled: now.seconds - $0.seconds > Listing.tick) }
    if !again, let listing, listing.isSettled, state.withLock({ $0.listing == listing }) { return false }
    let present = Set(presentPacks())
    let known = state.withLock { state in
      var known: Set<ObjectID> = []
      for numbered in state.tables {
        for (offset, pack) in numbered.table.packs.enumerated() {
          let number = numbered.firstPack + UInt32(offset)
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
    var builder = IndexTableBuilder()
    var problems: [StoreError] = []
    for id in present.subtracting(known).sorted() {
      do throws(StoreError) {
        builder.add(try contents(of: id))
      } catch {
        problems.append(error)
      }
    }
    let isEmpty = builder.packs.isEmpty
    if !isEmpty { builder.sort() }
    state.withLock { state in
      if !isEmpty { Index.adopt(IndexTable(builder), into: &state) }
      if state.listing?.modified != modified { state.isRecovered = false }
      state.listing = listing
      state.problems = problems
    }
    return true
  }

  /// Reads all packs again, and goes by what they say: the rows of a table have no checksum, and one of them has led
  /// nowhere. False when that was done before.
  func recover() -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isRecovered = true }
      return !state.isRecovered
    }
    guard isFirst else { return false }
    var builder = IndexTableBuilder()
    var isWhole = true
    for id in presentPacks().sorted() {
      if let pack = try? contents(of: id) { builder.add(pack) } else { isWhole = false }
    }
    builder.sort()
    // Of a pack whose own table is damaged, the old rows are all there is.
    let name = isWhole ? write(builder, replacing: Index.tableNames(folder)) : nil
    let table = IndexTable(builder, fileName: name)
    state.withLock { state in
      if isWhole {
        state.leave(state.tables.map(\.firstPack))
        state.tables = []
      }
      Index.adopt(table, into: &state)
    }
    return true
  }

  /// The names of all packs that are there now.
  package func presentPacks() -> [ObjectID] {
    guard let listing = listPacks() else { return [] }
    return listing.withNames { names in (0..<names.count).compactMap { PackFormat.id(fromFileName: names[$0]) } }
  }

  private func listPacks() -> DirectoryListing? {
    guard let fresh = try? folder.root.open(StoreFolder.packsName, .directory) else { return nil }
    return try? DirectoryListing(reading: fresh)
  }

  /// The packs that are there in their full size, as far as they are known. A save asks for all of them.
  package func intactPacks() -> Set<ObjectID> {
    guard let listing = listPacks() else { return [] }
    var known: [ObjectID: (number: UInt32, size: UInt64)] = [:]
    for (first, rows) in state.withLock({ $0.packs }) {
      for (index, pack) in rows.enumerated() { known[pack.id] = (first + UInt32(index), pack.size) }
    }
    var numbers: Set<UInt32> = []
    var result: Set<ObjectID> = []
    listing.withNames { names in
      for index in 0..<names.count {
        guard let id = PackFormat.id(fromFileName: names[index]), let pack = known[id],
          let status = try? folder.packs.status(of: names.cString(index)), status.isRegular, status.size == pack.size
        else { continue }
        numbers.insert(pack.number)
        result.insert(id)
      }
    }
    let found = numbers
    state.withLock { $0.intact.formUnion(found) }
    return result
  }

  /// The table of contents of a pack, read from the pack itself.
  package func contents(of id: ObjectID) throws(StoreError) -> PackContents {
    let file = try onFile("open", "packs/\(id.short)….pack") { () throws(Errno) in
      let file = try folder.packs.open(PackFormat.fileName(id), .read)
      guard try file.status().isRegular else { throw .invalid }
      return file
    }
    let contents = try TableOfContents(of: file, named: id)
    let size = try onFile("read", "packs") { () throws(Errno) in try file.status().size }
    return PackContents(id: id, size: size, contents: contents)
  }

  /// Every blob of a pack with its place in that pack.
  package func placements(of pack: PackContents) -> [(ObjectID, Location)] {
    guard let number = state.withLock({ $0.number(of: pack.id) }) else { return [] }
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

  /// Packs whose contents could not be read, found by `reconcile`.
  package var problems: [StoreError] { state.withLock { $0.problems } }

  // MARK: Writing

  /// Enters finished packs, and merges small tables so that few are ever open. Derived: failures to write are ignored,
  /// the next run builds it again. `since`: when `packs/` had changed last before these came.
  func add(_ packs: [PackContents], since: Timestamp?) {
    let modified = packsModified()
    state.withLock { state in
      // Between the two somebody else may have added a pack. It is found when something of it is asked for.
      if let modified, state.listing != nil, state.listing?.modified == since {
        state.listing = Listing(modified: modified, isSettled: false)
      }
    }
    var builder = IndexTableBuilder()
    for pack in packs { builder.add(pack) }
    var total = packs.reduce(0) { $0 + $1.contents.blobs.count }
    let (tables, goneIDs) = state.withLock { state in (state.tables, Set(state.gone.map { state.pack($0).id })) }
    var merged: [Numbered] = []
    for numbered in tables.sorted(by: { $0.table.count < $1.table.count }) {
      // Each table is at least four times as large as all smaller ones: a row is rewritten a logarithmic number of times.
      let mustGo = numbered.table.fileName == nil || numbered.table.packs.contains { goneIDs.contains($0.id) }
      guard mustGo || numbered.table.count <= total * 4 else { continue }
      var attempt = builder
      guard (try? attempt.add(numbered.table, keeping: { !goneIDs.contains($0) })) != nil else {
        continue
      }
      builder = attempt
      total += numbered.table.count
      merged.append(numbered)
    }
    builder.sort()
    let name = write(builder, replacing: merged.compactMap(\.table.fileName))
    let table = IndexTable(builder, fileName: name)
    state.withLock { state in
      state.leave(merged.map(\.firstPack))
      state.tables.removeAll { known in merged.contains { $0.table === known.table } }
      Index.adopt(table, into: &state)
    }
  }

  /// Writes one table for all packs that are there, and nothing else.
  package func rebuild() throws(StoreError) {
    var builder = IndexTableBuilder()
    for id in presentPacks().sorted() { builder.add(try contents(of: id)) }
    builder.sort()
    let name = write(builder, replacing: Index.tableNames(folder))
    let table = IndexTable(builder, fileName: name)
    let listing = packsModified().map { Listing(modified: $0, isSettled: false) }
    state.withLock { state in
      // Somebody may read by the old numbers at this moment.
      state.leave(state.tables.map(\.firstPack))
      state.tables = []
      Index.adopt(table, into: &state)
      state.gone = []
      state.listing = listing
      state.isRecovered = false
      state.intact = []
      state.problems = []
    }
  }

  /// Returns the name of the new table; nil when it could not be written.
  private func write(_ builder: IndexTableBuilder, replacing old: [[UInt8]]) -> [UInt8]? {
    var hasher = ContentHasher()
    for pack in builder.packs.sorted(by: { $0.id < $1.id }) { hasher.update(Array("\(pack.id)".utf8)) }
    let name = Array(hasher.finish().description.utf8.prefix(32))
    let aside = folder.temporaryName("index")
    guard let file = try? folder.createTemporary(aside),
      (try? file.lockAgainstSweep()) != nil,
      (try? file.write(IndexTable.header(builder))) != nil,
      (try? file.write(builder.entryBytes)) != nil,
      (try? file.finish()) != nil,
      (try? folder.temporary.rename(aside, to: name, in: folder.index)) != nil
    else {
      try? folder.temporary.removeFile(aside)
      return nil
    }
    for table in old where table != name { try? folder.index.removeFile(table) }
    return name
  }
}
