// Where blobs come among the blobs of all paths, and where their blocks are cut.

import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct VersionBlocksTests {
  private func key(_ path: String) -> PathKey {
    path.split(separator: "/").reduce(PathKey.root) { $0.child(Array($1.utf8)) }
  }

  @Test func aPathAlwaysHasTheSamePlace() {
    #expect(key("a/b.c") == key("a/b.c"))
    let paths = ["a/b.c", "b/b.c", "ab.c", "b.c", "a/b/c", "a", "b"]
    #expect(Set(paths.map { key($0) }).count == paths.count)
    #expect(paths.allSatisfy { key($0) != .none && key($0) != .root })
    #expect(PathKey.none < key("a") && PathKey.none < PathKey.root)
  }

  /// The last characters of a name count most, and the folder only among equal names.
  @Test func likeNamesAreNeighbours() {
    let sorted = ["x/one.h", "y/two.c", "x/two.c", "a/Makefile", "y/one.h", "b/Makefile", "q/some-one.h"]
      .sorted { key($0) < key($1) }
    let names = sorted.map { String($0.split(separator: "/")[1]) }
    #expect(names.firstIndex(of: "one.h").map { names[$0 + 1] } == "one.h")
    #expect(names.firstIndex(of: "two.c").map { names[$0 + 1] } == "two.c")
    #expect(names.firstIndex(of: "Makefile").map { names[$0 + 1] } == "Makefile")
    #expect(Set(names.filter { $0.hasSuffix(".h") }) == Set(names.drop { !$0.hasSuffix(".h") }.prefix(3)))
  }

  @Test func onlyWhatOldSnapshotsNeedIsAVersion() {
    let order = BlobOrder([key("a"), .none, key("b"), .none], newest: 2)
    #expect((0..<6).map { order.keyOfVersion($0) } == [nil, nil, key("b"), nil, nil, nil])
  }

  @Test func blocksAreCutBeforeTheirLimit() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<50 {
      var lengths: [Int] = []
      var keys: [PathKey] = []
      for path in 0..<20 {
        for _ in 0...generator.next() % 8 {
          lengths.append(Int(generator.next() % 26))
          keys.append(key("\(path)"))
        }
      }
      let blocks = VersionBlocks.cut(lengths.indices, limit: 100, length: { lengths[$0] }, key: { keys[$0] })
      #expect(blocks.flatMap { Array($0) } == Array(lengths.indices))
      for block in blocks {
        #expect(!block.isEmpty && lengths[block].reduce(0, +) <= 100)
        // It could not have ended with a path in its last quarter.
        var size = 0
        for place in block.dropLast() {
          size += lengths[place]
          #expect(size <= 75 || keys[place] == keys[place + 1])
        }
      }
    }
    #expect(VersionBlocks.cut(0..<0, limit: 100, length: { _ in 1 }, key: { _ in .root }).isEmpty)
    #expect(VersionBlocks.cut(3..<5, limit: 1, length: { _ in 9 }, key: { _ in .root }) == [3..<4, 4..<5])
  }
}

struct SweepLimitTests {
  @Test func withoutALimitThereIsNoEnd() {
    #expect(SweepLimit().isNone && !SweepLimit(bytes: 0).isNone)
  }

  @Test func noMoreBytesThanAllowed() {
    var parts = SweepLimit(bytes: 40 << 20).parts()
    #expect(parts.next(atLeast: 1) == 16 << 20)
    parts.note(16 << 20)
    #expect(parts.next(atLeast: 1) == 24 << 20)
    parts.note(20 << 20)
    #expect(parts.next(atLeast: 5 << 20) == nil)
    #expect(parts.next(atLeast: 4 << 20) == 4 << 20)
    parts.note(.max - (60 << 20))
    var free = SweepLimit().parts()
    for _ in 0..<80 { free.note(1) }
    #expect((free.next(atLeast: 1) ?? 0) > 1 << 62)
  }

  /// What the last part took says how large the next one may be.
  @Test func noLongerThanAllowed() {
    let clock = TestClock()
    let end = clock.read().sinceBoot + 10_000_000_000
    let limit = SweepLimit(timeLeft: {
      let now = clock.read().sinceBoot
      return end > now ? end - now : 0
    })
    var parts = limit.parts()
    #expect(parts.next(atLeast: 1 << 40) == 16 << 20)
    clock.pass(seconds: 4)
    parts.note(16 << 20)
    #expect(parts.next(atLeast: 25 << 20) == nil)
    #expect(parts.next(atLeast: 1).map { $0 >> 20 } == 24)
    clock.pass(seconds: 6)
    parts.note(24 << 20)
    #expect(parts.next(atLeast: 1) == nil)
  }
}
