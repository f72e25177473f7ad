// `--keep`: the files that a restore, an undo or a redo leaves as they are.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct KeepTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for folder in ["k", "d", "d/e"] { try shop.folder.makeFolder(folder.bytes) }
    for name in ["a", "k/x", "d/e/y.keep", "d/z"] { try shop.folder.write(name.bytes, "1".bytes) }
    try shop.save("one")
    for name in ["a", "k/x", "k/new", "d/e/y.keep", "d/z"] { try shop.folder.write(name.bytes, "two".bytes) }
    try shop.save("two")
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try shop.folder.read(name.bytes), as: UTF8.self)
  }

  private var texts: [String] { get throws { try ["a", "k/x", "d/e/y.keep", "d/z"].map { try text($0) } } }

  private static let patterns = ["/k/".bytes, "*.keep".bytes]

  @Test func aRestoreLeavesIt() throws {
    try shop.folder.write("k/x".bytes, "edited".bytes)
    let edited = try shop.state
    try shop.restore("one") { $0.kept = KeepTests.patterns }
    #expect(try texts == ["1", "edited", "two", "1"])
    #expect(
      try shop.folder.folder("k").names().sorted { $0.lexicographicallyPrecedes($1) } == ["new".bytes, "x".bytes])
    #expect(try shop.repository.status().changes == [])
    try shop.repository.undo()
    #expect(try shop.state.differences(from: edited) == [])
  }

  /// A kept file stays with its folders. A kept file that does not exist is not made.
  @Test func itKeepsItsFolders() throws {
    try shop.folder.remove("d/z".bytes)
    try shop.folder.remove("k".bytes)
    try shop.save("three")
    try shop.folder.remove("a".bytes)
    try shop.restore("one") { $0.kept = KeepTests.patterns }
    #expect(try !shop.folder.names().contains("k".bytes))
    #expect(try [text("d/e/y.keep"), text("d/z"), text("a")] == ["two", "1", "1"])
    let fresh = try RepositoryFixture()
    try fresh.folder.write("other".bytes, "o".bytes)
    try fresh.save("bare")
    try fresh.folder.makeFolder("d".bytes)
    try fresh.folder.write("d/y.keep".bytes, "k".bytes)
    try fresh.folder.write("d/z".bytes, "z".bytes)
    try fresh.restore("bare") { $0.kept = ["*.keep".bytes] }
    #expect(try fresh.folder.folder("d").names() == ["y.keep".bytes])
  }

  /// Changes of kept files are neither taken back nor saved as a step.
  @Test func undoAndRedoLeaveItAlone() throws {
    try shop.folder.write("k/x".bytes, "edited".bytes)
    let undone = try shop.repository.undo(keeping: KeepTests.patterns)
    #expect(undone.steps.map(\.isUnsaved) == [false] && undone.restore.guard == nil)
    #expect(try texts == ["1", "edited", "two", "1"])
    #expect(try shop.repository.status().names == ["one"])
    try shop.repository.redo(keeping: KeepTests.patterns)
    #expect(try texts == ["two", "edited", "two", "two"])
    // Without the patterns, it is a usual unsaved change.
    #expect(try shop.repository.undo().steps.map(\.isUnsaved) == [true])
    #expect(try texts == ["two", "two", "two", "two"])
  }

  @Test func aPathOfItStaysInARestoreOfPaths() throws {
    try shop.folder.write("a".bytes, "edited".bytes)
    try shop.restore("one") {
      $0.paths = ["d"]
      $0.kept = KeepTests.patterns
    }
    #expect(try texts == ["edited", "two", "two", "1"])
    #expect(try shop.repository.status().changes.map(\.path) == ["a"])
  }
}
