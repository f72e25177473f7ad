// Data that was saved without a flush. A later command that flushes also flushes this data. After a power cut, nothing
// relies on it until it was read.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct UnsyncedTests {
  private let shop: RepositoryFixture
  private let bytes = Content.random(300_000, seed: 5)

  init() throws {
    shop = try RepositoryFixture(parity: false)
  }

  private var hasMark: Bool { get throws { try shop.storeFolder.names().contains("unsynced".bytes) } }
  private var packs: FolderTools { shop.storeFolder.folder("packs") }

  /// Opens a repository that flushes, as another process would.
  private func durable(_ notices: Notices = Notices()) throws -> Repository {
    var options = OpenOptions()
    options.notice = { notices.add($0) }
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private func save(_ repository: Repository, _ name: String) throws {
    try repository.saveValues([NamedValue(name: name, bytes: bytes)])
  }

  /// Pretends that the machine was restarted since.
  private func startAnew() throws {
    let text = String(decoding: try shop.storeFolder.read("unsynced".bytes), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("boot ") ? "boot another" : String(line)
    }
    try shop.storeFolder.write("unsynced".bytes, lines.joined(separator: "\n").bytes)
  }

  @Test func aCommandThatFlushesRemovesTheMark() throws {
    #expect(try !hasMark)
    try save(shop.repository, "loose")
    #expect(try hasMark)
    try save(shop.repository, "more")
    #expect(try hasMark)
    try save(durable(), "firm")
    #expect(try !hasMark)
    _ = try shop.repository.delete(["loose"])
    #expect(try hasMark)
    _ = try durable().rename("more", to: "most")
    #expect(try !hasMark)
  }

  @Test func soDoesASaveThatFindsNothingNew() throws {
    try shop.folder.write("file".bytes, bytes)
    try shop.save()
    #expect(try hasMark)
    #expect(try durable().save().isUnchanged)
    #expect(try !hasMark)
  }

  @Test func gcFlushesAlways() throws {
    try save(shop.repository, "loose")
    _ = try shop.repository.delete(["loose"])
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try !hasMark)
  }

  /// The mark stays while a writer that does not flush is still at work.
  @Test func aMarkInUseStays() throws {
    let open = try Descriptor.open(shop.storeFolder.path, .namedDirectory)
    let writer = try Store(opening: open, durable: false).packWriter()
    var block = try Store(opening: Descriptor.open(shop.storeFolder.path, .namedDirectory), durable: false)
      .blockWriter(writer, .data)
    try bytes.withUnsafeBytes { try block.add(ObjectID(hashing: bytes), $0) }
    try block.flush()
    try writer.finish()
    #expect(try hasMark)
    try save(durable(), "firm")
    #expect(try hasMark)
    withExtendedLifetime(writer) {}
  }

  /// The power cut has left a pack with its length but without its content, or an empty file.
  @Test(arguments: [true, false])
  func whatAPowerCutHasDamagedIsNotReliedUpon(_ keepsLength: Bool) throws {
    try save(durable(), "before")
    let known = Set(try packs.names())
    let other = Content.random(200_000, seed: 6)
    try shop.repository.saveValues([NamedValue(name: "loose", bytes: other)])
    for name in try packs.names() where !known.contains(name) {
      try packs.write(name, keepsLength ? Content.zeros(try packs.read(name).count) : [])
    }
    try startAnew()
    let notices = Notices()
    try durable(notices).saveValues([NamedValue(name: "firm", bytes: other)])
    #expect(try !hasMark)
    #expect(notices.all.map(\.kind) == [.lostPack] && notices.all[0].file.hasPrefix("packs/"), "\(notices.all)")
    let repository = try durable()
    #expect(try repository.content(ofState: "firm") == .value(other))
    #expect(try repository.content(ofState: "before") == .value(bytes))
    #expect(try shop.storeFolder.folder("damaged").names().count == 1)
    // The state is not silently wrong: its record is lost, and verify names it.
    #expect(code { try repository.content(ofState: "loose") } == .damaged)
    let hurt = Set(try repository.verify(readData: true).damage.flatMap(\.states))
    #expect(hurt == ["loose"])
  }

  @Test func whatIsWholeCounts() throws {
    try save(shop.repository, "loose")
    try startAnew()
    let notices = Notices()
    let before = try packs.names()
    try save(durable(notices), "firm")
    #expect(notices.all == [])
    #expect(try !hasMark)
    #expect(try Set(packs.names()).isSuperset(of: before))
    #expect(try durable().verify(readData: true).damage == [])
  }

  /// Names that were not flushed may be lost in all copies. The last flushed names are found.
  @Test func theLastDurableNamesAreFound() throws {
    try save(durable(), "firm")
    try save(shop.repository, "loose")
    try save(shop.repository, "looser")
    for name in ["refs", "refs.prev", "backup/refs"] { try shop.storeFolder.write(name.bytes, []) }
    try startAnew()
    #expect(code { try durable().states() } == .damaged)
    #expect(try durable().repair().wentBackToPreviousNames)
    let repository = try durable()
    #expect(try repository.states().map(\.name) == ["firm"])
    #expect(try repository.content(ofState: "firm") == .value(bytes))
    #expect(try repository.verify(readData: true).damage == [])
  }

  /// What the first version calls durable is not read again. What another version says of packs is not known.
  @Test(arguments: [1, 2]) func onlyAMarkThatIsUnderstoodVouchesForPacks(_ version: Int) throws {
    try save(shop.repository, "loose")
    let name = try #require(try packs.names().first)
    try packs.write(name, Content.zeros(try packs.read(name).count))
    let head = "memento unsynced \(version)\nboot another\npack ".bytes + name.prefix(64) + "\nrefs\n".bytes
    try shop.storeFolder.write("unsynced".bytes, head + shop.storeFolder.read("refs".bytes))
    let notices = Notices()
    try save(durable(notices), "firm")
    #expect(notices.all.map(\.kind) == (version == 1 ? [] : [.lostPack]))
    #expect(try packs.names().contains(name) == (version == 1))
  }

  @Test func aMarkThatSaysNothingIsNotBelieved() throws {
    try save(shop.repository, "loose")
    for text in ["", "memento unsynced 2\n", "memento unsynced 1\nboot\npack x\n"] {
      try shop.storeFolder.write("unsynced".bytes, text.bytes)
      let pack = try #require(try packs.names().first)
      #expect(!pack.isEmpty)
      try save(durable(), "firm")
      #expect(try !hasMark)
      _ = try shop.repository.name("firm", as: "again")
      #expect(try hasMark)
    }
    #expect(try durable().verify(readData: true).damage == [])
  }
}

private final class Notices: Sendable {
  private let notices = Mutex<[Notice]>([])
  var all: [Notice] { notices.withLock { $0 } }
  func add(_ notice: Notice) { notices.withLock { $0.append(notice) } }
}
