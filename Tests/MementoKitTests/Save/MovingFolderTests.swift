// Names in a folder move while it is saved: each file must be recorded or reported.

import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

/// Runs an action whenever a walk asks whether it is cancelled, which it does before each directory and each file.
private final class FolderMover: Monitor {
  private let calls = Mutex(0)
  private let action: @Sendable (Int) throws -> Void

  init(_ action: @escaping @Sendable (Int) throws -> Void) {
    self.action = action
  }

  var count: Int { calls.withLock { $0 } }
  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}

  var isCancelled: Bool {
    calls.withLock { calls in
      calls += 1
      do { try action(calls) } catch { Issue.record("\(error)") }
    }
    return false
  }
}

struct MovingFolderTests {
  private static let names = ["a/1", "a/2", "b/1", "b/c/1", "b/c/2", "b/zz", "d/1", "mm", "yy", "zz"]

  private func shop() throws -> RepositoryFixture {
    let shop = try RepositoryFixture()
    for folder in ["a", "b", "b/c", "d"] { try shop.folder.makeFolder(folder.bytes) }
    for name in MovingFolderTests.names { try shop.folder.write(name.bytes, "content of \(name)".bytes) }
    return shop
  }

  private func save(_ shop: RepositoryFixture, _ monitor: FolderMover) throws -> SaveSummary {
    try shop.repository.save(SaveOptions(name: "moving"), monitor: monitor)
  }

  /// The contents of all files in the snapshot.
  private func contents(_ shop: RepositoryFixture, _ revision: String = "moving") throws -> Set<String> {
    _ = try shop.extract(Revision(revision), to: "copy")
    let path = "\(shop.directory.path)/copy"
    let found = try Launch(["find", path, "-type", "f", "-exec", "cat", "{}", "+"], in: path)
    let text = found.output.replacing("content of ", with: "\ncontent of ")
    return Set(text.split(separator: "\n").map(String.init))
  }

  enum Move: CaseIterable {
    case toAnEarlierName, toAnEarlierFolder, toANewFolder, aFolder, aFolderIntoAnother, overAnother

    func run(in folder: TemporaryDirectory) throws {
      switch self {
      case .toAnEarlierName: try folder.rename("work/zz", to: "work/aa")
      case .toAnEarlierFolder: try folder.rename("work/b/zz", to: "work/a/0")
      case .toANewFolder:
        try folder.descriptor.makeDirectory("work/0".bytes, permissions: 0o755)
        try folder.rename("work/zz", to: "work/0/zz")
      case .aFolder: try folder.rename("work/b", to: "work/0")
      case .aFolderIntoAnother: try folder.rename("work/b", to: "work/a/b")
      case .overAnother: try folder.rename("work/zz", to: "work/mm")
      }
    }
  }

  /// Moves a file at every moment of the walk.
  @Test(arguments: Move.allCases, [false, true]) func aMoveHidesNothing(_ move: Move, _ hasCache: Bool) throws {
    var moment = 0
    while true {
      moment += 1
      let shop = try shop()
      if hasCache { try shop.save("before") }
      let directory = shop.directory
      let hit = moment
      let monitor = FolderMover { if $0 == hit { try move.run(in: directory) } }
      let summary = try save(shop, monitor)
      if monitor.count < moment { break }
      #expect(summary.problems == [], "\(moment)")
      var expected = Set(MovingFolderTests.names.map { "content of \($0)" })
      var found = try contents(shop)
      if move == .overAnother {
        // The file that had the name before is gone, unless the walk read it earlier.
        expected.remove("content of mm")
        found.remove("content of mm")
      }
      #expect(found == expected, "\(moment)")
    }
    #expect(moment > 5)
  }

  /// Names keep moving: each file is recorded, or reported under the name that it has then.
  @Test(arguments: [1, 2, 3]) func whatNeverRestsIsRecordedOrReported(_ every: Int) throws {
    let shop = try shop()
    for number in 0..<6 { try shop.folder.write("a/f\(number)-0".bytes, "content of f\(number)".bytes) }
    let directory = shop.directory
    let names = Mutex((0..<6).map { "a/f\($0)-0" })
    let monitor = FolderMover { call in
      if call % every != 0 { return }
      try names.withLock { names in
        for number in names.indices {
          let name = "\(names[number].hasPrefix("a") ? "d" : "a")/f\(number)-\(1000 - call)"
          try directory.rename("work/\(names[number])", to: "work/\(name)")
          names[number] = name
        }
      }
    }
    let summary = try save(shop, monitor)
    let found = try contents(shop)
    for name in MovingFolderTests.names { #expect(found.contains("content of \(name)")) }
    for number in 0..<6 where !found.contains("content of f\(number)") {
      let name = Array("f\(number)-".utf8)
      let isReported = summary.problems.contains { $0.path.components.last?.starts(with: name) == true }
      #expect(isReported, "\(number): \(summary.problems)")
      #expect(!summary.snapshot.isComplete)
    }
  }

  /// Files that come and go, or are replaced by new ones, need no report.
  @Test func aBusyFolderIsComplete() throws {
    let shop = try shop()
    try shop.save("before")
    let directory = shop.directory
    let monitor = FolderMover { call in
      try directory.write("work/d/temporary-\(call)", "temporary".bytes)
      if call > 1 { try directory.descriptor.removeFile("work/d/temporary-\(call - 1)".bytes) }
      try directory.write("work/a/new", "content of mm".bytes)
      try directory.rename("work/a/new", to: "work/mm")
    }
    let summary = try save(shop, monitor)
    #expect(summary.problems == [])
    #expect(summary.snapshot.isComplete)
    let expected = Set(MovingFolderTests.names.map { "content of \($0)" })
    #expect(try contents(shop).isSuperset(of: expected))
  }

  /// The guard of a restore or an undo is such a walk, too. A file that moved is in the guard or in the folder.
  @Test func aRestoreTakesNothingThatMoved() throws {
    var moment = 0
    while true {
      moment += 1
      let shop = try shop()
      try shop.save("before")
      for name in ["b/new", "zz"] { try shop.folder.write(name.bytes, "content of edited \(name)".bytes) }
      let directory = shop.directory
      let hit = moment
      let monitor = FolderMover { call in
        guard call == hit else { return }
        try directory.rename("work/b/new", to: "work/a/00")
        try directory.rename("work/zz", to: "work/00")
      }
      let summary = try? shop.repository.restore("before", monitor: monitor)
      if monitor.count < moment { break }
      let guarded = try summary?.guard.map { try contents(shop, "\($0.id)") } ?? []
      let kept = try Launch(["grep", "-rhs", "content of", "work", "work/.memento/rescue"], in: shop.directory.path)
        .output
      for name in ["b/new", "zz"] {
        let content = "content of edited \(name)"
        #expect(guarded.contains(content) || kept.contains(content), "\(moment) \(name)")
      }
    }
    #expect(moment > 5)
  }
}
