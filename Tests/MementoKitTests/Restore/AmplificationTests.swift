// Small stores that stand for very much data: names that repeat each other, shared lists and trees, and files with
// holes. The work and the memory must grow with what is stored, not with what it stands for.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

/// Counts how often an operation asks whether it is cancelled, which it does for each blob that it reads. Cancels it
/// after `limit` questions.
private final class CountingMonitor: Monitor {
  let polls = Atomic<Int>(0)
  private let limit: Int

  init(stopAfter limit: Int = .max) {
    self.limit = limit
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}
  var isCancelled: Bool { polls.add(1, ordering: .relaxed).newValue > limit }
}

/// Blobs in memory. Counts the reads.
private final class CountingSource: BlobSource {
  private let blobs: [ObjectID: [UInt8]]
  let reads = Atomic<Int>(0)

  init(_ blobs: [ObjectID: [UInt8]]) {
    self.blobs = blobs
  }

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    reads.add(1, ordering: .relaxed)
    guard let bytes = blobs[id] else { throw .missing(id) }
    return bytes
  }
}

/// The stores are made so that they are small on disk.
struct AmplificationTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.write("mine".bytes, "mine".bytes)
    try shop.save("mine")
  }

  static func list(_ pieces: [(length: UInt64, id: ObjectID?)], level: UInt8) -> [UInt8] {
    var out = ByteWriter()
    out.u8(ChunkListFormat.tag)
    out.u8(level)
    out.varint(UInt64(pieces.count))
    for piece in pieces {
      out.varint(piece.length << 1 | (piece.id == nil ? 1 : 0))
      if let id = piece.id { out.id(id) }
    }
    return out.bytes
  }

  /// Plants a file of 3.6 exabytes in eleven lists.
  private func plantLists() throws {
    let chunk = Content.random(100, seed: 1)
    var content = FileContent(level: 1, id: try shop.plant(data: [chunk])[0])
    var size = UInt64(chunk.count)
    for level in UInt8(2)...12 {
      let pieces = [(length: UInt64, id: ObjectID?)](repeating: (size, content.id), count: 32)
      content = FileContent(level: level, id: try shop.plant(meta: [AmplificationTests.list(pieces, level: level)])[0])
      size *= 32
    }
    let file = TreeEntry(name: "huge".bytes, metadata: .sample, content: .file(size: size, content))
    try shop.plant(tree: try shop.plant(meta: [RepositoryFixture.tree([file.encoded])])[0], as: "lists")
  }

  /// Plants 2^41 folders in 40 trees.
  private func plantTrees() throws {
    var tree = try shop.plant(meta: [RepositoryFixture.tree([TreeEntry.file("file", []).encoded])])[0]
    for _ in 0..<40 {
      tree = try shop.plant(
        meta: [RepositoryFixture.tree([TreeEntry.folder("a", tree).encoded, TreeEntry.folder("b", tree).encoded])])[0]
    }
    try shop.plant(tree: tree, as: "trees")
  }

  /// Plants names of 3.6 GB in a table of a few kilobytes.
  private func plantNames() throws {
    let part = [UInt8](repeating: UInt8(ascii: "a"), count: 200)
    let count = 6000
    var table = ByteWriter()
    table.u8(LinkTable.tag)
    table.varint(1)
    table.varint(UInt64(count))
    for number in 0..<count {
      table.varint(UInt64(max(number * 201 - 1, 0)))
      table.varint(UInt64(number == 0 ? 200 : 201))
      if number > 0 { table.u8(UInt8(ascii: "/")) }
      table.append(part)
    }
    let packs = try shop.repository.store.packWriter()
    let writer = ObjectWriter(.packs(packs), store: shop.repository.store)
    let links = try writer.storeContent(table.bytes, chunker: Chunker(sizes: shop.repository.store.config.chunkSizes))
    try writer.flush()
    try packs.finish()
    let tree = try #require(try shop.tree("mine"))
    try shop.plant(tree: tree, as: "names") { $0.links = links }
  }

  /// Plants a pack whose table of contents is a hole.
  private func plantHole() throws {
    let blobs: UInt64 = 40_000_000
    let id = ObjectID(hashing: "hole".bytes)
    let file = try Descriptor.open(shop.storeFolder.absolute("packs/\(id).pack".bytes), .create)
    try file.write(PackFormat.header)
    var table = ByteWriter()
    table.u32(1)
    for number in [0, 0, 0, UInt32(blobs)] { table.u32(number) }
    table.u64(16)
    try file.write(table.bytes, at: 16)
    let length = 28 + blobs * 36
    var footer = ByteWriter()
    footer.u64(16)
    footer.u64(length)
    footer.id(id)
    footer.append(PackFormat.footerMagic)
    try file.write(footer.bytes, at: 16 + length)
  }

  /// Plants an index table whose header is a hole, and one whose rows are a hole.
  private func plantHoleInIndex() throws {
    for (packs, rows) in [(UInt32(20_000_000), UInt32(0)), (1, 50_000_000)] {
      var header = ByteWriter()
      header.append("memento index 1\n".bytes)
      for number in [packs, 0, rows, 0] { header.u32(number) }
      if rows > 0 {
        header.id(ObjectID(hashing: "gone".bytes))
        header.u64(1)
        header.u32(rows)
        header.u32(crc32(header.bytes))
      }
      let size = UInt64(32) + UInt64(packs) * 40 + 8 + UInt64(rows) * 44
      let file = try Descriptor.open(shop.storeFolder.absolute("index/\(packs)".bytes), .create)
      try file.write(header.bytes)
      try file.truncate(to: size)
    }
  }

  // MARK: Counted

  @Test func eachListAndTreeIsReadOnce() throws {
    try plantLists()
    try plantTrees()
    let monitor = CountingMonitor()
    #expect(try shop.reopened().verify(monitor: monitor).damage == [])
    // There are 41 trees, 11 lists, the blobs of "mine", and a pack for each planted blob.
    #expect(monitor.polls.load(ordering: .relaxed) < 200)
    let collecting = CountingMonitor()
    _ = try shop.reopened().collectGarbage(isDryRun: true, monitor: collecting)
    #expect(collecting.polls.load(ordering: .relaxed) < 400)
    let tree = try #require(try shop.tree("trees"))
    var totals = TreeTotals(shop.repository.store)
    #expect(try totals.total(of: tree).folders == (1 << 41) - 2)
    #expect(try totals.total(of: tree).files == 1 << 40)
  }

  /// Every operation on a store can be cancelled.
  @Test func whoeverWorksCanBeStopped() throws {
    try plantLists()
    try plantTrees()
    let before = try shop.state
    for polls in [0, 1, 5, 20] {
      func stops<Result>(_ body: (CountingMonitor) throws -> Result) {
        #expect(code { try body(CountingMonitor(stopAfter: polls)) } == .cancelled)
      }
      stops { try shop.repository.verify(monitor: $0) }
      stops { try shop.repository.verify(readData: true, monitor: $0) }
      stops { try shop.repository.collectGarbage(monitor: $0) }
      stops { monitor in
        var options = DiffOptions()
        options.from = "mine"
        options.to = "trees"
        return try shop.repository.diff(options, monitor: monitor)
      }
      stops { try shop.repository.restore("trees", monitor: $0) }
      let place = BytePath(shop.directory.path.bytes + "/x\(polls)".bytes)
      stops { try shop.repository.restore("trees", to: place, monitor: $0) }
    }
    #expect(try shop.state.touched(since: before) == [])
  }

  /// Damage in a file that has more paths than can be listed is still reported for its state.
  @Test func pathsWithoutEndAreNotListed() throws {
    var tree = try shop.plant(meta: [RepositoryFixture.tree([TreeEntry.file("lost", "lost".bytes).encoded])])[0]
    for _ in 0..<40 {
      tree = try shop.plant(
        meta: [RepositoryFixture.tree([TreeEntry.folder("a", tree).encoded, TreeEntry.folder("b", tree).encoded])])[0]
    }
    try shop.plant(tree: tree, as: "trees")
    let check = SnapshotCheck(shop.repository.store, monitor: SilentMonitor()) { _, _ in .missing }
    var walker = check
    let outcome = try walker.check(try shop.repository.snapshot("trees").id.object)
    let root = try #require(outcome.tree)
    let findings = DamagedPaths(walker.hurt, limits: DamagedPaths.Limits(paths: 1000, bytes: 1 << 16, meetings: 2000))
      .findings([(root: 0, tree: root), (root: 1, tree: root)])
    #expect(findings.count <= 1001)
    #expect(findings.allSatisfy { $0.roots == [0, 1] })
    #expect(findings.last?.path == nil)
  }

  // MARK: Under a limit

  /// Each command gets 800 MB of address space, and less time than a hang would take.
  @Test(.enabled(if: Machine.hasProgram, "there is no program: run `swift build`"))
  func littleMemoryIsEnough() throws {
    try plantLists()
    try plantTrees()
    try plantNames()
    try plantHoleInIndex()
    let stored = try Launch(["du", "-s", "-B1", "\(shop.directory.path)/work/.memento"]).output
    try #require(Int(stored.prefix { $0.isNumber }) ?? .max < 2_000_000, "\(stored)")
    func run(_ words: String...) throws -> Launch {
      let script = "ulimit -v 800000; exec \"$0\" \"$@\""
      return try Launch(
        ["bash", "-c", script, Machine.program] + words, in: "\(shop.directory.path)/work")
    }
    #expect(try run("list").status == 0)
    for words in [["verify"], ["verify", "--read-data"]] {
      let verify = try run(words[0], words.count > 1 ? words[1] : "-v")
      #expect(verify.status == 13, "\(words) \(verify.errors)")
      #expect(verify.output.contains("in the state names"), "\(verify.output.prefix(1000))")
      #expect(!verify.output.contains("in the state lists") && !verify.output.contains("in the state trees"))
    }
    let copy = "\(shop.directory.path)/copy"
    let lists = try run("restore", "lists", "--to", "\(copy) 1")
    #expect(lists.status == 1 && lists.errors.contains("the file system has"), "\(lists.errors)")
    let trees = try run("restore", "trees", "--to", "\(copy) 2")
    #expect(trees.status == 1 && trees.errors.contains("more than the file system can hold"), "\(trees.errors)")
    // Names that no tree has are ignored.
    #expect(try run("restore", "names", "--to", "\(copy) 3").status == 0)
    for words in [["restore", "lists"], ["restore", "trees"], ["restore", "names"], ["diff", "mine", "trees"]] {
      let refused = words.count == 2 ? try run(words[0], words[1]) : try run(words[0], words[1], words[2])
      #expect([1, 13].contains(refused.status), "\(words): \(refused.status) \(refused.errors)")
      #expect(refused.errors.hasPrefix("memento: "), "\(refused.errors)")
    }
    #expect(try run("gc", "-n").status == 0)
    let another = try run("save", "another", "-q")
    #expect(another.status == 0, "\(another.errors)")
    try plantHole()
    let hole = try run("verify")
    #expect(hole.status == 13 && hole.output.contains("a blob without an id"), "\(hole.output) \(hole.errors)")
    #expect(try run("gc").status == 13)
    let more = try run("save", "more", "-q")
    #expect(more.status == 0, "\(more.errors)")
    #expect(try run("restore", "mine", "-q").status == 0)
  }

  // MARK: Fuzzed

  /// Random shared lists: each is read once, and its total is the length of the unfolded list.
  @Test(arguments: 0..<40)
  func totalsAreThoseOfWhatIsUnfolded(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var blobs: [ObjectID: [UInt8]] = [:]
    var last: [(length: UInt64, id: ObjectID?)] = (0..<3).map { (100 + $0, ObjectID(hashing: [UInt8($0)])) }
    var content = FileContent.empty
    for level in UInt8(2)...5 {
      var next: [(length: UInt64, id: ObjectID?)] = []
      for _ in 0..<3 {
        let pieces = (0..<1 + Int(random.next() % 4)).map { _ -> (length: UInt64, id: ObjectID?) in
          level == 2 && random.next() % 3 == 0 ? (7, nil) : last[Int(random.next() % UInt64(last.count))]
        }
        let bytes = AmplificationTests.list(pieces, level: level)
        let id = ObjectID(hashing: bytes)
        blobs[id] = bytes
        next.append((pieces.reduce(0) { $0 + $1.length }, id))
      }
      last = next
      content = FileContent(level: level, id: try #require(next[0].id))
    }
    let source = CountingSource(blobs)
    var totals = ChunkListTotals()
    let total = try totals.total(of: content, size: last[0].length, in: source)
    #expect(source.reads.load(ordering: .relaxed) <= blobs.count)
    var reader = ChunkListReader(content, size: last[0].length, in: source)
    var found = ContentTotal()
    while let piece = try reader.next() {
      found.length += piece.length
      found.pieces += 1
      if piece.id != nil { found.data += piece.length }
    }
    #expect(found.length == total.length && found.data == total.data && found.pieces == total.pieces)
    #expect(found.length == last[0].length)
  }

  /// Bytes are changed at random: nothing traps, and no result is larger than the bytes allow.
  @Test(arguments: 0..<8)
  func whatIsReadIsBoundedByItsBytes(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(1000 + seed))
    let id = ObjectID(hashing: "x".bytes)
    let names = LinkTable.encode([["a/b".bytes, "a/c".bytes, "d".bytes], ["e".bytes, "e1/f".bytes]])
    let list = AmplificationTests.list([(5, id), (9, nil), (1 << 40, id)], level: 2)
    let tree = RepositoryFixture.tree([TreeEntry.file("a", "a".bytes).encoded, TreeEntry.folder("b", id).encoded])
    let inner: [UInt8] = [TreeFormat.tag, 1, 1, 1, 0x61] + Array(repeating: 7, count: 32)
    var table = ByteWriter()
    for number in [1, 0, 9, 9, 2] as [UInt32] { table.u32(number) }
    table.u64(16)
    for length in [UInt32(4), 5] {
      table.id(id)
      table.u32(length)
    }
    let unrecorded = UnrecordedList.encode([Problem(path: "a", message: "b")])
    for _ in 0..<3000 {
      func changed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<1 + random.next() % 3 {
          switch random.next() % 4 {
          case 0: bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
          case 1: bytes[Int(random.next() % UInt64(bytes.count))] = [0, 1, 0x7F, 0x80, 0xFF][Int(random.next() % 5)]
          case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: Int(random.next() % UInt64(bytes.count)))
          default: if bytes.count > 1 { bytes.removeLast() }
          }
        }
        return bytes
      }
      let some = changed(names)
      var count = 0
      if var reader = try? LinkTableReader(some) {
        while (try? reader.next()) ?? nil != nil { count += 1 }
        #expect(count <= some.count && reader.name.count <= some.count)
      }
      let pieces = changed(list)
      count = 0
      if var reader = try? ChunkListBlob(id, in: CountingSource([id: pieces])) {
        while (try? reader.next()) ?? nil != nil { count += 1 }
        #expect(count <= pieces.count && reader.total <= UInt64(Int64.max) * 2)
      }
      for bytes in [changed(tree), changed(inner)] {
        let source = CountingSource([id: bytes])
        var reader = TreeReader(blob: id, in: source)
        count = 0
        while (try? reader.next()) ?? nil != nil { count += 1 }
        #expect(count <= bytes.count && reader.inner.count <= bytes.count / 33)
        #expect(source.reads.load(ordering: .relaxed) == 1)
      }
      let contents = changed(table.bytes)
      if let found = try? TableOfContents(contents, blockEnd: 25) {
        #expect(found.blobs.count * 36 <= contents.count && found.blocks.count * 24 <= contents.count)
      }
      let lines = changed(unrecorded)
      if let found = try? UnrecordedList.decode(lines) { #expect(found.count <= lines.count) }
    }
  }
}
