// @{DATE}: where the folder was, also if undo and redo have moved it since.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PositionHistoryTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private func save(_ content: String, _ name: String? = nil) throws -> (id: SnapshotID, time: SnapshotTime) {
    try shop.folder.write("file".bytes, content.bytes)
    return (try shop.save(name).snapshot.id, .now)
  }

  private func at(_ time: SnapshotTime) throws -> SnapshotID {
    try shop.reopened().snapshot("@{\(time.rfc3339)}").id
  }

  @Test func followsEveryMove() throws {
    #expect(code { try shop.repository.snapshot("@{1h}") } == .noSuchState)
    let one = try save("1")
    let two = try save("2")
    try shop.repository.undo()
    let undone = SnapshotTime.now
    try shop.repository.redo()
    let redone = SnapshotTime.now
    try shop.restore(Revision(one.id.description))
    let restored = SnapshotTime.now
    try shop.folder.write("file".bytes, "unsaved".bytes)
    let undo = try shop.repository.undo()
    let back = SnapshotTime.now
    let guardID = try #require(undo.restore.guard?.id)
    let three = try save("3")
    #expect(try at(one.time) == one.id)
    #expect(try at(two.time) == two.id)
    #expect(try at(undone) == one.id)
    #expect(try at(redone) == two.id)
    #expect(try at(restored) == one.id)
    #expect(try at(back) == one.id)
    #expect(try at(three.time) == three.id)
    #expect(try shop.repository.snapshot("@{0s}").id == three.id)
    #expect(try shop.repository.snapshot("@@{0s}").id == three.id)
    #expect(try shop.repository.snapshot(Revision(guardID.description)).id == guardID)
    let before = SnapshotTime(one.time.timestamp.adding(seconds: -9))
    #expect(code { try at(before) } == .noSuchState)
    #expect(code { try shop.repository.snapshot("@{1y}") } == .noSuchState)
  }

  @Test func valuesAreOnNoTimeline() throws {
    let one = try save("1")
    let file = try Descriptor.open(shop.folder.path + "/file".bytes, .namedFile)
    let value = try shop.repository.saveValue(readingFrom: file.raw, as: "v").snapshot
    let later = SnapshotTime.now
    #expect(try at(value.time) == one.id)
    _ = try save("2")
    #expect(try at(later) == one.id)
  }

  @Test func withoutTheJournalTheTimelineSays() throws {
    let saves = try ["1", "2", "3"].map { try save($0) }
    try shop.storeFolder.remove("journal".bytes)
    for save in saves { #expect(try at(save.time) == save.id) }
  }

  /// Beyond the timeline it follows the parents; beyond these it throws.
  @Test func olderThanTheTimeline() throws {
    let saves = try ["1", "2", "3", "4"].map { try save($0) }
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      if let short = FolderTimeline(steps: Array(refs.timeline.steps.suffix(1)), position: 0) { refs.timeline = short }
    }
    try shop.storeFolder.remove("journal".bytes)
    for save in saves { #expect(try at(save.time) == save.id) }
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(code { try at(saves[2].time) } == .noSuchState)
    #expect(try at(saves[3].time) == saves[3].id)
  }

  @Test(arguments: ["@{}", "@{x}", "@{2h", "@2h}", "@{1h}~1", "@~1@{1h}", "@{-1}", "@{{1h}}"])
  func otherFormsNameNothing(_ revision: String) throws {
    _ = try save("1")
    #expect(code { try shop.repository.snapshot(Revision(revision)) } == .noSuchState)
  }
}
