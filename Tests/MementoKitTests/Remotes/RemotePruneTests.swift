// The policy of prune on the names of a remote.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemotePruneTests {
  private let place: RemotePlace
  private let one: RemoteTests.Machine

  init() throws {
    place = try RemotePlace()
    one = try RemoteTests.Machine("one")
  }

  /// States n1 to n3 with contents of their own, pushed one by one, and `other`.
  private func fill(plain: Bool = true) throws {
    try one.add(place.url, plain: plain)
    for number in 1...3 {
      try one.fixture.folder.write("a".bytes, Content.random(200_000, seed: UInt64(number)))
      try one.save("n\(number)")
      try one.push()
    }
    try one.write("a", "small")
    try one.save("other")
    try one.push()
  }

  private func options(last: Int, _ names: [String]? = nil, dry: Bool = false) -> PruneOptions {
    var policy = PrunePolicy()
    policy.last = last
    var options = PruneOptions(policy)
    options.names = names
    options.isDryRun = dry
    return options
  }

  private func prune(_ options: PruneOptions) throws -> RemotePruneSummary {
    try one.repository.pruneRemote("origin", options, access: one.access)
  }

  private func states() throws -> [String] {
    _ = try one.repository.fetch(access: one.access)
    return try one.repository.states(ofRemote: "origin").map(\.name)
  }

  private func code(_ body: () throws -> Void) -> RepositoryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RepositoryError)?.code
    }
  }

  @Test(arguments: [true, false])
  func namesGoInOneRecord(_ isPlain: Bool) throws {
    try fill(plain: isPlain)
    let planned = try prune(options(last: 1, ["n*"], dry: true))
    #expect(planned.states.removed.map(\.name) == ["origin/n2", "origin/n1"] && !planned.states.isCommitted)
    #expect(planned.states.kept.map(\.name) == ["origin/n3"] && planned.states.kept[0].reasons == ["last"])
    #expect(planned.unneeded?.packs == 2 && (planned.unneeded?.bytes ?? 0) >= 400_000 && planned.problem == nil)
    #expect(try states().count == 4)
    let records = FolderTools("\(place.path)/remote/refs".bytes)
    let before = try RemoteTests.files(records).count
    let done = try prune(options(last: 1, ["n*"]))
    #expect(done.states.isCommitted && done.states.removed == planned.states.removed)
    #expect(done.unneeded == planned.unneeded)
    #expect(try RemoteTests.files(records).count == before + 1)
    #expect(try states() == ["origin/n3", "origin/other"])
    // Nothing happens here, and the names do not come back.
    #expect(try one.names.count == 4)
    try one.push()
    #expect(try states() == ["origin/n3", "origin/other"])
    let nothing = try prune(options(last: 5))
    #expect(nothing.states.removed.isEmpty && nothing.unneeded == nil)
    #expect(try RemoteTests.files(records).count == before + 1)
  }

  @Test func whatIsFreedIsWhatACollectionMarks() throws {
    try fill()
    let freed = try prune(options(last: 1, ["n*"])).unneeded
    let collected = try one.repository.collectRemoteGarbage(on: "origin", access: one.access)
    #expect(collected.young.packs == freed?.packs && collected.young.bytes == freed?.bytes)
  }

  @Test func notAllGoWithoutLeave() throws {
    try fill()
    #expect(code { _ = try prune(options(last: 0)) } == .wouldRemoveAll)
    #expect(code { _ = try prune(options(last: 1, ["x*"])) } == .noSuchState)
    #expect(code { _ = try one.repository.pruneRemote("none", options(last: 1), access: one.access) } == .noSuchRemote)
    #expect(try states().count == 4)
    var all = options(last: 0, ["n*"])
    all.allowsEmpty = true
    #expect(try prune(all).states.removed.count == 3)
    #expect(try states() == ["origin/other"])
  }

  /// The newer one of two values stays, and what it is called says whose it is.
  @Test func aConflictIsTwoStates() throws {
    try one.add(place.url)
    try one.write("a", "1")
    try one.save("work")
    let two = try RemoteTests.Machine("two")
    try two.add(place.url)
    try two.write("a", "2")
    let later = try two.save("work")
    try one.push()
    try two.push()
    _ = try one.repository.fetch(access: one.access)
    #expect(try states() == ["origin/work", "origin/work@two"])
    let done = try prune(options(last: 1))
    #expect(done.states.removed.map(\.name) == ["origin/work"] && done.states.kept.map(\.name) == ["origin/work@two"])
    #expect(try states() == ["origin/work"])
    #expect(try one.repository.states(ofRemote: "origin").map(\.snapshot) == [later])
  }

  @Test func onADamagedRemoteNamesGoAllTheSame() throws {
    try fill()
    let packs = FolderTools("\(place.path)/remote/packs".bytes)
    for file in try RemoteTests.files(packs) { try packs.remove(file) }
    let done = try prune(options(last: 1, ["n*"]))
    #expect(done.states.removed.count == 2 && done.unneeded == nil && done.problem != nil)
    #expect(try states() == ["origin/n3", "origin/other"])
  }
}
