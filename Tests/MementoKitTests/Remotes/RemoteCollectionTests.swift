// Collections that rewrite packs and replace many indexes. Time passes by making all objects older.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteCollectionTests {
  private let place: RemotePlace
  private let one: RemoteTests.Machine

  init() throws {
    place = try RemotePlace()
    one = try RemoteTests.Machine("one")
  }

  private func count(_ folder: String) throws -> Int { try place.files(folder).count }

  private func collect(dry: Bool = false, largestIndex: Int? = nil) throws -> RemoteCollectionSummary {
    var collection = RemoteCollection(repository: one.repository, access: one.access, monitor: SilentMonitor())
    if let largestIndex { collection.largestIndex = largestIndex }
    return try collection.run("origin", isDryRun: dry)
  }

  private func isWhole() throws {
    let found = try one.repository.verifyRemote("origin", VerifyOptions(readPercent: 100), access: one.access)
    #expect(found.report.damage.isEmpty, "\(found)")
    let folder = BytePath("\(place.path)/clone".bytes)
    _ = try Repository.clone(
      place.url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    #expect(try cloned.verify(readData: true).damage.isEmpty)
    try place.folder.descriptor.removeTree("clone".bytes)
  }

  /// One pack with two states. The large one goes.
  private func fill(plain: Bool) throws {
    try one.add(place.url, plain: plain)
    try one.fixture.folder.write("large".bytes, Content.random(900_000, seed: 1))
    try one.save("large")
    try one.fixture.folder.remove("large".bytes)
    try one.fixture.folder.write("small".bytes, Content.random(100_000, seed: 2))
    try one.save("small")
    try one.push()
    #expect(try count("packs") == 1)
    _ = try one.repository.deleteRemoteStates(["origin/large"], access: one.access)
  }

  @Test(arguments: [true, false])
  func aPackOfWhichLittleIsNeededIsRewritten(_ isPlain: Bool) throws {
    try fill(plain: isPlain)
    // A push may be about to need the rest.
    let young = try collect()
    #expect(young.rewritten.packs == 0 && young.youngSparse.packs == 1 && young.youngSparse.due != nil)
    try place.passDays(2)
    let plan = try collect(dry: true)
    #expect(plan.rewritten.packs == 1 && plan.rewriteThreshold == 20 && plan.packsMade == 0, "\(plan)")
    #expect((100_000..<200_000).contains(plan.bytesMoved), "\(plan)")
    #expect(try count("packs") == 1 && count("marks") == 0)
    let done = try collect()
    #expect(done.rewritten.packs == 1 && done.packsMade == 1 && done.isComplete && done.removed.packs == 0)
    #expect((100_000..<200_000).contains(done.bytesMoved), "\(done)")
    #expect(try count("packs") == 2 && count("marks") == 1)
    try isWhole()
    // The old one stays for the grace period, and nothing is moved again.
    let waiting = try collect()
    #expect(waiting.rewritten.packs == 0 && waiting.waiting.packs == 1 && waiting.kept.packs == 0)
    try place.passDays(2)
    let removed = try collect()
    #expect(removed.removed.packs == 1 && removed.rewritten.packs == 0)
    #expect(try count("packs") == 1)
    try isWhole()
    // A push that was based on the old pack puts what is missing.
    try one.push("large")
    try isWhole()
  }

  /// Where all of a pack that was rewritten is needed again, nobody relies on it.
  @Test func aPushAfterARewriteLosesNothing() throws {
    try fill(plain: true)
    try place.passDays(2)
    #expect(try collect().rewritten.packs == 1)
    try one.push("large")
    try place.passDays(2)
    #expect(try collect().removed.packs == 1)
    try isWhole()
  }

  /// A collection that was killed between the index and the mark has made a copy, which goes again.
  @Test func aRewriteThatWasKilledIsDoneAgain() throws {
    try fill(plain: true)
    try place.passDays(2)
    #expect(try collect().rewritten.packs == 1)
    for file in try RemoteTests.files(FolderTools("\(place.path)/remote/marks".bytes)) {
      try FolderTools("\(place.path)/remote/marks".bytes).remove(file)
    }
    for _ in 0..<6 {
      try place.passDays(2)
      _ = try collect()
    }
    #expect(try count("packs") == 1)
    try isWhole()
  }

  @Test func whatFreesLittleIsLeft() throws {
    try one.add(place.url, plain: true)
    try one.fixture.folder.write("a".bytes, Content.random(30_000, seed: 1))
    try one.save("a")
    try one.fixture.folder.write("a".bytes, Content.random(30_000, seed: 2))
    try one.save("b")
    try one.push()
    _ = try one.repository.deleteRemoteStates(["origin/a"], access: one.access)
    try place.passDays(2)
    #expect(try collect().rewritten.packs == 0)
  }

  /// As of a remote whose indexes are together too large for one.
  @Test func manyIndexesBecomeSeveral() throws {
    try one.add(place.url, plain: false)
    for number in 0..<8 {
      // The even ones share no pack with what stays.
      try one.fixture.folder.write("f".bytes, Content.random(300_000, seed: UInt64(number)))
      try one.save("n\(number)")
      try one.push()
    }
    let before = try count("index")
    #expect(before == 8)
    var policy = PrunePolicy()
    policy.last = 3
    let pruned = try one.repository.pruneRemote("origin", PruneOptions(policy), access: one.access)
    #expect(pruned.states.removed.count == 5 && pruned.unneeded?.packs == 5)
    try place.passDays(2)
    #expect(try collect(largestIndex: 600).marked.packs == 5)
    try place.passDays(2)
    let done = try collect(largestIndex: 600)
    #expect(done.removed.packs == 5 && done.indexesReplaced == 5 && done.isComplete)
    #expect(try count("index") > before + 1)
    try isWhole()
    for _ in 0..<6 {
      try place.passDays(2)
      #expect(try collect(largestIndex: 600).isComplete)
    }
    #expect(try count("marks") == 0 && count("index") <= before)
    try isWhole()
  }
}
