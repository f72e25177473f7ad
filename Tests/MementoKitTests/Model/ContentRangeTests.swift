// Content that is read at any place: the same bytes as from its beginning, and nothing is read that is not needed.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

/// Counts the lists that are read.
private final class CountingLists: BlobSource {
  private let store: Store
  let reads = Atomic<Int>(0)

  init(_ store: Store) {
    self.store = store
  }

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    reads.add(1, ordering: .relaxed)
    return try store.read(id)
  }
}

struct ContentRangeTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  /// A store with chunks of some hundred bytes: lists of lists in a file of some megabytes.
  private func withSmallChunks() throws -> Repository {
    let config = String(decoding: try shop.storeFolder.read("config".bytes), as: UTF8.self)
    let lines = config.split(separator: "\n").map { $0.hasPrefix("chunk =") ? "chunk = 64 256 1024" : String($0) }
    try shop.storeFolder.write("config".bytes, (lines.joined(separator: "\n") + "\n").bytes)
    return try shop.reopened()
  }

  private func content(_ repository: Repository, _ revision: Revision, _ path: String) throws -> SizedContent {
    let entry = try repository.entry(revision, path: BytePath(path))
    return SizedContent(size: entry.size, content: try #require(entry.content))
  }

  /// Reads at the ends, across them, and at random places.
  private func compare(_ repository: Repository, _ path: String, with bytes: [UInt8], seed: UInt64 = 1) throws {
    var reader = try repository.content(of: "one", path: BytePath(path))
    let size = UInt64(bytes.count)
    func check(_ offset: UInt64, _ count: Int) throws {
      let start = Int(min(offset, size))
      let expected = Array(bytes[start..<min(bytes.count, start + count)])
      #expect(try reader.read(at: offset, count: count) == expected, "\(count) bytes at \(offset)")
    }
    for (offset, count) in [(0, 0), (0, 1), (0, bytes.count), (0, bytes.count + 10)] {
      try check(UInt64(offset), count)
    }
    for back in 0..<3 {
      guard size >= UInt64(back) else { continue }
      try check(size - UInt64(back), 2)
    }
    for offset in [size, size + 1, UInt64(Int64.max), .max] { try check(offset, 1000) }
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let offset = random.next() % (size + 10)
      try check(offset, Int(random.next() % (random.next() % 4 == 0 ? 100_000 : 600)))
    }
    // The stream is not moved by it.
    var streamed: [UInt8] = []
    while let piece = try reader.next() {
      streamed += piece
      _ = try reader.read(at: random.next() % (size + 1), count: 10)
    }
    #expect(streamed == bytes)
  }

  @Test(arguments: [0, 1, 5000, 65_536, 700_001])
  func everyRangeIsThatOfTheFile(_ size: Int) throws {
    let bytes = Content.random(size, seed: UInt64(size))
    try shop.folder.write("file".bytes, bytes)
    try shop.save("one")
    try compare(shop.repository, "file", with: bytes)
  }

  @Test func listsOfListsAreEnteredAtAnyPlace() throws {
    let repository = try withSmallChunks()
    let bytes = Content.random(1 << 20, seed: 7)
    try shop.folder.write("file".bytes, bytes)
    _ = try repository.save(SaveOptions(name: "one"))
    let content = try content(repository, "one", "file")
    try #require(content.content.level > 2)
    try compare(repository, "file", with: bytes)
    #expect(try content.read(at: 900_000, count: 9, from: repository.store) == Array(bytes[900_000..<900_009]))
  }

  /// One list of each height for a byte, and none for a byte beside it.
  @Test func onlyTheListsOnTheWayAreRead() throws {
    let repository = try withSmallChunks()
    try shop.folder.write("file".bytes, Content.random(1 << 20, seed: 8))
    _ = try repository.save(SaveOptions(name: "one"))
    let content = try content(repository, "one", "file")
    let lists = CountingLists(repository.store)
    var locator = ChunkLocator(content, in: lists)
    let height = Int(content.content.level) - 1
    let (start, piece) = try locator.piece(at: 1 << 19)
    #expect(lists.reads.load(ordering: .relaxed) == height)
    #expect(start <= 1 << 19 && start + piece.length > 1 << 19)
    #expect(try locator.piece(at: start + piece.length - 1) == (start, piece))
    #expect(lists.reads.load(ordering: .relaxed) == height)
    // The uppermost list is still open.
    _ = try locator.piece(at: 0)
    #expect(lists.reads.load(ordering: .relaxed) < 2 * height)
  }

  @Test func holesAreZeros() throws {
    let place = shop.folder.path + "/sparse".bytes
    let file = try Descriptor.open(place, .create)
    let data = Content.random(100_000, seed: 3)
    try file.write(data, at: 1 << 18)
    try file.truncate(to: 1 << 20)
    try shop.save("one")
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    bytes.replaceSubrange((1 << 18)..<((1 << 18) + data.count), with: data)
    try compare(shop.repository, "sparse", with: bytes)
  }

  /// A hole of 2^62 bytes costs what is asked for.
  @Test func aHoleMayBeOfAnyLength() throws {
    let list = try shop.plant(meta: [AmplificationTests.list([(1 << 62, nil), (5, nil)], level: 2)])[0]
    let content = SizedContent(size: (1 << 62) + 5, content: FileContent(level: 2, id: list))
    #expect(try content.read(at: (1 << 62) - 1, count: 100, from: shop.repository.store) == [0, 0, 0, 0, 0, 0])
    #expect(try content.read(at: 1 << 61, count: 3, from: shop.repository.store) == [0, 0, 0])
  }

  @Test func listsThatAreNotWhatTheyShouldBeAreDamage() throws {
    let chunk = ObjectID(hashing: [1])
    let lists = try shop.plant(meta: [
      AmplificationTests.list([(100, chunk)], level: 2), AmplificationTests.list([(100, chunk)], level: 3),
    ])
    func read(_ size: UInt64, _ level: UInt8, _ id: ObjectID) -> Bool {
      do throws(StoreError) {
        let content = SizedContent(size: size, content: FileContent(level: level, id: id))
        _ = try content.read(at: 50, count: 10, from: shop.repository.store)
        return true
      } catch {
        #expect(error.isDamage, "\(error)")
        return false
      }
    }
    // Another length than the file's, another height, a chunk that is nowhere, no list at all.
    #expect(!read(101, 2, lists[0]))
    #expect(!read(100, 3, lists[0]))
    #expect(!read(100, 3, lists[1]))
    #expect(!read(100, 2, lists[0]))
    #expect(!read(100, 2, chunk))
    #expect(!read(100, 1, chunk))
  }

  /// What is damaged elsewhere does not matter.
  @Test func onlyTheDamagedRangeCannotBeRead() throws {
    let bytes = Content.random(2 << 20, seed: 11)
    let shop = try RepositoryFixture(parity: false)
    try shop.folder.write("file".bytes, bytes)
    try shop.save("one")
    let packs = shop.storeFolder.folder("packs")
    let name = try #require(try packs.names().first)
    var pack = try packs.read(name)
    pack[pack.count / 2] ^= 1
    try packs.write(name, pack)
    let repository = try shop.reopened()
    var reader = try repository.content(of: "one", path: BytePath("file"))
    var failed: [Int] = []
    for offset in stride(from: 0, to: bytes.count, by: 16 << 10) {
      do {
        let found = try reader.read(at: UInt64(offset), count: 16 << 10)
        #expect(found == Array(bytes[offset..<offset + (16 << 10)]))
      } catch {
        #expect(error.code == .damaged && error.path == BytePath("file"))
        failed.append(offset)
      }
    }
    // One block at most.
    #expect(!failed.isEmpty && failed.count <= (1 << 20) / (16 << 10))
    #expect(code { try reader.read(at: 0, count: bytes.count) } == .damaged)
    let good = try reader.read(at: 0, count: 100)
    #expect(good == Array(bytes[..<100]))
  }
}
