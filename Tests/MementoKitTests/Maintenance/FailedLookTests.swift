// A failed read must never count as an absent file.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct FailedLookTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture(parity: false)
    try shop.folder.write("a".bytes, "one".bytes)
    try shop.folder.write("x.o".bytes, "object".bytes)
  }

  private var rules: PersistedRules { PersistedRules(shop.repository.worktree) }

  /// The stored ignore rules cannot be decoded: without them, a restore would remove files that they protect.
  @Test(arguments: ["garbage", "", "memento rules 1\nnonsense\n", "folder"])
  func damagedRulesEndACommand(_ damage: String) throws {
    try shop.save("one")
    if damage == "folder" {
      try shop.storeFolder.makeFolder("rules".bytes)
    } else {
      try shop.storeFolder.write("rules".bytes, damage.bytes)
    }
    let before = try shop.state
    #expect(code { try shop.repository.status() } == .damaged)
    #expect(code { try shop.restore("one") } == .damaged)
    #expect(try shop.repository.verify(readData: false).damage.count == 1)
    var options = RepositoryFixture.quick
    options.mendsStore = true
    let mending = try Repository.find(from: BytePath(shop.folder.path), options: options)
    let repair = try mending.repair()
    #expect(repair.partsPutBack.map(\.path) == ["rules"] && repair.report.damage == [])
    #expect(try shop.storeFolder.folder("damaged").names() == ["rules".bytes])
    #expect(try shop.repository.status().changes == [])
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test func rulesOfALaterVersionAreNotDamage() throws {
    try shop.save("one")
    try shop.storeFolder.write("rules".bytes, "memento rules 2\n".bytes)
    #expect(code { try shop.repository.status() } == .newerFormat)
    try shop.save("two")
    #expect(try rules.read().isEmpty)
  }

  /// A save that cannot drop the stored rules reports it, because status goes on to hide what these rules left out.
  @Test func rulesThatCannotBeReplacedAreNamed() throws {
    try shop.save("one")
    try shop.storeFolder.makeFolder("rules".bytes)
    try shop.storeFolder.write("rules/inner".bytes, "kept".bytes)
    let summary = try shop.save("two")
    #expect(summary.problems.map(\.isNote) == [false])
  }

  /// The rule file of the target cannot be read: what its rules would leave alone must not be removed.
  @Test func rulesOfTheTargetThatCannotBeReadEndARestore() throws {
    try shop.folder.write(".mementoignore".bytes, "*.o\n".bytes)
    try shop.save("one")
    try shop.folder.remove(".mementoignore".bytes)
    try shop.save("two")
    let id = ObjectID(hashing: "*.o\n".bytes)
    let store = shop.repository.store
    let place = try #require(try store.index.place(of: id))
    let pack = PackName.fileName(store.index.packID(place.pack))
    var bytes = try shop.storeFolder.read("packs/".bytes + pack)
    let start = Int(place.block.offset)
    for index in start..<start + Int(place.block.storedLength) { bytes[index] ^= 0xff }
    try shop.storeFolder.write("packs/".bytes + pack, bytes)
    let before = try shop.state
    let repository = try shop.reopened()
    var options = RestoreOptions()
    options.discard = true
    #expect(code { try repository.restore("one", options) } == .damaged)
    #expect(try shop.state.differences(from: before) == [])
  }

  /// Without the pack of the position, the cache names trees that do not exist any more.
  @Test func aRestoreThatDiscardsDoesNotBelieveTheCacheWithoutItsPacks() throws {
    try shop.save("one")
    let before = try shop.state
    let old = try shop.storeFolder.folder("packs").names()
    try shop.folder.makeFolder("sub".bytes)
    try shop.folder.makeFolder("sub/deep".bytes)
    try shop.folder.write("sub/deep/b".bytes, "two".bytes)
    try shop.save("two")
    // The cache is only trusted for files that are older than the save.
    for _ in 0..<3 { try shop.save() }
    let packs = shop.storeFolder.folder("packs")
    for name in try packs.names() where !old.contains(name) { try packs.remove(name) }
    let repository = try shop.reopened()
    var options = RestoreOptions()
    options.discard = true
    _ = try repository.restore("one", options)
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test func aStateOfALaterVersionIsListed() throws {
    try shop.save("one")
    let id = try shop.plant(meta: ["memento snapshot 2\nnobody knows\n".bytes])[0]
    _ = try shop.repository.store.refs.update(waiting: 10) { $0["later"] = id }
    let states = try shop.repository.states()
    #expect(states.map(\.name) == ["later", "one"])
    #expect(states.map { $0.problem != nil } == [true, false])
    #expect(states.map(\.isNewer) == [true, false])
  }

  /// A trusted path that cannot be looked at does not matter when another trusted path names the store.
  @Test func trustedPaths() throws {
    let folder = try OpenFolder(opening: BytePath(shop.folder.path))
    var options = OpenOptions()
    options.trustedPaths = [BytePath("/nonexistent/x"), BytePath(shop.folder.path)]
    #expect(try TrustedOwners(options).names(folder))
    options.trustedPaths = [BytePath("/nonexistent/x")]
    #expect(try !TrustedOwners(options).names(folder))
  }
}
