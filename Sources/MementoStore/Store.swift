// The store as a whole: opened once, handed to everything above. Bytes in, bytes out; it knows nothing of folders.

package import MementoSystem

package final class Store: Sendable {
  package let folder: StoreFolder
  /// Where the packs are.
  package let packs: any PackStorage
  package let config: Config
  package let index: Index
  package let refs: RefsFile
  package let locks: StoreLocks
  /// What was missing of the store and was put back when it was opened for a repair.
  package let mended: [MendedPart]
  /// The bytes of `config`, when all that the store reads of it is understood.
  private let goodConfig: [UInt8]?
  private let files: PackFiles
  private let metaBlocks = MetaBlocks()

  /// Opens the store in a directory; refuses, with nothing written, what a newer version made.
  /// `clock`: another one than the machine's, for tests. `storages`: where packs and refs are, when not in this directory;
  /// what is derived from them, and the locks, are here all the same.
  package init(
    opening root: consuming Descriptor, durable: Bool = true, mended: [MendedPart] = [],
    clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem,
    storages: (packs: any PackStorage, refs: any RefsStorage)? = nil
  ) throws(StoreError) {
    let bytes = try Store.configBytes(in: root)
    config = try Config(bytes)
    goodConfig = config.faults.isEmpty ? bytes : nil
    self.mended = mended
    folder = try StoreFolder(adopting: root, durable: durable)
    let packs: any PackStorage = storages?.packs ?? LocalPacks(folder)
    self.packs = packs
    index = Index(folder, packs)
    refs = RefsFile(folder, storages?.refs ?? LocalRefs(folder), packs, clock: clock)
    files = PackFiles(packs)
    locks = StoreLocks(folder, config)
  }

  /// What is in `config`.
  static func configBytes(in root: borrowing Descriptor) throws(StoreError) -> [UInt8] {
    let bytes = try openingPart("config") { () throws(Errno) in
      do throws(Errno) {
        guard let bytes = try root.contents(of: StoreFolder.configName, limit: 1 << 20) else { throw .notFound }
        return bytes
      } catch {
        // It is longer than any config.
        throw error == .rangeError ? .invalid : error
      }
    }
    return bytes
  }

  /// Brings the second copy of `config` up to date: it may have been edited by hand, and older stores have none. For
  /// commands that change something, after their commit. The caller has found no fault in the lines that are not of storage.
  package func backUpConfig() {
    guard let goodConfig else { return }
    StoreBackup(folder).keep(config: locks.upgradedConfig ?? goodConfig)
  }

  /// Makes an empty store in an empty directory. `config` comes last: a directory without it is not a store.
  /// The store is durable when this returns; `durable` is for what is done with it then. `lock`: keeps out others who make it
  /// at the same time.
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
    // Only now: whoever waits for `lock` to make the store finds it made.
    try OldLock.replace(in: folder.root)
    let again = try onFile("open", ".") { () throws(Errno) in try folder.root.duplicate() }
    let store = try Store(opening: again, durable: durable, clock: clock)
    // After `config`: a backup without it says that a store was there.
    store.backUpConfig()
    return store
  }

  // MARK: Reading

  /// The bytes of a small blob: a tree, a list, a snapshot. The blocks around it are kept for a while, since its
  /// neighbours come next.
  package func read(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    guard let place = try index.place(of: id) else { return try blobReader().readOnce(id) }
    let key = MetaBlocks.Key(pack: index.packID(place.pack), offset: place.block.offset)
    let block: [UInt8]
    if let known = metaBlocks.block(key) {
      block = known
    } else {
      do throws(StoreError) {
        var reader = blobReader()
        block = try reader.block(at: place)
      } catch {
        return try blobReader().readOnce(id)
      }
      metaBlocks.insert(key, block)
    }
    let end = Int(place.offset) + Int(place.length)
    if end <= block.count {
      let bytes = Array(block[Int(place.offset)..<end])
      if ObjectID(hashing: bytes) == id { return bytes }
    }
    return try blobReader().readOnce(id)
  }

  /// The bytes of many small blobs, in the order of `ids`. They are read in the order in which they lie, so that no pack
  /// is opened and no block unpacked twice.
  package func read(_ ids: [ObjectID]) throws(StoreError) -> [[UInt8]] {
    let places = try ids.map { (id) throws(StoreError) in try index.place(of: id) }
    // The last blob of a block first, so that the block is unpacked as far as it is needed at once.
    let order = ids.indices.sorted { left, right in
      guard let left = places[left], let right = places[right] else { return places[left] != nil }
      return (left.pack, left.block.offset, right.offset) < (right.pack, right.block.offset, left.offset)
    }
    var reader = blobReader()
    var result = [[UInt8]](repeating: [], count: ids.count)
    for number in order {
      let id = ids[number]
      do throws(StoreError) {
        guard let place = places[number] else { throw .missing(id) }
        let end = Int(place.offset) + Int(place.length)
        result[number] = try reader.withBlob(id, at: place, end: end) { Array($0) }.get()
      } catch {
        result[number] = try reader.read(id)
      }
    }
    return result
  }

  /// A reader for one worker.
  package func blobReader() -> BlobReader {
    BlobReader(index: index, files: files)
  }

  // MARK: Writing

  /// Begins to write packs; nothing is visible before the writer's `finish`.
  /// `ignoring`: packs that are about to go, so what only they hold counts as new.
  package func packWriter(ignoring leaving: Set<ObjectID> = []) throws(StoreError) -> PackWriter {
    try index.prepareForWriting()
    return PackWriter(folder: folder, storage: packs, index: index, ignoring: leaving)
  }

  /// A place to gather blobs of one kind, for one worker.
  package func blockWriter(_ writer: PackWriter, _ kind: BlockKind) -> BlockWriter {
    switch kind {
    case .data:
      BlockWriter(
        writer, .data, compression: config.compression, target: config.dataBlock,
        largestBlob: config.chunkSizes.maximum)
    case .meta:
      BlockWriter(
        writer, .meta, compression: config.compression, target: config.metaBlock,
        largestBlob: config.metaBlock * 4)
    }
  }

  /// Packs are opened anew when they are read next.
  func closePacks() {
    files.close()
  }
}
