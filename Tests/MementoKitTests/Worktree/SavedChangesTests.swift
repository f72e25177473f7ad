// `cache/changes` spares a log of a path most of its reading, and never says anything wrong.

import MementoModel
import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct SavedChangesTests {
  private static let file = "cache/changes".bytes

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func entry(_ number: Int, _ paths: [String]) throws -> [UInt8] {
    try #require(SavedChanges.entry(id(number), since: id(-number), paths.map(\.bytes)))
  }

  private static let paths = ["a", "d/a", "d/ab", "d/e/f", "deep/er/and/deeper", "long name \u{0}", "z"]

  private func expect(_ changes: SavedChanges, _ number: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(changes.parent(of: id(number)) == id(-number), sourceLocation: sourceLocation)
    for path in SavedChangesTests.paths + ["d", "d/e", "deep/er"] {
      #expect(changes.differs(id(number), at: [path.bytes]) == true, "\(path)", sourceLocation: sourceLocation)
    }
    for path in ["b", "d/b", "d/abc", "a/b", "dee", "deep/e", "d/e/f/g", "zz"] {
      #expect(changes.differs(id(number), at: [path.bytes]) == false, "\(path)", sourceLocation: sourceLocation)
    }
    #expect(changes.differs(id(number), at: ["b", "z"].map(\.bytes)) == true, sourceLocation: sourceLocation)
  }

  // MARK: The file

  @Test func entriesComeBack() throws {
    let bytes = try SavedChanges.magic + entry(1, SavedChangesTests.paths) + entry(2, []) + entry(3, ["x"])
    let changes = SavedChanges(bytes)
    expect(changes, 1)
    #expect(changes.differs(id(2), at: ["a".bytes]) == false)
    #expect(changes.differs(id(3), at: ["x".bytes]) == true)
    #expect(changes.differs(id(4), at: ["a".bytes]) == nil && changes.parent(of: id(4)) == nil)
    for none in [[], Array(bytes.dropFirst()), "memento changes 2\n".bytes + bytes.dropFirst(SavedChanges.magic.count)]
    {
      #expect(SavedChanges(none).parent(of: id(1)) == nil)
    }
  }

  /// Whatever is damaged, an entry is as it was written or not there, and no other entry is lost.
  @Test func damageLosesOneEntry() throws {
    let before = try SavedChanges.magic + entry(1, SavedChangesTests.paths)
    let middle = try entry(2, SavedChangesTests.paths)
    let after = try entry(3, SavedChangesTests.paths)
    for bit in 0..<middle.count * 8 where bit % 7 == 0 {
      let changes = SavedChanges(before + Content.flipping(middle, bit: bit) + after)
      expect(changes, 1)
      #expect(changes.differs(id(2), at: ["a".bytes]) == nil, "bit \(bit)")
      expect(changes, 3)
    }
    for length in 0..<middle.count {
      let changes = SavedChanges(before + middle.prefix(length) + after)
      expect(changes, 1)
      #expect(changes.differs(id(2), at: ["a".bytes]) == nil, "\(length) bytes")
      expect(changes, 3)
    }
  }

  /// An entry with a right checksum may still say nothing that makes sense.
  @Test(arguments: [[1], [0, 5, 0x61], [0, 1], [0x80], [0, 1, 0x61, 2, 0]] as [[UInt8]])
  func forgedPaths(_ paths: [UInt8]) throws {
    var entry = try entry(1, [])
    let rest = entry.suffix(64) + paths
    var writer = ByteWriter()
    writer.append(entry.prefix(8))
    writer.u32(UInt32(rest.count))
    writer.u32(crc32(rest))
    writer.append(rest)
    entry = writer.bytes
    #expect(SavedChanges(SavedChanges.magic + entry).differs(id(1), at: ["b".bytes]) == nil)
  }

  /// Each place of a hostile file may claim to be a long entry. That takes no more than reading the file a few times.
  @Test func aFileOfNothingButBeginnings() throws {
    var claim = ByteWriter()
    claim.append(try entry(1, []).prefix(8))
    claim.u32(UInt32(SavedChanges.largestEntry))
    claim.u32(0)
    let count = SavedChanges.sizeLimit / claim.bytes.count
    let bytes = SavedChanges.magic + (0..<count).flatMap { _ in claim.bytes }
    #expect(SavedChanges.content(of: bytes, most: .max) { _ in true } == SavedChanges.magic)
  }

  @Test func theNewestAreKept() throws {
    let bytes = try (0..<100).reduce(into: SavedChanges.magic) { $0 += try entry($1, SavedChangesTests.paths) }
    let one = try entry(7, SavedChangesTests.paths).count
    // Also the paths of a parent that is gone stand in an entry.
    let kept = SavedChanges(SavedChanges.content(of: bytes, most: 10 * one + one / 2) { $0 != id(95) && $0 != id(-93) })
    for number in 0..<100 {
      let isKept = number >= 88 && number != 95 && number != 93
      #expect((kept.parent(of: id(number)) != nil) == isKept, "\(number)")
    }
    expect(kept, 99)
    #expect(SavedChanges.entry(id(1), since: id(2), [Content.zeros(SavedChanges.largestEntry)]) == nil)
  }

  // MARK: Saves

  @Test func savesWriteIt() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    let first = try shop.save("first").snapshot.id.object
    #expect(!shop.storeFolder.exists("cache/changes"))
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/b".bytes, "2".bytes)
    let second = try shop.save("second").snapshot.id.object
    let changes = shop.repository.worktree.savedChanges()
    #expect(changes.parent(of: second) == first)
    #expect(changes.differs(second, at: ["d".bytes]) == true && changes.differs(second, at: ["a".bytes]) == false)
    // Nothing is noted that was not stored, and nothing of a save of too many paths.
    try shop.folder.write("d/c".bytes, "3".bytes)
    let bytes = try shop.storeFolder.read(SavedChangesTests.file)
    var options = SaveOptions()
    options.isDryRun = true
    _ = try shop.repository.save(options)
    for number in 0..<600 { try shop.folder.write("d/\(number)".bytes, "3".bytes) }
    try shop.save("many")
    #expect(try shop.storeFolder.read(SavedChangesTests.file) == bytes)
  }

  /// What the log says comes from the file where it has a step; a step that it does not have is compared.
  @Test func aLogBelievesIt() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    let first = try shop.save("first").snapshot.id.object
    try shop.folder.write("a".bytes, "22".bytes)
    let second = try shop.save("second").snapshot.id.object
    func names() throws -> [[String]] {
      var options = LogOptions()
      options.paths = ["a"]
      return try shop.repository.log(options).map(\.names)
    }
    #expect(try names() == [["second"], ["first"]])
    let forged = try #require(SavedChanges.entry(second, since: first, []))
    try shop.storeFolder.write(SavedChangesTests.file, SavedChanges.magic + forged)
    #expect(try names() == [["first"]])
    // Of another snapshot before it, it says nothing.
    let other = try #require(SavedChanges.entry(second, since: second, []))
    try shop.storeFolder.write(SavedChangesTests.file, SavedChanges.magic + other)
    #expect(try names() == [["second"], ["first"]])
  }

  /// When the snapshot before is gone, all that there is counts as new, whatever was noted.
  @Test func aSnapshotBeforeThatIsGone() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    let first = try shop.save().snapshot.id.object
    try shop.folder.write("b".bytes, "2".bytes)
    let second = try shop.save("second").snapshot.id.object
    var options = LogOptions()
    options.paths = ["a"]
    #expect(try shop.repository.log(options).map(\.snapshot.id.object) == [first])
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      refs.timeline.dropOldest(1)
    }
    var garbage = GarbageOptions()
    garbage.emptiesTrash = true
    _ = try shop.repository.collectGarbage(garbage)
    #expect(try !shop.repository.store.index.contains(first))
    #expect(shop.repository.worktree.savedChanges().parent(of: second) == nil)
    let entry = try #require(SavedChanges.entry(second, since: first, ["b".bytes]))
    try shop.storeFolder.write(SavedChangesTests.file, SavedChanges.magic + entry)
    #expect(try shop.repository.log(options).map(\.names) == [["second"]])
  }

  @Test func itDoesNotGrowForEver() throws {
    let shop = try RepositoryFixture()
    try shop.save("one")
    let worktree = shop.repository.worktree
    let long = (0..<200).map { "\($0) \(String(repeating: "x", count: 200))" }
    for number in 0..<60 { worktree.add(try entry(number, long.map { "\(number) \($0)" })) }
    let size = try shop.storeFolder.read(SavedChangesTests.file).count
    #expect(size > SavedChanges.fullSize / 2 - 64 << 10 && size <= SavedChanges.fullSize)
    #expect(worktree.savedChanges().parent(of: id(59)) == id(-59))
    #expect(worktree.savedChanges().parent(of: id(0)) == nil)
  }

  /// What is no file of ours in its place costs time, and is neither followed nor waited for.
  @Test(arguments: ["ln -s ../../outside/canary", "mkfifo", "mkdir"])
  func somethingElseHasItsName(_ maker: String) throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    try shop.save("first")
    let folder = String(decoding: shop.storeFolder.path, as: UTF8.self)
    try #require(try Launch(["sh", "-c", "\(maker) cache/changes"], in: folder).status == 0)
    try shop.folder.write("a".bytes, "22".bytes)
    try shop.save("second")
    var options = LogOptions()
    options.paths = ["a"]
    #expect(try shop.repository.log(options).map(\.names) == [["second"], ["first"]])
    _ = try shop.repository.collectGarbage()
    #expect(try shop.outside.read("canary".bytes) == "alive".bytes)
  }

  // MARK: What is dropped

  /// The names of files do not outlive the snapshots that gc drops, or a purge.
  @Test func namesGoWithTheirSnapshots() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    try shop.save("first")
    try shop.folder.write("secret name".bytes, "2".bytes)
    try shop.save("second")
    try shop.folder.remove("secret name".bytes)
    try shop.save("third")
    func hasName() throws -> Bool {
      guard let bytes = try? shop.storeFolder.read(SavedChangesTests.file) else { return false }
      return String(decoding: bytes, as: UTF8.self).contains("secret name")
    }
    #expect(try hasName())
    _ = try shop.repository.collectGarbage()
    #expect(try hasName())
    _ = try shop.repository.purge(PurgeOptions(["secret name"]))
    #expect(try !hasName())
    // What a state alone has is named by the step after it, too.
    try shop.folder.write("secret name".bytes, "4".bytes)
    try shop.save("fourth")
    try shop.folder.remove("secret name".bytes)
    try shop.save("fifth")
    #expect(try hasName())
    _ = try shop.repository.purge(["fourth"])
    #expect(try !hasName())
    for number in 0..<3 {
      try shop.folder.write("secret name".bytes, "\(number)".bytes)
      try shop.save("state")
    }
    #expect(try hasName())
    _ = try shop.repository.delete(["state"])
    _ = try shop.repository.restore("first")
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.timeline.dropOldest(1000) }
    var options = GarbageOptions()
    options.emptiesTrash = true
    _ = try shop.repository.collectGarbage(options)
    #expect(try !hasName())
  }
}
