// Collections, checks and repairs of remotes. Time passes by making all objects older.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteUpkeepTests {
  private let place: RemotePlace
  private let one: RemoteTests.Machine

  init() throws {
    place = try RemotePlace()
    one = try RemoteTests.Machine("one")
  }

  /// Removes the packs of the store.
  private func losePacks() throws {
    let packs = one.fixture.storeFolder.folder("packs")
    for path in try RemoteTests.files(packs) { try packs.remove(path) }
  }

  private func collect(dry: Bool = false) throws -> RemoteCollectionSummary {
    try one.repository.collectRemoteGarbage(on: "origin", isDryRun: dry, access: one.access)
  }

  private func verify(_ percent: Double = 0, repairs: Bool = false) throws -> RemoteVerifyReport {
    try one.repository.verifyRemote(
      "origin", VerifyOptions(readPercent: percent), repairs: repairs, access: one.access)
  }

  private func cloneIsWhole() throws {
    let folder = BytePath("\(place.path)/clone".bytes)
    _ = try Repository.clone(
      place.url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    #expect(try cloned.verify(readData: true).damage.isEmpty)
    try place.folder.descriptor.removeTree("clone".bytes)
  }

  @Test(arguments: [true, false])
  func whatNoNameNeedsGoesInTwoSteps(_ isPlain: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    #expect(try place.files("packs").count == 2)
    // While names need everything, there is nothing to do, however old it is.
    try place.passDays(3)
    #expect(try collect().marked.packs == 0)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    let planned = try collect(dry: true)
    #expect(planned.marked.packs == 1 && planned.marked.bytes >= 300_000 && !planned.isCommitted)
    #expect(try place.files("packs").count == 2)
    let marked = try collect()
    #expect(marked.marked.packs == 1 && marked.marked.due != nil && marked.removed.packs == 0)
    #expect(try place.files("marks").count == 1)
    let waiting = try collect()
    #expect(waiting.waiting.packs == 1 && waiting.marked.packs == 0 && waiting.removed.packs == 0)
    let stats = try one.repository.remoteStatistics(of: nil, access: one.access)
    #expect(stats.marked.packs == 1 && stats.due.packs == 0 && stats.states == 1 && stats.writers == 1)
    try place.passDays(2)
    #expect(try one.repository.remoteStatistics(of: nil, access: one.access).due.packs == 1)
    let removed = try collect()
    #expect(removed.removed.packs == 1 && removed.indexesReplaced == 1)
    #expect(try place.files("packs").count == 1)
    try cloneIsWhole()
    // What was needed for the removal goes with time, too.
    for _ in 0..<6 {
      try place.passDays(2)
      _ = try collect()
    }
    #expect(try place.files("marks").isEmpty && place.files("index").count <= 2)
    #expect(try verify(100).report.damage.isEmpty)
    // What was removed comes back with a push.
    try one.push("v1")
    try cloneIsWhole()
    #expect(try verify(100).report.damage.isEmpty)
  }

  @Test func whatIsNewIsNotMarked() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    let found = try collect()
    #expect(found.young.packs == 1 && found.marked.packs == 0)
  }

  /// A push beside a collection: what was marked is sent anew, and stays.
  @Test func aPushAfterAMarkLosesNothing() throws {
    try one.pushTwoStates(to: place.url, plain: false)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    try place.passDays(2)
    #expect(try collect().marked.packs == 1)
    try one.push("v1")
    #expect(try place.files("packs").count == 3)
    try place.passDays(2)
    #expect(try collect().removed.packs == 1)
    #expect(try place.files("packs").count == 2)
    try cloneIsWhole()
  }

  @Test func aDamagedRemoteIsNotCollected() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    try place.passDays(2)
    for file in try place.files("packs") { try FolderTools("\(place.path)/remote/packs".bytes).remove(file.bytes) }
    // What describes v2 is here, and its chunks are nowhere there.
    #expect(throws: RepositoryError.self) { try collect() }
    #expect(try place.files("marks").isEmpty)
  }

  @Test(arguments: [true, false])
  func aDamagedPackIsNamedAndSentAgain(_ isPlain: Bool) throws {
    try one.pushTwoStates(to: place.url, plain: isPlain)
    let whole = try verify(100)
    #expect(whole.report.damage.isEmpty && whole.report.bytesRead > 500_000 && whole.records >= 4)
    #expect(whole.report.snapshots == 2 && whole.report.packs == 2)
    for file in try place.files("packs") {
      let packs = FolderTools("\(place.path)/remote/packs".bytes)
      var bytes = try packs.read(file.bytes)
      bytes[bytes.count / 2] ^= 1
      try packs.write(file.bytes, bytes)
    }
    let hurt = try verify(100)
    #expect(hurt.report.damage.contains { $0.states == ["origin/v1"] && $0.path == BytePath("a".bytes) }, "\(hurt)")
    #expect(hurt.report.damage.contains { $0.states == ["origin/v2"] && $0.path == BytePath("b".bytes) }, "\(hurt)")
    let repaired = try verify(100, repairs: true)
    #expect(repaired.report.damage.isEmpty && (repaired.sent?.blobs ?? 0) > 0, "\(repaired)")
    #expect(try verify(100).report.damage.isEmpty)
    try cloneIsWhole()
  }

  @Test(arguments: ["packs", "index"])
  func whatWasRemovedIsNamedAndSentAgain(_ folder: String) throws {
    try one.pushTwoStates(to: place.url, plain: false)
    let found = try place.files(folder)
    let file = try #require(found.first)
    try FolderTools("\(place.path)/remote/\(folder)".bytes).remove(file.bytes)
    let hurt = try verify()
    #expect(!hurt.report.damage.isEmpty, "\(hurt)")
    #expect(try verify(repairs: true).report.damage.isEmpty)
    #expect(try verify(100).report.damage.isEmpty)
    try cloneIsWhole()
  }

  /// The store of a machine that has the states on a remote only.
  @Test func theStoreIsHealedFromTheRemote() throws {
    try one.pushTwoStates(to: place.url, plain: false)
    try losePacks()
    let hurt = try Repository.find(from: one.repository.folder, options: RepositoryFixture.quick)
    #expect(try !hurt.verify(readData: true).damage.isEmpty)
    let done = try hurt.repair(access: one.access)
    #expect(done.report.damage.isEmpty, "\(done)")
    #expect(done.fromRemotes?.remotes == ["origin"] && (done.fromRemotes?.blobs ?? 0) > 0)
    #expect(try hurt.verify(readData: true).damage.isEmpty)
    #expect(try one.names.count == 2)
  }

  @Test func aRemoteThatCannotBeAskedIsNoted() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    try place.folder.descriptor.removeTree("remote".bytes)
    try losePacks()
    let hurt = try Repository.find(from: one.repository.folder, options: RepositoryFixture.quick)
    let done = try hurt.repair(access: one.access)
    #expect(!done.report.damage.isEmpty)
    #expect(done.fromRemotes?.problems.count == 1 && done.fromRemotes?.blobs == 0)
  }
}
