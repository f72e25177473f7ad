// Values, revisions and the timeline.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct HistoryTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private func saveValue(_ bytes: [UInt8], _ name: String, message: String? = nil) throws -> SaveSummary {
    try shop.outside.write("value".bytes, bytes)
    let file = try Descriptor.open(shop.outside.path + "/value".bytes, .namedFile)
    var options = ValueOptions()
    options.message = message
    return try shop.repository.saveValue(readingFrom: file.raw, as: name, options)
  }

  private func write(_ revision: Revision, path: String? = nil) throws -> [UInt8] {
    try shop.outside.write("out".bytes, [])
    let file = try Descriptor.open(shop.outside.path + "/out".bytes, .readWrite)
    try shop.repository.write(revision, path: path.map { BytePath($0) }, to: file.raw)
    return try shop.outside.read("out".bytes)
  }

  @Test(arguments: [0, 1, 100, 16384, 65537, 262_145, 1 << 20, (5 << 20) + 3])
  func valuesComeBack(_ size: Int) throws {
    let bytes = Content.random(size, seed: UInt64(size))
    let saved = try saveValue(bytes, "value", message: "a value")
    #expect(saved.snapshot.kind == .value)
    #expect(saved.snapshot.bytes == UInt64(size))
    #expect(saved.snapshot.files == 1)
    #expect(try write("value") == bytes)
    #expect(try shop.reopened().snapshot("value").message == "a value")
    #expect(try shop.repository.verify(readData: true).damage == [])
    #expect(try saveValue(bytes, "again").bytesStored < 1024)
    // A value is not on the timeline, so it cannot be restored to the folder.
    #expect(try shop.repository.log() == [])
    #expect(code { try shop.restore("value") } == .wrongKind)
    #expect(code { try shop.extract("value", to: "copy") } == .wrongKind)
    #expect(code { try write("value", path: "x") } == .wrongKind)
    _ = try shop.repository.collectGarbage()
    #expect(try write("value") == bytes)
  }

  @Test func aNameRemembersWhatItMeant() throws {
    for number in 0..<5 { _ = try saveValue("\(number)".bytes, "value") }
    for back in 0..<5 { #expect(try write("value~\(back)") == "\(4 - back)".bytes) }
    #expect(try write("value~") == "3".bytes)
    #expect(code { try write("value~5") } == .noSuchState)
    var options = LogOptions()
    options.from = "value"
    #expect(try shop.repository.log(options).count == 5)
    options.limit = 2
    #expect(try shop.repository.log(options).count == 2)
    // gc keeps it for a time.
    _ = try shop.repository.collectGarbage()
    for back in 0..<5 { #expect(try write("value~\(back)") == "\(4 - back)".bytes) }
    // gc removes what only the history keeps, and the history ends there.
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try write("value") == "4".bytes)
    #expect(code { try write("value~1") } == .noSuchState)
    #expect(try shop.repository.log(options).count == 1)
  }

  @Test func valuesNeedConfirmation() throws {
    #expect(code { try shop.repository.saveValue(readingFrom: -1, as: "x") } == .system)
    try shop.outside.write("value".bytes, "1".bytes)
    let file = try Descriptor.open(shop.outside.path + "/value".bytes, .namedFile)
    let failed = code {
      try shop.repository.saveValue(readingFrom: file.raw, as: "x") { () throws(RepositoryError) in
        throw RepositoryError(.cancelled, "no")
      }
    }
    #expect(failed == .cancelled)
    #expect(try shop.repository.states() == [])
    #expect(try shop.storeFolder.folder("packs").names() == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }

  @Test func writesOneFileOfASnapshot() throws {
    try shop.folder.makeFolder("a".bytes)
    let large = Content.random(700_000, seed: 1)
    try shop.folder.write("a/large".bytes, large)
    try shop.folder.truncate("a/sparse".bytes, to: 300_000)
    try shop.folder.patch("a/sparse".bytes, "data".bytes, at: 200_000)
    try shop.folder.write("empty".bytes, [])
    try shop.folder.makeLink("link".bytes, to: "empty".bytes)
    try shop.save("a")
    #expect(try write("a", path: "a/large") == large)
    #expect(try write("a", path: "a/sparse") == shop.folder.read("a/sparse".bytes))
    #expect(try write("a", path: "empty") == [])
    #expect(code { try write("a") } == .wrongKind)
    #expect(code { try write("a", path: "a") } == .wrongKind)
    #expect(code { try write("a", path: "link") } == .wrongKind)
    #expect(code { try write("a", path: "nothing") } == .noSuchPath)
    #expect(code { try write("a", path: "a/large/x") } == .noSuchPath)
  }

  /// Compares @~N, NAME~N and prefixes with a list kept by the test.
  @Test func revisionsNameWhatTheyShould() throws {
    var ids: [SnapshotID] = []
    for number in 0..<20 {
      try shop.folder.write("file".bytes, "\(number)".bytes)
      ids.append(try shop.save("n\(number % 3)").snapshot.id)
    }
    let repository = shop.repository
    for back in 0..<20 {
      #expect(try repository.snapshot("@~\(back)").id == ids[19 - back])
      #expect(try repository.snapshot(Revision(ids[back].description)).id == ids[back])
      #expect(try repository.snapshot(Revision(ids[back].description.uppercased())).id == ids[back])
      #expect(try repository.snapshot(Revision(String(ids[back].description.prefix(20)))).id == ids[back])
      #expect(code { try repository.snapshot(Revision(String(ids[back].description.prefix(3)))) } == .noSuchState)
    }
    #expect(try repository.snapshot("@").id == ids[19])
    #expect(try repository.snapshot("@~").id == ids[18])
    #expect(code { try repository.snapshot("@~20") } == .noSuchState)
    for back in 0..<6 { #expect(try repository.snapshot("n1~\(back)").id == ids[19 - 3 * back]) }
    // A restore moves the position by a new step.
    try shop.restore("@~5")
    #expect(try repository.snapshot("@").id == ids[14])
    #expect(try repository.snapshot("@~1").id == ids[19])
    // A name wins over the digits of an id.
    let digits = String(ids[3].description.prefix(6))
    try shop.folder.write("file".bytes, "named".bytes)
    let named = try shop.save(digits).snapshot.id
    #expect(try repository.snapshot(Revision(digits)).id == named)
  }

  @Test func anAmbiguousPrefixIsRefused() throws {
    // The forged roots have ids with the same beginning.
    try shop.save("a")
    let first = try #require(ObjectID(hex: "abcdef" + String(repeating: "0", count: 58)))
    let second = try #require(ObjectID(hex: "abcde0" + String(repeating: "1", count: 58)))
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      refs["x"] = first
      refs["y"] = second
    }
    #expect(code { try shop.repository.snapshot("abcd") } == .ambiguous)
    #expect(code { try shop.repository.snapshot("abcde") } == .ambiguous)
    #expect(code { try shop.repository.snapshot("abcdef") } == .damaged)
    #expect(code { try shop.repository.snapshot("abcd1") } == .noSuchState)
  }

  @Test func theTimelineIsBounded() throws {
    try shop.folder.write("file".bytes, "0".bytes)
    let first = try shop.save("first").snapshot.id
    let step = TimelineStep(operation: .save, time: Clock.now(), snapshot: first.object)
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      for _ in 0..<FolderTimeline.limit + 50 { refs.timeline.append(step) }
    }
    #expect(try shop.repository.readRefs().timeline.steps.count == FolderTimeline.limit)
    var ids: [SnapshotID] = []
    for number in 1...5 {
      try shop.folder.write("file".bytes, "\(number)".bytes)
      ids.append(try shop.save().snapshot.id)
    }
    let timeline = try shop.repository.readRefs().timeline
    #expect(timeline.steps.count == FolderTimeline.limit)
    #expect(timeline.position == FolderTimeline.limit - 1)
    #expect(try shop.repository.log().count == FolderTimeline.limit)
    for back in 0..<5 { #expect(try shop.repository.snapshot("@~\(back)").id == ids[4 - back]) }
    #expect(try shop.repository.snapshot("@~999").id == first)
    #expect(code { try shop.repository.snapshot("@~1000") } == .noSuchState)
  }

  /// Beyond the oldest step, history follows the parents.
  @Test func olderHistoryFollowsTheParents() throws {
    var ids: [SnapshotID] = []
    for number in 0..<6 {
      try shop.folder.write("file".bytes, "\(number)".bytes)
      ids.append(try shop.save().snapshot.id)
    }
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      let steps = Array(refs.timeline.steps.suffix(2))
      if let short = FolderTimeline(steps: steps, position: 1) { refs.timeline = short }
    }
    #expect(try shop.repository.log().map(\.snapshot.id) == ids.reversed())
    for back in 0..<6 { #expect(try shop.repository.snapshot("@~\(back)").id == ids[5 - back]) }
  }
}
