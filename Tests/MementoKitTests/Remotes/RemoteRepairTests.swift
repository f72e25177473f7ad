// Damaged records of a remote, and what a repair makes of them.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteRepairTests {
  private let place: TemporaryDirectory
  private let url: RemoteURL
  private let one: RemoteTests.Machine

  init() throws {
    place = try TemporaryDirectory()
    url = try RemoteURL("file://\(place.path)/remote")
    one = try RemoteTests.Machine("one")
  }

  private func fill(plain: Bool) throws {
    try one.add(url, plain: plain)
    try one.fixture.folder.write("a".bytes, Content.random(300_000, seed: 1))
    try one.save("v1")
    try one.push()
    try one.fixture.folder.remove("a".bytes)
    try one.fixture.folder.write("b".bytes, Content.random(200_000, seed: 2))
    try one.save("v2")
    try one.push()
  }

  private func days(_ count: Int) throws {
    let script = """
      find "$1" -type f | while IFS= read -r f; do touch -d "@$(($(stat -c %Y "$f") - $2 * 86400))" "$f"; done
      """
    #expect(try Launch(["sh", "-c", script, "sh", "\(place.path)/remote", "\(count)"]).status == 0)
  }

  private func remote(_ folder: String) -> FolderTools { FolderTools("\(place.path)/remote/\(folder)".bytes) }

  private func files(_ folder: String) throws -> [[UInt8]] {
    guard try FolderTools("\(place.path)/remote".bytes).names().contains(folder.bytes) else { return [] }
    return try RemoteTests.files(remote(folder))
  }

  private func damage(_ file: [UInt8], in folder: String) throws {
    var bytes = try remote(folder).read(file)
    bytes[bytes.count - 1] ^= 1
    try remote(folder).write(file, bytes)
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
      url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    #expect(try cloned.verify(readData: true).damage.isEmpty)
    #expect(try cloned.stateNames().count == states)
    try place.descriptor.removeTree("clone".bytes)
  }

  private func code(_ body: () throws -> Void) -> RepositoryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RepositoryError)?.code
    }
  }

  /// Packs say what they hold: who has never read the index, and has none of the content, heals it as well.
  @Test(arguments: [true, false], [true, false])
  func aDamagedIndexIsBuiltAnew(_ isPlain: Bool, _ isKnown: Bool) throws {
    try fill(plain: isPlain)
    for file in try files("index") { try damage(file, in: "index") }
    let two = try RemoteTests.Machine("two")
    try two.add(url, plain: isPlain)
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
      try days(2)
      _ = try collect()
    }
    #expect(try verify(percent: 100).recordsReplaced == 0)
    #expect(try files("index").count == 1)
    try cloneIsWhole(2)
  }

  /// What it may have marked is marked again, and nothing that a name needs.
  @Test(arguments: [true, false])
  func aDamagedMarkIsReplaced(_ isPlain: Bool) throws {
    try fill(plain: isPlain)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    try days(2)
    #expect(try collect().marked.packs == 1)
    try damage(try #require(try files("marks").first), in: "marks")
    // Nobody may rely on anything before it is healed.
    #expect(code { try one.push("v1") } == .damaged)
    #expect(code { _ = try collect() } == .damaged)
    #expect(try verify().report.damage.count == 1)
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty && healed.sent?.records == 1 && healed.recordsReplaced == 1, "\(healed)")
    // A push does not rely on the marked pack.
    try one.push("v1")
    #expect(try files("packs").count == 3)
    try days(2)
    #expect(try collect().removed.packs == 1)
    for _ in 0..<6 {
      try days(2)
      _ = try collect()
    }
    #expect(try files("marks").isEmpty && files("packs").count == 2)
    try cloneIsWhole(2)
  }

  /// Who has seen it knows all that it said.
  @Test(arguments: [true, false])
  func aDamagedRecordOfNamesIsPutAnewByWhoHasSeenIt(_ isPlain: Bool) throws {
    try fill(plain: isPlain)
    let last = try #require(try files("refs").last)
    try damage(last, in: "refs")
    // Nobody else can say what the names are, and takes no older ones for them.
    let two = try RemoteTests.Machine("two")
    #expect(code { try two.add(url, plain: isPlain) } == .damaged)
    let text = String(decoding: last, as: UTF8.self)
    let hurt = try verify()
    #expect(hurt.report.damage.map(\.message).contains { $0.contains("refs/\(text)") }, "\(hurt)")
    #expect(code { _ = try collect() } == .damaged)
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty && healed.sent?.records == 1 && healed.recordsReplaced == 1, "\(healed)")
    try two.add(url, plain: isPlain)
    try two.pull()
    #expect(try two.names.count == 2)
    try cloneIsWhole(2)
    for _ in 0..<3 {
      try days(2)
      _ = try collect()
    }
    #expect(try !files("refs").contains(last) && verify().recordsReplaced == 0)
    try cloneIsWhole(2)
  }

  @Test func anOldRecordIsNotMissed() throws {
    try fill(plain: true)
    let first = try #require(try files("refs").first)
    try #require(try files("refs").count > 1)
    try damage(first, in: "refs")
    let found = try verify()
    #expect(found.report.damage.isEmpty && found.recordsReplaced == 1, "\(found)")
    try cloneIsWhole(2)
  }

  /// The list of steps of a pushed timeline comes from what was pushed, also when the timeline has gone on here.
  @Test(arguments: [false, true])
  func listsOfStepsAreSentAgain(_ hasGoneOn: Bool) throws {
    try one.add(url)
    for number in 1...3 {
      try one.write("a", "\(number)")
      _ = try one.repository.save()
    }
    try one.push(timeline: true)
    if hasGoneOn {
      try one.write("a", "4")
      _ = try one.repository.save()
    }
    for file in try files("packs") { try remote("packs").remove(file) }
    let hurt = try verify()
    #expect(hurt.report.damage.contains { $0.message.contains("the steps that one has pushed") }, "\(hurt)")
    let healed = try verify(repairs: true)
    #expect(healed.report.damage.isEmpty, "\(healed)")
    let folder = BytePath("\(place.path)/clone".bytes)
    _ = try Repository.clone(
      url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    for expected in ["2", "1"] {
      _ = try cloned.undo()
      #expect(try FolderTools(folder.bytes).read("a".bytes) == expected.bytes)
    }
  }
}
