// The folder changes between the plan of a restore and its execution.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RestoreRaceTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for name in ["a", "a/b", "gone"] { try shop.folder.makeFolder(name.bytes) }
    for name in ["1", "2", "3", "a/1", "a/b/1", "gone/1"] { try shop.folder.write(name.bytes, "old \(name)".bytes) }
    try shop.folder.makeFifo("fifo".bytes, mode: 0o666)
    try shop.folder.makeLink("link".bytes, to: "1".bytes)
    try shop.outside.makeFolder("b".bytes)
    for name in ["1", "b/1"] { try shop.outside.write(name.bytes, "outside".bytes) }
    try shop.save("old")
    for name in ["1", "a/1", "a/b/1"] { try shop.folder.write(name.bytes, "new \(name) is longer".bytes) }
    try shop.folder.setMode("3".bytes, 0o600)
    try shop.folder.setMode("a".bytes, 0o750)
    try shop.folder.setTime("fifo".bytes, 1_000_000_000)
    try shop.folder.setTime("link".bytes, 1_000_000_000)
    try shop.folder.remove("gone".bytes)
    try shop.folder.remove("2".bytes)
    try shop.folder.write("extra".bytes, "extra".bytes)
    try shop.folder.makeFolder("more".bytes)
    try shop.folder.write("more/extra".bytes, "extra".bytes)
    try shop.save("new")
  }

  /// Plans and stages a restore of "old", calls `meddle`, and applies the plan. `begun`: when the walk began; nil for a
  /// time after all writes to the folder.
  private func apply(
    begun: Timestamp? = nil, _ meddle: (FolderTools) throws -> Void
  ) throws -> (rescued: [BytePath], problems: [Problem]) {
    let repository = shop.repository
    let old = try shop.record("old")
    let new = try shop.record("new")
    var plan = try RestorePlanner(
      current: FolderState(tree: new.tree, root: new.rootMetadata, links: [], source: repository.store),
      target: FolderState(tree: old.tree, root: old.rootMetadata, links: [], source: repository.store),
      untouchable: []
    ).run()
    let blocked = try RestoreCheck.problems(&plan, root: try repository.root)
    #expect(blocked == [])
    let problems = RestoreProblems(SilentMonitor())
    let staging = try StagingFolder(making: repository)
    let begun = begun ?? Clock.now().adding(seconds: 3600)
    let staged = try RestoreStage(
      plan: plan, staging: staging, repository: repository, monitor: SilentMonitor(), problems: problems,
      rights: .asRecorded, list: StagingList(begun: begun, target: .zero), sharing: nil
    ).run()
    try meddle(shop.folder)
    let outcome = try RestoreApply(
      plan, staging, repository, problems, .asRecorded, unmade: staged.unmade, seen: (begun, repository.store)
    ).run()
    #expect(!outcome.isStagingKept)
    staging.remove()
    #expect(try shop.storeFolder.folder("tmp").names() == [])
    return (outcome.rescued, problems.all)
  }

  @Test func nothingHappens() throws {
    let (rescued, problems) = try apply { _ in }
    #expect(rescued == [])
    #expect(problems == [])
    #expect(try shop.state.differences(from: Manifest(shop.extract("old", to: "copy").0)) == [])
  }

  @Test(arguments: ["1", "a/1", "a/b/1", "extra", "more/extra"])
  func anEditIsRescued(_ name: String) throws {
    let (rescued, problems) = try apply { try $0.write(name.bytes, "precious work".bytes) }
    #expect(rescued.count == 1)
    #expect(problems.map(\.path) == [BytePath(name)])
    let kept = try #require(rescued.first)
    #expect(try FolderTools(kept.bytes).read([]) == "precious work".bytes)
    #expect(try shop.state.differences(from: Manifest(shop.extract("old", to: "copy").0)) == [])
    try shop.save("later")
    _ = try shop.repository.collectGarbage()
    #expect(try FolderTools(kept.bytes).read([]) == "precious work".bytes)
  }

  @Test func aFileThatAppearsWhereOneIsMadeIsRescued() throws {
    let (rescued, _) = try apply { try $0.write("2".bytes, "appeared".bytes) }
    #expect(rescued.count == 1)
    #expect(try shop.folder.read("2".bytes) == "old 2".bytes)
  }

  /// There is nothing to exchange with, and nothing to rescue.
  @Test(arguments: ["1", "a/1", "a/b/1"]) func aFileThatVanishesWhereOneIsReplacedIsMade(_ name: String) throws {
    let (rescued, problems) = try apply { try $0.remove(name.bytes) }
    #expect(rescued == [] && problems == [])
    #expect(try shop.folder.read(name.bytes) == "old \(name)".bytes)
    #expect(try shop.state.differences(from: Manifest(shop.extract("old", to: "copy").0)) == [])
  }

  @Test func aFolderThatAppearsWhereAFileIsMadeStays() throws {
    let (rescued, problems) = try apply {
      try $0.makeFolder("2".bytes)
      try $0.write("2/inner".bytes, "appeared".bytes)
    }
    #expect(rescued == [])
    #expect(problems.contains { $0.path == BytePath("2") && !$0.isNote })
    #expect(try shop.folder.read("2/inner".bytes) == "appeared".bytes)
  }

  @Test func aFileThatAppearsInAFolderThatGoesStays() throws {
    let (_, problems) = try apply { try $0.write("more/appeared".bytes, "appeared".bytes) }
    #expect(problems.map(\.path) == [BytePath("more")])
    #expect(try shop.folder.read("more/appeared".bytes) == "appeared".bytes)
  }

  @Test func aFileThatChangedIsNotGivenAnotherMode() throws {
    let (_, problems) = try apply { try $0.write("3".bytes, "changed meanwhile".bytes) }
    #expect(problems.map(\.path) == [BytePath("3")])
    #expect(try shop.folder.read("3".bytes) == "changed meanwhile".bytes)
  }

  /// A decoy takes the place of a file whose metadata should change. It must not be changed.
  @Test(arguments: ["fifo", "link", "3"])
  func aDecoyKeepsItsMetadata(_ name: String) throws {
    let (rescued, problems) = try apply {
      try $0.remove(name.bytes)
      try $0.write(name.bytes, "decoy".bytes, mode: 0o600)
      try $0.setTime(name.bytes, 500_000_000)
    }
    #expect(problems.map(\.path) == [BytePath(name)])
    let place = rescued.first?.bytes ?? shop.folder.path + "/".bytes + name.bytes
    let status = try Descriptor.open(place, .read).status()
    #expect(try FolderTools(place).read([]) == "decoy".bytes)
    #expect(status.permissions == 0o600)
    #expect(status.modified.seconds == 500_000_000)
  }

  @Test func aDecoyFolderKeepsItsMetadata() throws {
    let (_, problems) = try apply {
      try $0.rename("a".bytes, to: "aside".bytes)
      try $0.makeFolder("a".bytes, mode: 0o711)
      try $0.makeFolder("a/b".bytes, mode: 0o711)
    }
    #expect(problems.contains { !$0.isNote && $0.path == BytePath("a") })
    #expect(try shop.folder.folder("a").names() == ["b".bytes])
    #expect(try shop.folder.folder("a/b").names() == [])
    for name in ["a", "a/b"] {
      let status = try shop.directory.descriptor.open("work/\(name)".bytes, .directory).status()
      #expect(status.permissions == 0o711)
    }
  }

  /// In the folder of another user, root makes its directories in the staging folder first.
  @Test(.enabled(if: isSuperuser, "only root can give a folder away"))
  func aDecoyWhereAFolderIsMadeIsLeftAlone() throws {
    try shop.folder.setOwner([], user: 65534, group: 65534)
    let (_, problems) = try apply {
      try $0.makeFolder("gone".bytes, mode: 0o700)
      try $0.write("gone/secret".bytes, "secret".bytes)
    }
    #expect(problems.contains { !$0.isNote && $0.path == BytePath("gone") })
    #expect(try shop.folder.folder("gone").names() == ["secret".bytes])
    let status = try shop.directory.descriptor.open("work/gone".bytes, .directory).status()
    #expect(status.permissions == 0o700)
  }

  /// The edit keeps size and time: it happened within the tick of the clock in which the walk read the file.
  @Test(arguments: ["1", "a/b/1", "extra"])
  func anEditThatTheClockCannotTellIsRescued(_ name: String) throws {
    let (rescued, _) = try apply(begun: .distantPast) { folder in
      let before = try Manifest(folder).entries[name.bytes]
      try folder.write(name.bytes, folder.read(name.bytes).reversed())
      try folder.setTime(name.bytes, #require(before).seconds, #require(before).nanoseconds)
    }
    #expect(rescued.count == 1)
    let (none, problems) = try RestoreRaceTests().apply(begun: .distantPast) { _ in }
    #expect(none == [])
    #expect(problems == [])
  }

  /// A folder on the way becomes a link to the outside. Nothing there may be read, written or removed.
  @Test(arguments: ["a", "a/b", "more", "1", "2", "3", "gone", "extra"])
  func linksAreNeverFollowed(_ name: String) throws {
    let canary = try Manifest(shop.outside)
    _ = try apply {
      try? $0.remove(name.bytes)
      try $0.makeLink(name.bytes, to: shop.outside.path)
    }
    #expect(try Manifest(shop.outside).touched(since: canary) == [])
    // Whatever happened, a restore that is not disturbed puts everything right.
    try shop.restore("old")
    #expect(try shop.state.differences(from: Manifest(shop.extract("old", to: "copy").0)) == [])
    #expect(try Manifest(shop.outside).touched(since: canary) == [])
  }

  @Test(arguments: ["a", "a/b", "more"])
  func foldersThatVanishAreToldOf(_ name: String) throws {
    _ = try apply { try $0.remove(name.bytes) }
    try shop.restore("old")
    #expect(try shop.state.differences(from: Manifest(shop.extract("old", to: "copy").0)) == [])
  }
}
