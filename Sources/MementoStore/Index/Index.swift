// From ids to places, over all packs. Derived: whatever is missing, stale or damaged here is built again from the packs.

internal import MementoSystem
internal import Synchronization

/// The merged view of all tables. Opened lazily: the packs are listed only when something is not found, or before a save,
/// which must know for certain.
package final class Index: Sendable {
  private let folder: StoreFolder
  private let state: Mutex<IndexState>
  private let confirmed = ConfirmedPacks()

  package init(_ folder: StoreFolder) {
    self.folder = folder
    var state = IndexState()
    var names: [[UInt8]] = []
    do throws(StoreError) { names = try Index.tableNames(folder) } catch { state.unread = error }
    for name in names {
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

  private static func tableNames(_ folder: StoreFolder) throws(StoreError) -> [[UInt8]] {
    try onFile("read", "index") { () throws(Errno) in
      let listing = try DirectoryListing(reading: try folder.root.open(StoreFolder.indexName, .directory))
      return (0..<listing.count).map { listing.name(at: $0) }
    }
  }

  private static func adopt(_ table: IndexTable, into state: inout IndexState) {
    state.tables.append(IndexState.Numbered(table: table, firstPack: state.packCount))
    state.packs.append((state.packCount, table.packs))
    state.packCount += UInt32(table.packs.count)
  }

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

  private func knownPlaces(of id: ObjectID) throws(StoreError) -> [Location] {
    let (tables, gone) = state.withLock { ($0.tables, $0.gone) }
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
    for id in blobs.ids[count...] {
      guard let place = try knownPlaces(of: id).first else { continue }
      sum += UInt64(place.block.storedLength) * UInt64(place.length) / UInt64(max(place.block.rawLength, 1))
    }
    return sum
  }

  /// Whether the blob lies in a pack whose file is there in its full size, and which says so itself: what a save may rely
  /// on. A row that its pack does not confirm has all tables made anew.
  package func holdsSafely(_ id: ObjectID, ignoring leaving: Set<ObjectID> = []) -> Bool {
    // Where that could not be found out, the blob is stored once more, and nothing is lost.
    (try? hasConfirmedCopy(id, ignoring: leaving)) ?? false
  }

  private func hasConfirmedCopy(_ id: ObjectID, ignoring leaving: Set<ObjectID>) throws(StoreError) -> Bool {
    var isRefuted = false
    repeat {
      isRefuted = false
      for place in try knownPlaces(of: id) where isIntact(place.pack) {
        let pack = packID(place.pack)
        if leaving.contains(pack) { continue }
        if confirms(id, place, in: pack) { return true }
        isRefuted = true
      }
    } while isRefuted ? try recover() : false
    return false
  }

  /// Whether a pack that is there says itself that it holds a blob of this length. Looks everywhere before it says no.
  package func presence(of id: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    var result = BlobPresence.missing
    repeat {
      for place in try places(of: id) where confirms(id, place, in: packID(place.pack)) {
        if UInt64(place.length) == length { return .there }
        result = .otherLength
      }
    } while result == .missing ? try recover() : false
    return result
  }

  private func confirms(_ id: ObjectID, _ place: Location, in pack: ObjectID) -> Bool {
    // A pack that cannot be read confirms nothing: what it may hold is stored again.
    confirmed.confirm(id, place, in: pack) { try? contents(of: pack) }
  }

  /// Which tables say of packs what these do not say themselves.
  package func differences(from view: PackView) -> [IndexDifference] {
    var result: [IndexDifference] = []
    for numbered in state.withLock({ $0.tables }) {
      let name = String(decoding: numbered.table.fileName ?? [], as: UTF8.self)
      do throws(StoreError) {
        let rows = try view.differences(from: numbered.table)
        if rows > 0 { result.append(IndexDifference(table: name, rows: rows)) }
      } catch {
        result.append(IndexDifference(table: name, rows: nil))
      }
    }
    return result
  }

  private func isIntact(_ number: UInt32) -> Bool {
    let (known, pack) = state.withLock { ($0.intact.contains(number), $0.pack(number)) }
    if known { return true }
    // A pack that cannot be looked at is not relied upon.
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
  func prepareForWriting() throws(StoreError) {
    let modified = packsModified()
    confirmed.forgetUnread()
    let isKnown = state.withLock { state in
      state.intact = []
      return state.listing != nil && state.listing?.modified == modified
    }
    if !isKnown { try reconcile(again: true) }
  }

  /// When a pack was last added or removed; nil when that cannot be asked, which counts as a change.
  func packsModified() -> Timestamp? {
    try? folder.packs.status().modified
  }

  /// Compares with the packs that are there, if they may have changed since they were listed last, or if asked `again`:
  /// reads the contents of new ones, forgets those that are gone. False when there was nothing to do. Throws when the packs
  /// cannot be listed.
  @discardableResult
  package func reconcile(again: Bool = false) throws(StoreError) -> Bool {
    let now = Clock.now()
    let modified = packsModified()
    let listing = modified.map {
      IndexState.Listing(modified: $0, isSettled: now.seconds - $0.seconds > IndexState.Listing.tick)
    }
    if !again, let listing, listing.isSettled, state.withLock({ $0.listing == listing }) { return false }
    let present = Set(try presentPacks())
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
    var unreadPack: StoreError?
    for id in present.subtracting(known).sorted() {
      do throws(StoreError) {
        builder.add(try contents(of: id))
      } catch {
        problems.append(error)
        if error.hidesContent { unreadPack = error }
      }
    }
    let unread = unreadPack
    let isEmpty = builder.packs.isEmpty
    if !isEmpty { builder.sort() }
    state.withLock { state in
      if !isEmpty { Index.adopt(IndexTable(builder), into: &state) }
      if state.listing?.modified != modified { state.isRecovered = false }
      // What could not be read is tried again with the next question.
      state.listing = unread == nil ? listing : nil
      state.unreadPack = unread
      state.problems = problems
    }
    return true
  }

  /// Reads all packs again, and goes by what they say: the rows of a table have no checksum, and one of them has led
  /// nowhere. False when that was done before.
  func recover() throws(StoreError) -> Bool {
    let packs = try presentPacks().sorted()
    let isFirst = state.withLock { state in
      defer { state.isRecovered = true }
      return !state.isRecovered
    }
    guard isFirst else { return false }
    var builder = IndexTableBuilder()
    var unread: StoreError?
    var isWhole = true
    for id in packs {
      do throws(StoreError) {
        builder.add(try contents(of: id))
      } catch {
        // Of a pack that cannot be read, the old rows are all there is: no table is replaced.
        isWhole = false
        if error.hidesContent { unread = error }
      }
    }
    builder.sort()
    let name = isWhole ? write(builder, replacing: tablesToReplace()) : nil
    let table = IndexTable(builder, fileName: name)
    let unreadPack = unread
    state.withLock { state in
      state.unreadPack = unreadPack
      if isWhole {
        state.leave(state.tables.map(\.firstPack))
        state.tables = []
      }
      Index.adopt(table, into: &state)
    }
    return true
  }

  /// The tables that a new one takes the place of. When they cannot be listed they stay: a table that is not needed is
  /// merged or removed later.
  private func tablesToReplace() -> [[UInt8]] {
    (try? Index.tableNames(folder)) ?? []
  }

  /// The names of all packs that are there now.
  package func presentPacks() throws(StoreError) -> [ObjectID] {
    try listPacks().withNames { names in (0..<names.count).compactMap { PackFormat.id(fromFileName: names[$0]) } }
  }

  private func listPacks() throws(StoreError) -> DirectoryListing {
    try onFile("read", "packs") { () throws(Errno) in
      try DirectoryListing(reading: try folder.root.open(StoreFolder.packsName, .directory))
    }
  }

  /// The packs that are there in their full size, as far as they are known. A save asks for all of them. One that cannot be
  /// looked at is left out: what it holds is stored once more.
  package func intactPacks() throws(StoreError) -> Set<ObjectID> {
    let listing = try listPacks()
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
    let file = try openingPart("packs/\(id.short)….pack") { () throws(Errno) in
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
        state.listing = IndexState.Listing(modified: modified, isSettled: false)
      }
    }
    var builder = IndexTableBuilder()
    for pack in packs { builder.add(pack) }
    var total = packs.reduce(0) { $0 + $1.contents.blobs.count }
    let (tables, goneIDs) = state.withLock { state in (state.tables, Set(state.gone.map { state.pack($0).id })) }
    var merged: [IndexState.Numbered] = []
    for numbered in tables.sorted(by: { $0.table.count < $1.table.count }) {
      // Each table is at least four times as large as all smaller ones: a row is rewritten a logarithmic number of times.
      let mustGo = numbered.table.fileName == nil || numbered.table.packs.contains { goneIDs.contains($0.id) }
      guard mustGo || numbered.table.count <= total * 4 else { continue }
      var attempt = builder
      // A table that cannot be read stays as it is.
      guard (try? attempt.add(numbered.table, keeping: { !goneIDs.contains($0) })) != nil else { continue }
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
    for id in try presentPacks().sorted() { builder.add(try contents(of: id)) }
    builder.sort()
    let name = write(builder, replacing: tablesToReplace())
    let table = IndexTable(builder, fileName: name)
    let listing = packsModified().map { IndexState.Listing(modified: $0, isSettled: false) }
    state.withLock { state in
      // Somebody may read by the old numbers at this moment.
      state.leave(state.tables.map(\.firstPack))
      state.tables = []
      Index.adopt(table, into: &state)
      state.gone = []
      state.listing = listing
      state.isRecovered = false
      state.intact = []
      state.unreadPack = nil
      state.problems = []
    }
  }

  /// Returns the name of the new table; nil when it could not be written, which costs the next run some reading. A file that
  /// is left in tmp/ is swept later, and an old table that stays tells nothing wrong.
  private func write(_ builder: IndexTableBuilder, replacing old: [[UInt8]]) -> [UInt8]? {
    var hasher = ContentHasher()
    for pack in builder.packs.sorted(by: { $0.id < $1.id }) { hasher.update(Array("\(pack.id)".utf8)) }
    let name = Array(hasher.finish().description.utf8.prefix(32))
    do throws(Errno) {
      let file = try folder.makeTemporary("index")
      try file.write(IndexTable.header(builder))
      try file.write(builder.entryBytes)
      try file.place(as: name, in: folder.index, durable: false)
    } catch {
      return nil
    }
    for table in old where table != name { try? folder.index.removeFile(table) }
    return name
  }
}
