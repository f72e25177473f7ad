// A log of a path reads the trees of few steps, and lists the same as one that reads all of them.

import MementoStore
import TestSupport
import Testing

@testable import MementoKit
@testable import MementoModel

struct TouchedPathLogTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private static let files = ["a", "b", "d/a", "d/b", "d/e/a", "d/e/f/a", "long name", "g/h"]
  private static let asked = files + ["d", "d/e", "d/e/f", "g", "nothing", "d/nothing", "a/b"]

  private func record(_ id: SnapshotID) throws -> SnapshotRecord {
    try #require(try shop.repository.record(of: id.object)).record
  }

  private func change(_ script: String) throws {
    let run = try Launch(["sh", "-c", script], in: String(decoding: shop.folder.path, as: UTF8.self))
    try #require(run.status == 0, "\(run.errors)")
  }

  /// A pathspec is never looked up in the records.
  private func compare() throws {
    let reader = PathspecReader(folder: shop.repository.folder, place: BytePath([]))
    for path in TouchedPathLogTests.asked {
      for all in [false, true] {
        var options = LogOptions()
        options.showsAll = all
        options.paths = [BytePath(path)]
        let found = try shop.repository.log(options)
        options.paths = []
        options.pathspecs = [try reader.read(":(literal)\(path)".bytes)]
        let expected = try shop.repository.log(options)
        #expect(found == expected, "\(path): \(found.count) and \(expected.count)")
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func itListsTheSame(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try shop.folder.write("a".bytes, "first".bytes)
    try shop.save("s0")
    for step in 1...30 {
      let file = TouchedPathLogTests.files.randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<8, using: &random) {
      case 0: _ = try shop.repository.undo()
      case 1: _ = try shop.repository.restore(Revision("s\(Int.random(in: 0..<step, using: &random))"))
      case 2: try change("mkdir -p d && touch -d @\(step) d")
      case 3: try change("rm -rf '\(file)'")
      case 4: try change("rm -rf d/e && echo a file >d/e")
      default: try change("[ -f d/e ] && rm d/e; mkdir -p d/e/f g && echo \(step) >'\(file)'")
      }
      try shop.save("s\(step)")
    }
    // With what saves have noted, with half of it, and with what the records say alone.
    #expect(shop.storeFolder.exists("cache/changes"))
    try compare()
    shop.repository.worktree.keepSavedChanges { _ in Bool.random(using: &random) }
    try compare()
    shop.repository.worktree.dropDerived(SavedChanges.fileName)
    try compare()
  }

  @Test func theRecordSaysWhatChanged() throws {
    try shop.folder.write("a".bytes, "1".bytes)
    #expect(try record(shop.save("one").snapshot.id).touched == nil)
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/b".bytes, "2".bytes)
    let touched = try record(shop.save("two").snapshot.id).touched
    #expect(touched == TouchedPaths(["d", "d/b"].map(\.bytes)))
    #expect(try record(shop.save("three").snapshot.id).touched == TouchedPaths([]))
    for number in 0..<600 { try shop.folder.write("d/\(number)".bytes, "3".bytes) }
    #expect(try record(shop.save("many").snapshot.id).touched == nil)
    // No record tells of what was taken out.
    let options = PurgeOptions([BytePath("d/b")])
    _ = try shop.repository.purge(options)
    for state in try shop.repository.states() { #expect(try record(state.snapshot.id).touched == nil) }
  }
}
