// Damaged records of a remote, and what a repair makes of them.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteRepairTests {
  private let place: RemotePlace
  private let one: RemoteTests.Machine

  init() throws {
    place = try RemotePlace()
    one = try RemoteTests.Machine("one")
  }

  private func damage(_ file: String, in folder: String) throws {
    var bytes = try place.objects(folder).read(file.bytes)
    bytes[bytes.count - 1] ^= 1
    try place.objects(folder).write(file.bytes, bytes)
  }

  private func verify(
    _ machine: RemoteTests.Machine? = nil, repairs: Bool = false, percent: Double = 0
  ) throws -> RemoteVerifyReport {
    let machine = machine ?? one
    return try machine.repository.verifyRemote(
      "origin", VerifyOptions(readPercent: percent), repairs: repairs, access: machine.access)
  }

  private func collect() throws -> RemoteCollectionSummary {
    try one.repository.collectRemoteGarbage(on: "origin", access: one.access)
  }

  private func cloneIsWhole(_ states: Int) throws {
    let folder = BytePath("\(place.path)/clone".bytes)
    _ = try Repository.clone(
      place.url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    #expect(try cloned.verify(readData: true).damage.isEmpty)
    #expect(try cloned.stateNames().count == states)
    try place.folder.descriptor.removeTree("clone".bytes)
  }

  private func code(_ body: () throws -> Void) -> RepositoryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RepositoryError)?.code
    }
  }

  /// What is sent again can be the same pack, in an object of another name. Which of the two comes first is chance.
  @Test(arguments: [true, false])
  func aPackThatWasSentAgainCountsAndNotTheHurtOne(_ isPlain: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    for round in 0..<(isPlain ? 6 : 3) {
      let hurt = try place.files("packs").map { try (file: $0, bytes: place.objects("packs").read($0.bytes)) }
      for (file, bytes) in hurt {
        var bytes = bytes
        bytes[isPlain ? 20 : 500] ^= 1 << UInt8(round)
        try place.objects("packs").write(file.bytes, bytes)
      }
      let found = try verify(percent: 100)
      #expect(!found.report.damage.isEmpty)
      #expect(!found.report.damage.contains { $0.message.contains("Invalid argument") }, "\(found)")
      let healed = try verify(repairs: true, percent: 100)
      #expect(healed.report.damage.isEmpty, "\(healed)")
      #expect(try verify(percent: 100).report.damage.isEmpty)
      try cloneIsWhole(2)
    }
  }

  /// Packs say what they hold: who has never read the index, and has none of the content, heals it as well.
  @Test(arguments: [true, false], [true, false])
  func aDamagedIndexIsBuiltAnew(_ isPlain: Bool, _ isKnown: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    for file in try place.files("index") { try damage(file, in: "index") }
    let two = try RemoteTests.Machine("two")
    try two.add(place.url, plain: isPlain)
    #expect(code { try two.pull() } == .damaged)
    let healer = isKnown ? one : two
    let hurt = try verify(healer)
    #expect(hurt.report.damage.filter { $0.message.contains("index/") }.count == 2, "\(hurt)")
    let healed = try verify(healer, repairs: true)
    #expect(healed.report.damage.isEmpty && healed.sent?.records == 1 && healed.recordsReplaced == 2, "\(healed)")
    #expect(healed.sent?.blobs == 0)
    try cloneIsWhole(2)
    #expect(try verify(percent: 100).report.damage.isEmpty)
    // The damaged ones go with time.
    for _ in 0..<3 {
      try place.passDays(2)
      _ = try collect()
    }
    #expect(try verify(percent: 100).recordsReplaced == 0)
    #expect(try place.files("index").count == 1)
    try cloneIsWhole(2)
  }

  /// What it may have marked is marked again, and nothing that a name needs.
  @Test(arguments: [true, false])
  func aDamagedMarkIsReplaced(_ isPlain: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    try place.passDays(2)
    #expect(try collect().marked.packs == 1)
    try damage(try #require(try place.files("marks").first), in: "marks")
    // Nobody may rely on anything before it is healed.
    #expect(code { try one.push("v1") } == .damaged)
    #expect(code { _ = try collect() } == .damaged)
    #expect(try verify().report.damage.count == 1)
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty && healed.sent?.records == 1 && healed.recordsReplaced == 1, "\(healed)")
    // A push does not rely on the marked pack.
    try one.push("v1")
    #expect(try place.files("packs").count == 3)
    try place.passDays(2)
    #expect(try collect().removed.packs == 1)
    for _ in 0..<6 {
      try place.passDays(2)
      _ = try collect()
    }
    #expect(try place.files("marks").isEmpty && place.files("packs").count == 2)
    try cloneIsWhole(2)
  }

  /// Who has seen it knows all that it said.
  @Test(arguments: [true, false])
  func aDamagedRecordOfNamesIsPutAnewByWhoHasSeenIt(_ isPlain: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    let last = try #require(try place.files("refs").last)
    try damage(last, in: "refs")
    // Nobody else can say what the names are, and takes no older ones for them.
    let two = try RemoteTests.Machine("two")
    #expect(code { try two.add(place.url, plain: isPlain) } == .damaged)
    let text = last
    let hurt = try verify()
    #expect(hurt.report.damage.map(\.message).contains { $0.contains("refs/\(text)") }, "\(hurt)")
    #expect(code { _ = try collect() } == .damaged)
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty && healed.sent?.records == 1 && healed.recordsReplaced == 1, "\(healed)")
    try two.add(place.url, plain: isPlain)
    try two.pull()
    #expect(try two.names.count == 2)
    try cloneIsWhole(2)
    for _ in 0..<3 {
      try place.passDays(2)
      _ = try collect()
    }
    #expect(try !place.files("refs").contains(last) && verify().recordsReplaced == 0)
    try cloneIsWhole(2)
  }

  /// One that is gone, too. Until then every look says that it is.
  @Test(arguments: [true, false])
  func aLostRecordOfNamesIsPutAnewByWhoHasSeenIt(_ isPlain: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    let files = try place.files("refs")
    try #require(files.count == 2)
    let early = try RemoteTests.Machine("early")
    try early.add(place.url, plain: isPlain)
    try early.pull()
    for file in files { try place.objects("refs").remove(file.bytes) }
    for _ in 0..<2 {
      #expect(code { _ = try one.push() } == .damaged)
      let hurt = try verify()
      #expect(hurt.report.damage.map(\.message).contains { $0.contains("was rolled back") }, "\(hurt)")
    }
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty && healed.sent?.records == 1 && healed.sent?.blobs == 0, "\(healed)")
    #expect(try verify().report.damage.isEmpty)
    // Who had seen them, too, misses nothing, and those who had not see all.
    #expect(try early.pull().moves.isEmpty)
    try cloneIsWhole(2)
    try one.push()
    #expect(try collect().removed.packs == 0)
  }

  /// What nobody here has read is not guessed at: the names that are known stay as they are.
  @Test func aLostRecordThatNobodyHasReadIsNotGuessedAt() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    let two = try RemoteTests.Machine("two")
    try two.add(place.url, plain: true)
    try two.pull()
    let before = Set(try place.files("refs"))
    try one.write("c", "c")
    try one.save("v3")
    try one.push()
    for file in try place.files("refs") where !before.contains(file) { try place.objects("refs").remove(file.bytes) }
    let found = try verify(two, repairs: true)
    #expect(found.report.damage.isEmpty && found.sent == nil, "\(found)")
    try cloneIsWhole(2)
    // Who has read it gives it back, and with it the name.
    #expect(try verify(repairs: true).report.damage.isEmpty)
    try cloneIsWhole(3)
  }

  @Test func anOldRecordIsNotMissed() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    let first = try #require(try place.files("refs").first)
    try #require(try place.files("refs").count > 1)
    try damage(first, in: "refs")
    let found = try verify()
    #expect(found.report.damage.isEmpty && found.recordsReplaced == 1, "\(found)")
    try cloneIsWhole(2)
  }

  /// The list of steps of a pushed timeline comes from what was pushed, also when the timeline has gone on here.
  @Test(arguments: [false, true])
  func listsOfStepsAreSentAgain(_ hasGoneOn: Bool) throws {
    try one.add(place.url)
    for number in 1...3 {
      try one.write("a", "\(number)")
      _ = try one.repository.save()
    }
    try one.push(timeline: true)
    if hasGoneOn {
      try one.write("a", "4")
      _ = try one.repository.save()
    }
    for file in try place.files("packs") { try place.objects("packs").remove(file.bytes) }
    let hurt = try verify()
    #expect(hurt.report.damage.contains { $0.message.contains("the steps that one has pushed") }, "\(hurt)")
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty, "\(healed)")
    let folder = BytePath("\(place.path)/clone".bytes)
    _ = try Repository.clone(
      place.url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    for expected in ["2", "1"] {
      _ = try cloned.undo()
      #expect(try FolderTools(folder.bytes).read("a".bytes) == expected.bytes)
    }
  }
}
