// A save that finds far more than the one before did asks first.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

/// Answers, and notes what it was asked.
private final class AskedMonitor: Monitor {
  private let answer: Bool
  private let asked = Mutex<[FolderGrowth]>([])

  init(_ answer: Bool) {
    self.answer = answer
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}
  var isCancelled: Bool { false }

  func confirm(_ growth: FolderGrowth) -> Bool {
    asked.withLock { $0.append(growth) }
    return answer
  }

  var questions: [FolderGrowth] { asked.withLock { $0 } }
}

struct GrowthTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for (folder, count) in [("src", 10), ("modules", 0), ("modules/deep", 0), ("modules/deep/er", 200), ("logs", 30)] {
      try shop.folder.makeFolder(folder.bytes)
      for number in 0..<count { try shop.folder.write("\(folder)/\(number)".bytes, "\(folder) \(number)".bytes) }
    }
    try shop.folder.write("src/large".bytes, Content.random(6_000_000, seed: 1))
    try shop.folder.write("top".bytes, "top".bytes)
  }

  private func configured(_ lines: String) throws -> Repository {
    let config = shop.folder.folder(".memento")
    try config.write("config".bytes, try config.read("config".bytes) + lines.bytes)
    return try shop.reopened()
  }

  private func save(_ repository: Repository, _ answer: Bool) throws -> [FolderGrowth] {
    var options = SaveOptions()
    options.asksFirst = true
    let monitor = AskedMonitor(answer)
    do {
      _ = try repository.save(options, monitor: monitor)
      #expect(answer || monitor.questions.isEmpty)
    } catch {
      #expect(error.code == .tooLarge && !answer && monitor.questions.count == 1)
    }
    return monitor.questions
  }

  private var packs: Int { get throws { try shop.folder.folder(".memento/packs").names().count } }

  @Test func manyFiles() throws {
    let repository = try configured("max-new-files = 100\n")
    let asked = try save(repository, false)
    #expect(asked.count == 1 && asked[0].files == 242 && asked[0].newFiles == 242, "\(asked)")
    #expect(asked[0].bytes == asked[0].newBytes && asked[0].bytes > 6_000_000)
    #expect(Set(asked[0].largest.filter { !$0.isAlone }.map(\.path)) == ["modules", "src", "logs"])
    #expect(asked[0].largest.filter(\.isAlone) == [FolderGrowth.Part(path: "", isAlone: true, files: 1, bytes: 3)])
    #expect(asked[0].largest.first { $0.path == "modules" }?.files == 200)
    // Nothing is left of it.
    #expect(try repository.log().isEmpty)
    #expect(try packs == 0)
    #expect(try shop.folder.folder(".memento/tmp").names().isEmpty)
    #expect(try save(repository, true).count == 1)
    #expect(try shop.reopened().snapshot("@").files == 242)
  }

  @Test func whatTheSnapshotBeforeHasCountsAsKnown() throws {
    let repository = try configured("max-new-files = 100\nmax-new-size = 1M\n")
    #expect(try save(repository, true).count == 1)
    for number in 0..<90 { try shop.folder.write("logs/new \(number)".bytes, "new".bytes) }
    #expect(try save(repository, false).isEmpty)
    for number in 0..<101 { try shop.folder.write("logs/newer \(number)".bytes, "newer".bytes) }
    let asked = try save(repository, false)
    #expect(asked.count == 1 && asked[0].newFiles == 101 && asked[0].files == 433, "\(asked)")
    // "modules" holds the most, and has not grown.
    #expect(asked[0].largest.map(\.path) == ["logs"] && asked[0].largest[0].files == 101, "\(asked)")
  }

  /// The folder can still be saved, so it is still asked about: what is known of the one before is its size.
  @Test func aDamagedSnapshotBeforeIsNoAnswer() throws {
    let repository = try configured("max-new-files = 100\n")
    #expect(try save(repository, true).count == 1)
    let packs = shop.folder.folder(".memento/packs")
    let old = try packs.names()
    try shop.folder.write("top".bytes, "another".bytes)
    try shop.save("second")
    for name in old { try packs.remove(name) }
    for number in 0..<101 { try shop.folder.write("logs/newer \(number)".bytes, "newer".bytes) }
    let asked = try save(shop.reopened(), false)
    #expect(asked.count == 1 && asked[0].newFiles == 101, "\(asked)")
    #expect(asked[0].largest.contains { $0.path == "modules" && $0.files == 200 }, "\(asked)")
  }

  /// A large file is refused before it is read.
  @Test func manyBytes() throws {
    let repository = try configured("max-new-files = none\nmax-new-size = 5M\n")
    let asked = try save(repository, false)
    #expect(asked.count == 1 && asked[0].largest.first?.path == "src", "\(asked)")
    #expect(try configured("max-new-size = none\n").save(asking()).snapshot.files == 242)
  }

  /// Nearly all of it may lie deep in one folder.
  @Test func theFolderThatSaysMostIsNamed() throws {
    for number in 0..<3000 { try shop.folder.write("modules/deep/er/more \(number)".bytes, []) }
    try shop.folder.makeFolder("modules/deep/other".bytes)
    for number in 0..<40 { try shop.folder.write("modules/deep/other/\(number)".bytes, []) }
    try shop.folder.remove("src/large".bytes)
    let asked = try save(try configured("max-new-files = 100\n"), false)
    #expect(asked[0].largest.map(\.path).prefix(2) == ["modules/deep/er", "modules/deep/other"], "\(asked)")
  }

  /// A folder that the disk of the store may not hold is a reason to ask, but not a small one.
  @Test func theDiskCounts() {
    let limits = GrowthLimits(files: 5, bytes: 10 << 30)
    #expect(limits.within(nil) == limits)
    #expect(limits.within(.max) == limits)
    #expect(limits.within(1 << 30) == GrowthLimits(files: 5, bytes: 2 << 30))
    #expect(limits.within(0) == GrowthLimits(files: 5, bytes: 64 << 20))
    #expect(GrowthLimits(files: nil, bytes: nil).within(1 << 30) == GrowthLimits(files: nil, bytes: 2 << 30))
  }

  /// What is ignored does not count.
  @Test func ignoredFoldersDoNotCount() throws {
    try shop.folder.write(".mementoignore".bytes, "/modules\n".bytes)
    #expect(try save(try configured("max-new-files = 100\n"), false).isEmpty)
  }

  /// A program that embeds the library is not asked unless it wants to be.
  @Test func theLibraryAsksOnlyOnRequest() throws {
    let repository = try configured("max-new-files = 1\n")
    #expect(code { try repository.save(asking()) } == .tooLarge)
    #expect(try repository.save(SaveOptions()).snapshot.files == 242)
  }

  private func asking() -> SaveOptions {
    var options = SaveOptions()
    options.asksFirst = true
    return options
  }
}
