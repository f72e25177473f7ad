import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// Files of the store that are of no snapshot: a purge removes what certainly comes from its paths, and names what may.
struct PurgeRemainsTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/secret".bytes, Content.random(50_000, seed: 5))
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("one")
  }

  private func purge() throws -> PathPurgeSummary {
    try shop.reopened().purge(PurgeOptions(["d/secret"]))
  }

  @Test func rescuedFilesGoOrAreNamed() throws {
    let rescue = shop.storeFolder.folder("rescue")
    try shop.storeFolder.makeFolder("rescue".bytes)
    let long = String(repeating: "x", count: 300)
    let digest = ObjectID(hashing: "d/secret".bytes).description.prefix(32)
    let gone = ["restore-1-2-d%2fsecret", "restore-1-2-d%2fsecret%2fbelow", "restore-1-2-%=\(digest)-cret"]
    let kept = ["restore-1-2-a", "restore-1-2-d%2fsecrets", "restore-1-2-d", "restore-1-2-a.2"]
    let named = ["restore-1-2-d%2fsecret.2", "restore-7-8", "of somebody", "restore-1-2-%=\(long.prefix(32))"]
    for name in gone + kept + named { try rescue.write(name.bytes, "x".bytes) }
    let done = try purge()
    #expect(Set(done.filesRemoved.map { "\($0)" }) == Set(gone.map { "rescue/\($0)" }))
    #expect(Set(done.remaining.map { "\($0.file)" }) == Set(named.map { "rescue/\($0)" }))
    #expect(try Set(rescue.names()) == Set((kept + named).map(\.bytes)))
    // Now it is in no snapshot.
    let again = try purge()
    #expect(again.foundNothing && again.remaining.count == named.count)
  }

  @Test func whatARepairHasPutAsideIsNamed() throws {
    let pack = try #require(try shop.storeFolder.folder("packs").names().first)
    let bytes = try shop.storeFolder.read("packs/".bytes + pack)
    let parity = try shop.storeFolder.read("parity/".bytes + pack.dropLast(4) + "par".bytes)
    try shop.storeFolder.makeFolder("damaged".bytes)
    let damaged = shop.storeFolder.folder("damaged")
    try damaged.write(pack, bytes)
    try damaged.write(pack + ".1".bytes, Array(bytes.dropLast(100)))
    try damaged.write("x.par".bytes, parity)
    try damaged.write("refs".bytes, "step d%2fsecret d/secret".bytes)
    try damaged.write("config".bytes, "harmless".bytes)
    let done = try purge()
    let name = String(decoding: pack, as: UTF8.self)
    #expect(
      Set(done.remaining.map { "\($0.file)" })
        == ["damaged/\(name)", "damaged/\(name).1", "damaged/x.par", "damaged/refs"])
    #expect(try damaged.names().count == 5)
  }

  @Test func keptRulesAreNamed() throws {
    let rules = "memento rules 1\nset\nmementoignore /d //secret-name%0a\n"
    try shop.folder.write("d/.mementoignore".bytes, "/secret-name\n".bytes)
    try shop.save("two")
    try shop.storeFolder.write("rules".bytes, rules.bytes)
    let done = try shop.repository.purge(PurgeOptions(["d/.mementoignore"]))
    #expect(done.remaining.map(\.file) == ["rules"])
    // A restore writes a second copy, too.
    try shop.storeFolder.write("backup/rules".bytes, BackupCopy.encode(rules.bytes))
    #expect(try shop.repository.purge(PurgeOptions()).remaining == [])
    let again = try shop.repository.purge(PurgeOptions(["d/.mementoignore"]))
    #expect(again.remaining.map(\.file) == ["rules", "backup/rules"])
    #expect(try shop.save("three").isCommitted)
    #expect(try !shop.storeFolder.folder("backup").names().contains("rules".bytes))
  }

  @Test func leftoversOfKilledProcessesGo() throws {
    try shop.storeFolder.write("tmp/pack-1-2-3".bytes, Content.random(50_000, seed: 5))
    try shop.storeFolder.write("parity/\(ObjectID.zero).par".bytes, "x".bytes)
    let done = try purge()
    #expect(done.remaining == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
    #expect(try shop.storeFolder.folder("parity").names().count == shop.storeFolder.folder("packs").names().count)
    #expect(try !shop.storeFolder.folder("cache").names().contains("stat".bytes))
  }

  @Test(
    arguments: [
      ("restore-1-2-a%2fb%25", "a/b%"), ("restore-12-345-x-y", "x-y"), ("restore-1-2-%zz", nil), ("restore-1-2-", nil),
      ("restore-1-2", nil), ("restore-a-2-x", nil), ("other", nil), ("restore-1-2-%2", nil),
    ] as [(String, String?)])
  func namesSayWhereAFileComesFrom(_ name: String, _ path: String?) {
    #expect(RescueFolder.path(of: name.bytes) == path.map { .whole($0.bytes) })
  }

  @Test func namesOfRescuedFilesAreReadAsTheyAreWritten() {
    for path in ["a", "a/b", "%", "a%2fb", String(repeating: "d/", count: 200) + "e"] {
      let name = RescueFolder.name(for: BytePath(path), of: "restore-1-2")
      switch RescueFolder.path(of: name) {
      case .whole(let found): #expect(found == path.bytes)
      case .digest(let digest): #expect(digest == RescueFolder.digest(of: BytePath(path)) && path.utf8.count > 200)
      case nil: Issue.record("\(path)")
      }
    }
  }
}
