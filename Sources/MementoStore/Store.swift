// The store as a whole. It is opened once and passed to the layers above. It takes and returns bytes, and knows nothing
// of the files of users.

package import MementoSystem
internal import Synchronization

/// An open store.
package final class Store: Sendable {
  package let folder: StoreFolder
  /// Where the packs are.
  package let packs: any PackStorage
  package let config: Config
  package let index: Index
  package let refs: RefsFile
  package let locks: StoreLocks
  private let clock: @Sendable () -> ClockReading
  /// The parts that were restored when the store was opened for a repair.
  package let mended: [MendedPart]
  /// The bytes of `config`. Nil when a part of it is not understood.
  private let goodConfig: [UInt8]?
  /// The files that were damaged and that this process could read all the same.
  package let healed: HealedFiles
  /// When `config` was modified, if it was read as it is.
  private let configModified: Timestamp?
  private let files: PackFiles
  private let metaBlocks = MetaBlocks()
  /// Unpacks the blocks of small blobs, for one thread at a time: a reader of its own for each would take longer to make than
  /// to use. Nil until it is needed.
  private let metaReaders = (0..<MetaReader.most).map { _ in MetaReader() }

  /// Opens the store in a directory. Throws `.newerFormat`, with nothing written, when a newer version made it, and
  /// `.damaged` when `config` or `packs` is missing or not valid.
  ///
  /// `durable`: false with `--no-sync`. `clock`: a clock of a test in place of that of the machine. `storages`: where
  /// packs and refs are, if not in this directory; the index, the cache and the locks are in this directory anyway.
  /// `fork`: the fork that is worked in; nil for the main folder.
  package init(
    opening root: consuming Descriptor, durable: Bool = true, mended: [MendedPart] = [],
    clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem,
    storages: (packs: any PackStorage, refs: any RefsStorage)? = nil, fork: ForkID? = nil
  ) throws(StoreError) {
    healed = HealedFiles()
    let (bytes, modified) = try Store.healedConfig(in: root)
    if modified == nil { healed.add(.config) }
    configModified = modified
    self.clock = clock
    config = try Config(bytes)
    goodConfig = config.faults.isEmpty ? bytes : nil
    self.mended = mended
    folder = try StoreFolder(adopting: root, durable: durable)
    let packs: any PackStorage = storages?.packs ?? LocalPacks(folder)
    self.packs = packs
    index = Index(folder, packs, healed)
    refs = RefsFile(folder, storages?.refs ?? LocalRefs(folder), packs, clock: clock, healed: healed, fork: fork)
    files = PackFiles(packs, healed)
    locks = StoreLocks(folder, config, fork: fork)
  }

  /// The bytes of `config` and when it was modified. If it has rotted, the bytes of its second copy, and no time.
  static func healedConfig(
    in root: borrowing Descriptor
  ) throws(StoreError) -> (bytes: [UInt8], modified: Timestamp?) {
    var found: Result<[UInt8], StoreError>
    var modified = Timestamp.distantPast
    do throws(StoreError) {
      // The time first: if somebody edits the file meanwhile, the copy gets a time that is too old, and is not used.
      modified = try openingPart("config") { () throws(Errno) in try root.status(of: StoreFolder.configName).modified }
      found = .success(try configBytes(in: root))
    } catch {
      found = .failure(error)
    }
    // What cannot be read is compared with nothing.
    if let copy = StoreBackup.beforeRot(StoreFolder.configName, in: root, now: try? found.get()) { return (copy, nil) }
    return (try found.get(), modified)
  }

  /// The bytes of `config`. Throws `.damaged` when it is missing, is not a file, or is longer than any config.
  static func configBytes(in root: borrowing Descriptor) throws(StoreError) -> [UInt8] {
    let bytes = try openingPart("config") { () throws(Errno) in
      do throws(Errno) {
        guard let bytes = try root.contents(of: StoreFolder.configName, limit: 1 << 20) else { throw .notFound }
        return bytes
      } catch {
        // The file is longer than any config.
        throw error == .rangeError ? .invalid : error
      }
    }
    return bytes
  }

  /// Updates the second copy of `config`, since a user may have edited `config`, and older stores have no copy. For
  /// commands that change something, after their commit.
  package func backUpConfig() {
    guard let goodConfig else { return }
    // An error does not matter: the command has succeeded, and the next one tries again.
    let upgraded = locks.upgradedConfig
    StoreBackup(folder).keep(
      upgraded ?? goodConfig, of: StoreFolder.configName, modified: upgraded == nil ? configModified : nil)
  }

  /// Makes an empty store in an empty directory. `config` is written last, since a directory without it is not a store.
  /// The store is durable when this returns; `durable` applies to what is done with the store later. If other processes
  /// may make the same store, the caller holds a `MakingLock`.
  package static func create(
    in root: consuming Descriptor, _ config: Config, durable: Bool = true,
    clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem, holding lock: borrowing MakingLock
  ) throws(StoreError) -> Store {
    try make(in: root, config, durable: durable, clock: clock)
  }

  /// The same in a folder that this process has made, and that nobody else knows.
  package static func create(inOwn root: consuming Descriptor, _ config: Config) throws(StoreError) -> Store {
    try make(in: root, config, durable: true, clock: ClockReading.ofSystem)
  }

  private static func make(
    in root: consuming Descriptor, _ config: Config, durable: Bool,
    clock: @escaping @Sendable () -> ClockReading
  ) throws(StoreError) -> Store {
    let gitignore = Array(
      "# A memento store: it is not part of what git keeps.\n*\n".utf8)
    try onFile("create", ".") { () throws(Errno) in try StoreFolder.make(in: root) }
    let folder = try StoreFolder(adopting: root)
    try onFile("create", ".") { () throws(Errno) in
      let file = try folder.makeTemporary("gitignore")
      try file.write(gitignore)
      try file.place(as: Array(".gitignore".utf8), in: folder.root, durable: false)
    }
    try RefsFile(folder).create()
    try onFile("create", "config") { () throws(Errno) in
      let file = try folder.makeTemporary("config")
      try file.write(config.encoded())
      try file.place(as: StoreFolder.configName, in: folder.root, durable: true)
    }
    // Retire the old lock only now: a process that waits for `lock` to make the store then finds it made.
    try OldLock.replace(in: folder.root)
    let again = try onFile("open", ".") { () throws(Errno) in try folder.root.duplicate() }
    let store = try Store(opening: again, durable: durable, clock: clock)
    // After `config`: a `backup/` without `config` is the sign of a store that was lost.
    store.backUpConfig()
    return store
  }

  /// The time of day.
  package var now: Timestamp { clock().wall }

  // MARK: Reading

  /// The bytes of a small blob: a tree, a list or a snapshot. Its block is cached, since its neighbours are usually
  /// read next. Throws `.missing`, or the error of the last copy that could not be read.
  package func read(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    guard let place = try index.place(of: id) else { return try blobReader().readOnce(id) }
    let key = MetaBlocks.Key(pack: index.packID(place.pack), offset: place.block.offset)
    let block: [UInt8]
    if let known = metaBlocks.block(key) {
      block = known
    } else {
      do throws(StoreError) {
        block = try metaBlock(at: place)
      } catch {
        return try readAnew(id, key.pack)
      }
      metaBlocks.insert(key, block)
    }
    let end = Int(place.offset) + Int(place.length)
    if end <= block.count {
      let bytes = Array(block[Int(place.offset)..<end])
      if ObjectID(hashing: bytes) == id { return bytes }
    }
    return try readAnew(id, key.pack)
  }

  /// Reads a blob once more. What is kept of the pack is not used: it may be wrong.
  private func readAnew(_ id: ObjectID, _ pack: ObjectID) throws(StoreError) -> [UInt8] {
    files.kept?.forget(pack)
    return try blobReader().readOnce(id)
  }

  private func metaBlock(at place: Location) throws(StoreError) -> [UInt8] {
    for shared in metaReaders {
      let result = shared.reader.withLockIfAvailable { reader -> Result<[UInt8], StoreError> in
        var taken = reader.take() ?? blobReader()
        let result: Result<[UInt8], StoreError>
        do throws(StoreError) {
          result = .success(try taken.block(at: place, reusing: metaBlocks.takeSpare()))
        } catch {
          result = .failure(error)
        }
        reader = consume taken
        return result
      }
      if let result { return try result.get() }
    }
    var reader = blobReader()
    return try reader.block(at: place, reusing: metaBlocks.takeSpare())
  }

  /// The bytes of many small blobs, in the order of `ids`. They are read in the order of their places, so no pack is
  /// opened and no block unpacked twice. Throws when one of them cannot be read.
  package func read(_ ids: [ObjectID]) throws(StoreError) -> [[UInt8]] {
    let found = ParallelRows.map(ids.count, rowsOf: Store.row) { row in
      row.map { number in Result { () throws(StoreError) in try index.place(of: ids[number]) } }
    }
    let places = try found.map { (place) throws(StoreError) in try place.get() }
    // The last blob of a block comes first, so that the block is at once unpacked as far as needed.
    let order = ids.indices.sorted { left, right in
      guard let left = places[left], let right = places[right] else { return places[left] != nil }
      return (left.pack, left.block.offset, right.offset) < (right.pack, right.block.offset, left.offset)
    }
    let blobs = ParallelRows.map(order.count, rowsOf: Store.row) { row in
      var reader = blobReader()
      return row.map { place in
        let number = order[place]
        return Result { () throws(StoreError) in try read(ids[number], at: places[number], &reader) }
      }
    }
    var result = [[UInt8]](repeating: [], count: ids.count)
    for (number, bytes) in zip(order, blobs) { result[number] = try bytes.get() }
    return result
  }

  /// So many blobs are read by one core at a time. Where a row ends inside of a block, two cores unpack that.
  private static let row = 2000

  private func read(
    _ id: ObjectID, at place: Location?, _ reader: inout BlobReader
  ) throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      guard let place else { throw .missing(id) }
      let end = Int(place.offset) + Int(place.length)
      return try reader.withBlob(id, at: place, end: end) { Array($0) }.get()
    } catch {
      return try reader.read(id)
    }
  }

  /// A reader for one worker.
  package func blobReader() -> BlobReader {
    BlobReader(index: index, files: files)
  }

  /// Stored bytes of a pack, which the caller checks: `count` of them, or fewer where the pack ends. `pack`: the number
  /// that the index gives it. Also returns what they were read from.
  func storedBytes(
    of pack: UInt32, at offset: UInt64, count: Int
  ) throws(StoreError) -> (bytes: [UInt8], reader: PackReader) {
    let id = index.packID(pack)
    let reader = try files.file(id)
    do throws(Errno) {
      return (try reader.bytes(at: offset, count: count), reader)
    } catch {
      throw .system(operation: "read", path: "packs/\(id.short)….pack", error)
    }
  }

  // MARK: Writing

  /// Returns a writer of packs. `ignoring`: packs that are going to be removed; blobs that only they hold count as new.
  /// `checkpoint`: the size in bytes at which a pack becomes visible before the end, so that work that is killed is not
  /// lost; with nil nothing is visible before `finish`. Throws when the packs cannot be listed.
  package func packWriter(
    ignoring leaving: Set<ObjectID> = [], checkpoint: UInt64? = nil
  ) throws(StoreError) -> PackWriter {
    try index.prepareForWriting()
    return PackWriter(
      folder: folder, storage: packs, index: index, parity: config.parity, ignoring: leaving, checkpoint: checkpoint)
  }

  /// Returns a writer of blocks of one kind, for one worker. `arrangement`: what is noted in the blocks.
  package func blockWriter(
    _ writer: PackWriter, _ kind: BlockKind, _ arrangement: Arrangement = .walk
  ) -> BlockWriter {
    let compression = arrangement == .walk ? config.compression : config.compression.anew
    switch kind {
    case .data:
      return BlockWriter(
        writer, .data, arrangement, compression: compression, target: config.dataBlock,
        largestBlob: config.chunkSizes.maximum)
    case .meta:
      return BlockWriter(
        writer, .meta, arrangement, compression: compression, target: config.metaBlock,
        largestBlob: config.metaBlock * 4)
    }
  }

  /// Returns a writer of trees, lists and records that are copied from other packs, for one worker.
  func metaBlockWriter(_ writer: PackWriter, _ arrangement: Arrangement = .walk) -> MetaBlockWriter {
    MetaBlockWriter(
      trees: blockWriter(writer, .meta, arrangement), records: blockWriter(writer, .meta, arrangement))
  }

  /// Closes all packs. The next read of a pack opens it again.
  func closePacks() {
    files.close()
  }
}
