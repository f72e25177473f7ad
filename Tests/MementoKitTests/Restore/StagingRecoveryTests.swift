// A restore was killed between an exchange of two files and the check of the old one. The only copy of what somebody
// wrote meanwhile is in the staging folder.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct StagingRecoveryTests {
  let shop: RepositoryFixture
  private static let names = ["a", "b+c", "b/c", "gone"]

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.makeFolder("b".bytes)
    for name in StagingRecoveryTests.names.dropLast() { try shop.folder.write(name.bytes, "one \(name)".bytes) }
    try shop.folder.write("large".bytes, Content.text(300_000, seed: 1))
    try shop.save("one")
    for name in StagingRecoveryTests.names { try shop.folder.write(name.bytes, "two \(name)".bytes) }
    try shop.folder.write("large".bytes, Content.text(400_000, seed: 2))
    try shop.save("two")
  }

  enum Way: CaseIterable, Sendable {
    case forward, back, discarded, lostRefs
  }

  /// Stages a restore of "one", marks it, calls `meddle`, and makes all the renames without checking anything.
  private func kill(_ way: Way, begun: Timestamp = Clock.now().adding(seconds: 3600), _ meddle: () throws -> Void)
    throws
  {
    let repository = shop.repository
    let (one, two) = (try shop.record("one"), try shop.record("two"))
    let plan = try RestorePlanner(
      current: FolderState(tree: two.tree, root: two.rootMetadata, links: [], source: repository.store),
      target: FolderState(tree: one.tree, root: one.rootMetadata, links: [], source: repository.store),
      untouchable: []
    ).run()
    let staging = try StagingFolder(making: repository)
    let target = try repository.snapshot("one").id.object
    let before = way == .discarded ? nil : try repository.snapshot("two").id.object
    _ = try RestoreStage(
      plan: plan, staging: staging, repository: repository, monitor: SilentMonitor(),
      problems: RestoreProblems(SilentMonitor()), rights: .asRecorded,
      list: StagingList(begun: begun, target: target, before: before), sharing: nil
    ).run()
    if way != .lostRefs {
      let mark = PendingRestore(target: target, before: before, staging: staging.name, position: nil)
      _ = try repository.store.refs.update(waiting: 10) { $0.pending = mark }
    }
    try meddle()
    let root = try repository.root
    var moves: [PlanItem] = []
    try plan.items.forEach { (item) throws(RepositoryError) in moves.append(item) }
    for item in moves {
      let directory = try root.descriptor.open(
        item.directory == 0 ? ".".bytes : plan.path(of: item.directory), .directory)
      if item.action == .remove {
        try directory.rename(item.name, to: StagedName.removed(item.number), in: staging.directory.descriptor)
      } else {
        try staging.directory.descriptor.rename(
          StagedName.waiting(item.number), to: item.name, in: directory, .exchange)
      }
    }
  }

  /// The contents of the files in `rescue/`.
  private func rescued() throws -> Set<[UInt8]> {
    guard try shop.storeFolder.names().contains("rescue".bytes) else { return [] }
    let rescue = shop.storeFolder.folder("rescue")
    return Set(try rescue.names().map { try rescue.read($0) })
  }

  private func recover(_ way: Way) throws -> RestoreSummary? {
    let repository = try shop.reopened()
    switch way {
    case .forward, .discarded: return try repository.continueRestore()
    case .back: return try repository.abortRestore()
    case .lostRefs:
      _ = try repository.save(SaveOptions(name: "next"))
      return nil
    }
  }

  @Test(arguments: Way.allCases)
  func nothingWasEdited(_ way: Way) throws {
    try kill(way) {}
    let summary = try recover(way)
    #expect(try rescued() == [])
    #expect(summary?.rescued ?? [] == [])
    #expect(summary?.problems ?? [] == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }

  @Test(arguments: Way.allCases)
  func whatWasEditedIsRescued(_ way: Way) throws {
    try kill(way) {
      for name in StagingRecoveryTests.names { try shop.folder.write(name.bytes, "precious \(name)".bytes) }
      var large = Content.text(400_000, seed: 2)
      large[399_999] ^= 1
      try shop.folder.write("large".bytes, large)
    }
    let summary = try recover(way)
    let kept = try rescued()
    #expect(kept.count == 5)
    for name in StagingRecoveryTests.names { #expect(kept.contains("precious \(name)".bytes)) }
    #expect(try shop.storeFolder.folder("tmp").names() == [])
    if let summary {
      #expect(summary.rescued.count == 5)
      let paths = (StagingRecoveryTests.names + ["large"]).map { BytePath($0) }.sorted()
      #expect(summary.problems.map(\.path) == paths)
      #expect(!summary.problems.contains { !$0.isNote })
    }
    _ = try shop.repository.collectGarbage()
    #expect(try rescued() == kept)
  }

  /// Size and time are the same. With `begun` in the past, only the content shows the change.
  @Test(arguments: Way.allCases)
  func whatTheClockCannotTellIsRescued(_ way: Way) throws {
    let before = try #require(try shop.state.entries["a".bytes])
    try kill(way, begun: .distantPast) {
      try shop.folder.write("a".bytes, "own a".bytes)
      try shop.folder.setTime("a".bytes, before.seconds, before.nanoseconds)
    }
    _ = try recover(way)
    #expect(try rescued() == ["own a".bytes])
  }

  /// Without its list, or with a damaged one, the folder is kept as a whole, and gc does not remove it either.
  @Test(arguments: [0, 5, 30, 60, -1])
  func aDamagedListKeepsEverything(_ place: Int) throws {
    try kill(.forward) { try shop.folder.write("a".bytes, "precious".bytes) }
    let tmp = shop.storeFolder.folder("tmp")
    let staging = tmp.folder(String(decoding: try #require(try tmp.names().first), as: UTF8.self))
    if place < 0 {
      try staging.remove("list".bytes)
    } else {
      let byte = try staging.read("list".bytes)[place]
      try staging.patch("list".bytes, [byte ^ 0x40], at: place)
    }
    let summary = try shop.reopened().continueRestore()
    #expect(summary.rescued.count == 1)
    #expect(summary.problems.contains { !$0.isNote })
    let kept = FolderTools(try #require(summary.rescued.first).bytes)
    let contents = try kept.names().map { try kept.read($0) }
    #expect(contents.contains("precious".bytes))
    #expect(try tmp.names() == [])
  }

  @Test func gcLeavesWhatNobodyHasLookedAt() throws {
    try kill(.lostRefs) { try shop.folder.write("a".bytes, "precious".bytes) }
    _ = try shop.repository.collectGarbage()
    try shop.save("next")
    #expect(try rescued() == ["precious".bytes])
  }

  @Test func aListIsReadAsItWasWritten() throws {
    var plan = RestorePlan(oldRoot: nil, newRoot: nil)
    plan.directories.append(PlanDirectory(parent: 0, name: "folder".bytes, fate: .keep))
    for index in 0..<40_000 {
      let entry = TreeEntry.file("file \(index)", "x".bytes)
      plan.items.append(
        PlanItem(
          directory: index % 3 == 0 ? 0 : 1, action: index % 5 == 0 ? .metadata : .replace,
          old: index % 2 == 0 ? entry : nil, new: entry))
    }
    let time = Timestamp(seconds: -5, nanoseconds: 999_999_999)
    try StagingList(begun: time, target: ObjectID(hashing: [1]), before: nil).write(
      plan, into: shop.directory.descriptor)
    let list = try #require(try StagingList.read(from: shop.directory.descriptor))
    #expect(list.begun == time)
    #expect(list.target == ObjectID(hashing: [1]))
    #expect(list.before == nil)
    try plan.items.forEach { (item) throws(RepositoryError) in
      let read = list.items[item.number]
      guard (read == nil) == (item.action == .metadata), read == nil || read?.path == plan.path(of: item),
        read == nil || read?.old == item.old
      else {
        Issue.record("item \(item.number) differs")
        return
      }
    }
  }
}
