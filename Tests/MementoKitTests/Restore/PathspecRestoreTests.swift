// A restore of what pathspecs match is a restore of the paths that they match when it begins.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PathspecRestoreTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for name in ["src", "src/sub", "vendor"] { try shop.folder.makeFolder(name.bytes) }
    for name in ["a.c", "b.h", "src/a.c", "src/sub/b.c", "vendor/a.c"] { try write(name, "one") }
    try shop.folder.makeFolder("empty".bytes)
    try shop.save("one")
    for name in ["a.c", "b.h", "src/a.c", "src/sub/b.c", "vendor/a.c"] { try write(name, "two") }
    try shop.folder.makeFolder("new".bytes)
    try write("new/n.c", "new")
    try shop.folder.remove("empty".bytes)
    try shop.save("two")
  }

  private func write(_ name: String, _ text: String) throws { try shop.folder.write(name.bytes, text.bytes) }

  private func read(_ text: String) throws -> Pathspec {
    try PathspecReader(folder: BytePath("/f"), place: BytePath("")).read(text.bytes)
  }

  /// The files that are as in the first state.
  private var restored: [String] {
    get throws {
      try ["a.c", "b.h", "src/a.c", "src/sub/b.c", "vendor/a.c"].filter {
        try shop.folder.read($0.bytes) == "one".bytes
      }
    }
  }

  private var names: [String] {
    get throws { try shop.folder.names().map { String(decoding: $0, as: UTF8.self) }.sorted() }
  }

  @discardableResult
  private func restore(
    _ texts: String..., paths: [String] = [], isDryRun: Bool = false, discard: Bool = false
  ) throws -> RestoreSummary {
    let pathspecs = try texts.map { try read($0) }
    return try shop.restore(Revision("one")) {
      $0.pathspecs = pathspecs
      $0.paths = paths.map { BytePath($0) }
      $0.isDryRun = isDryRun
      $0.discard = discard
    }
  }

  @Test func onlyWhatMatches() throws {
    try write("b.h", "edited")
    try restore("*.c", ":!vendor")
    #expect(try restored == ["a.c", "src/a.c", "src/sub/b.c"])
    #expect(try shop.repository.status().changes.map(\.path.lossyText) == ["b.h"])
    // The folder that held nothing else is gone with what matched.
    #expect(try !names.contains("new"))
    let step = try #require(try shop.repository.readRefs().timeline.current)
    #expect(step.paths == ["a.c", "new", "src/a.c", "src/sub/b.c"].map(\.bytes))
    try shop.repository.undo()
    #expect(try restored == [] && names.contains("new"))
    #expect(try shop.folder.read("b.h".bytes) == "edited".bytes)
  }

  @Test func exclusionsAloneLeaveOut() throws {
    try restore(":!src")
    #expect(try restored == ["a.c", "b.h", "vendor/a.c"])
    #expect(try names.contains("empty"))
  }

  @Test func pathsAndPathspecsAddUp() throws {
    try restore(":(glob)*.h", paths: ["vendor"])
    #expect(try restored == ["b.h", "vendor/a.c"])
  }

  @Test func aPlanChangesNothing() throws {
    let summary = try restore("*.h", isDryRun: true)
    #expect(summary.plan.map(\.path.lossyText) == ["b.h"])
    #expect(try restored == [])
  }

  @Test func whatMatchesAndIsEqualAddsNoStep() throws {
    try restore("*.h")
    let steps = try shop.repository.readRefs().timeline.steps.count
    #expect(try restore("*.h").replaced == 0)
    #expect(try shop.repository.readRefs().timeline.steps.count == steps)
  }

  @Test func whatMatchesNothingIsNamed() throws {
    for texts in [["*.x"], ["*.c", "*.x"], [":(literal)*.c"]] {
      let pathspecs = try texts.map { try read($0) }
      let error = #expect(throws: RepositoryError.self) {
        try shop.restore(Revision("one")) { $0.pathspecs = pathspecs }
      }
      #expect(error?.code == .noSuchPath)
    }
    #expect(throws: RepositoryError.self) { try restore("*.h", ":!b.h") }
    #expect(try restored == [])
  }

  /// A step does not remember thousands of paths: it is one of the whole folder then, and undo takes it back as such.
  @Test func manyPathsAreAStepOfTheFolder() throws {
    let count = RestoreOperation.mostPaths + 1
    try shop.folder.makeFolder("many".bytes)
    for number in 0..<count { try write("many/\(number).t", "1") }
    try write("many/stays", "1")
    try shop.save("one")
    for number in 0..<count { try write("many/\(number).t", "22") }
    try shop.save("two")
    try write("b.h", "edited")
    let summary = try restore("*.t")
    #expect(summary.replaced == count && summary.guard != nil)
    #expect(try shop.repository.readRefs().timeline.current?.paths == [])
    #expect(try shop.folder.read("b.h".bytes) == "edited".bytes)
    #expect(try shop.repository.status().changes == [])
    try shop.repository.undo()
    #expect(try shop.folder.read("many/7.t".bytes) == "22".bytes)
    #expect(try shop.folder.read("b.h".bytes) == "edited".bytes)
  }

  @Test func aPartIsExtracted() throws {
    var options = ExtractOptions()
    options.pathspecs = [try read("*.c"), try read(":!vendor")]
    let place = try TemporaryDirectory()
    let copy = BytePath(place.path + "/copy")
    try shop.repository.restore("one", to: copy, options)
    #expect(try FolderTools(copy.bytes).names().map { String(decoding: $0, as: UTF8.self) }.sorted() == ["a.c", "src"])
  }
}
