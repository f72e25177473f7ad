// An index as large as that of a remote with many terabytes: `memento-bench index FOLDER BLOBS`. The tables of contents of
// packs that do not exist are taken over as a fetch takes them over, then blobs are looked up. It prints times, the size on
// the disk and the peak of memory.

import MementoStore
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Packs of 64 MiB with chunks of 64 KiB in blocks of a megabyte.
struct IndexScale {
  private static let blobsOfBlock = 16
  private static let blocksOfPack = 64
  private static let blobsOfPack = blobsOfBlock * blocksOfPack
  /// So many packs are taken over at once: the index of a push of 6 GiB.
  private static let packsAtOnce = 100

  let folder: String
  let blobs: Int

  /// The id of a blob: numbers that look random, always the same.
  private static func id(_ number: Int) -> (UInt64, UInt64, UInt64, UInt64) {
    func mix(_ value: UInt64) -> UInt64 {
      var z = value &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678_9abc_def1
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
    let first = mix(UInt64(bitPattern: Int64(number)))
    return (first, mix(first), mix(first &+ 1), mix(first &+ 2))
  }

  private static func bytes(of number: Int) -> [UInt8] {
    withUnsafeBytes(of: id(number)) { Array($0) }
  }

  /// The table of contents of a pack; see docs/format.md, "packs".
  private static func table(of pack: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + blocksOfPack * 24 + blobsOfPack * 36)
    func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    let raw = UInt32(blobsOfBlock) * 65_536
    append(UInt32(blocksOfPack))
    for block in 0..<blocksOfPack {
      bytes += [BlockKind.data.rawValue, Codec.stored.rawValue, 0, 0]
      append(raw)
      append(raw)
      append(UInt32(blobsOfBlock))
      append(UInt64(PackFormat.header.count) + UInt64(block) * UInt64(raw))
    }
    for blob in 0..<blobsOfPack {
      bytes += IndexScale.bytes(of: pack * blobsOfPack + blob)
      append(UInt32(65_536))
    }
    return bytes
  }

  private static let packSize =
    UInt64(PackFormat.header.count) + UInt64(blobsOfPack) * 65_536
    + UInt64(4 + blocksOfPack * 24 + blobsOfPack * 36 + PackFormat.footerSize)

  func run() throws {
    guard mkdir(folder, 0o700) == 0 else { fatalError("cannot make \(folder)") }
    _ = try Store.create(inOwn: opened(), Config())
    let store = try Store(opening: opened(), durable: false, storages: (NoPacks(), NoRefs()))
    let packs = (blobs + IndexScale.blobsOfPack - 1) / IndexScale.blobsOfPack
    var start = Clock.monotonicSeconds()
    for first in stride(from: 0, to: packs, by: IndexScale.packsAtOnce) {
      let tables = (first..<min(first + IndexScale.packsAtOnce, packs)).map { number in
        let table = IndexScale.table(of: number)
        return (id: table.withUnsafeBytes { ObjectID(hashing: $0) }, size: IndexScale.packSize, table: table)
      }
      try store.index.takeOver(tables)
    }
    report("index: build, blobs", Double(packs * IndexScale.blobsOfPack), "")
    report("index: build", Clock.monotonicSeconds() - start, "s")
    report("index: peak memory after that", IndexScale.peak(), "MiB")
    let index = try Store(opening: opened(), durable: false, storages: (NoPacks(), NoRefs())).index
    start = Clock.monotonicSeconds()
    let lookups = 20_000
    for number in 0..<lookups {
      let wanted = number * (packs * IndexScale.blobsOfPack / lookups)
      let found = try index.knownPlaces(of: IndexScale.objectID(wanted))
      precondition(found.count == 1 && found[0].length == 65_536, "a blob is not where it was put")
      let missing = try index.knownPlaces(of: IndexScale.objectID(-1 - number))
      precondition(missing.isEmpty, "a blob that nobody put is there")
    }
    report("index: look up", (Clock.monotonicSeconds() - start) / Double(2 * lookups) * 1e6, "microseconds")
    report("index: peak memory", IndexScale.peak(), "MiB")
  }

  private func opened() throws(Errno) -> Descriptor {
    try Descriptor.open(Array(folder.utf8), .namedDirectory)
  }

  private static func objectID(_ number: Int) -> ObjectID {
    bytes(of: number).withUnsafeBytes { ObjectID(loading: $0.baseAddress!) }
  }

  /// The peak of resident memory in MiB.
  private static func peak() -> Double {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return Double(usage.ru_maxrss) / 1_048_576
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Double(usage.ru_maxrss) / 1024
    #endif
  }
}

/// Nothing is read of packs here.
private struct NoPacks: PackStorage {
  private static let none = StoreError.damaged(file: "packs", reason: "there are none")

  func modified() -> Timestamp? { nil }
  func list(withSizes: Bool) throws(StoreError) -> [ListedPack] { throw NoPacks.none }
  func size(of pack: ObjectID) throws(StoreError) -> UInt64 { throw NoPacks.none }
  func open(_ pack: ObjectID) throws(StoreError) -> PackReader { throw NoPacks.none }
  func put(_ file: consuming TemporaryFile, as id: ObjectID, isFlushed: Bool) throws(StoreError) { throw NoPacks.none }
  func remove(_ packs: [ObjectID]) throws(StoreError) { throw NoPacks.none }
  func setAside(_ packs: [ObjectID]) throws(StoreError) { throw NoPacks.none }
  func flush() throws(StoreError) {}
}

private struct NoRefs: RefsStorage {
  func read(ifOtherThan known: RefsVersion?) throws(StoreError) -> StoredRefs? { nil }

  func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion? { nil }
}
