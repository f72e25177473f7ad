// Every part of a store may rot: whatever byte is damaged, each command gives the answer that it gave before.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct HealingTests {
  let shop: RepositoryFixture
  private let before: Answers

  /// What the commands say of a store.
  private struct Answers: Equatable {
    var states: [String: SnapshotID]
    var log: [SnapshotID]
    var value: StateContent?
    var file: [UInt8]
    var changes: Int
    var damage: [VerifyReport.Damage]
  }

  init() throws {
    shop = try RepositoryFixture()
    for number in 0..<3 { try shop.folder.makeFolder("d\(number)".bytes) }
    for number in 0..<12 {
      try shop.folder.write("d\(number % 3)/f\(number)".bytes, Content.text(900, seed: UInt64(number)))
    }
    try shop.folder.write("large".bytes, Content.random(40_000, seed: 1))
    try shop.save("one")
    try shop.folder.write("d1/f1".bytes, "changed".bytes)
    try shop.folder.write("more".bytes, Content.random(9000, seed: 2))
    try shop.save("two")
    _ = try shop.repository.saveValues([NamedValue(name: "value", bytes: Content.text(300, seed: 9))])
    _ = try shop.reopened().verify(readData: true)
    before = try HealingTests.answers(shop)
  }

  private static func answers(_ shop: RepositoryFixture) throws -> Answers {
    let repository = try shop.reopened()
    var reader = try repository.content(of: "one", path: "d1/f1")
    var file: [UInt8] = []
    while let piece = try reader.next() { file += piece }
    let report = try shop.reopened().verify(readData: true)
    return Answers(
      states: try repository.stateNames(), log: try repository.log().map(\.snapshot.id),
      value: try repository.content(ofState: "value"), file: file,
      changes: try repository.status().changes.count,
      // The index is derived, and made anew.
      damage: report.damage.filter { !$0.isDerived })
  }

  /// The files of the store that hold anything.
  private func files() throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    for name in try shop.storeFolder.names() {
      let status = try status(name)
      if status.isRegular { result.append(name) }
      guard status.isDirectory else { continue }
      for inner in try shop.storeFolder.folder(String(decoding: name, as: UTF8.self)).names() {
        result.append(name + "/".bytes + inner)
      }
    }
    return result
  }

  /// The status of a file of the store.
  private func status(_ name: [UInt8]) throws -> FileStatus {
    try Descriptor.open(shop.storeFolder.path, .directory).status(of: name)
  }

  /// Each byte in turn where MEMENTO_DAMAGE_STRIDE is 1. Whatever a command cannot answer would be listed.
  @Test func everyFlippedByteIsHealedOrHarmless() throws {
    let stride = getenv("MEMENTO_DAMAGE_STRIDE").flatMap { Int(String(cString: $0)) } ?? 1499
    var count = 0
    for name in try files() {
      // A table of the index may have been made anew meanwhile.
      guard shop.directory.exists("work/.memento/\(String(decoding: name, as: UTF8.self))") else { continue }
      let bytes = try shop.storeFolder.read(name)
      let modified = try status(name).modified
      // Never without the first byte and the last.
      for place in Set(Swift.stride(from: 0, to: bytes.count, by: stride)).union(bytes.isEmpty ? [] : [bytes.count - 1])
      {
        try rot(name, Content.flipping(bytes, bit: place * 8 + place % 8), modified)
        expectSame("\(String(decoding: name, as: UTF8.self)) at \(place)")
        count += 1
      }
      try rot(name, bytes, modified)
    }
    #expect(count > 40)
  }

  /// A rotten first line may look like that of a later version.
  @Test func aRottenVersionIsHealed() throws {
    let bytes = try shop.storeFolder.read("refs".bytes)
    let modified = try status("refs".bytes).modified
    for bit in 0..<15 * 8 {
      try rot("refs".bytes, Content.flipping(bytes, bit: bit), modified)
      expectSame("refs, bit \(bit)")
    }
    // The last one is that of the end of the line.
    #expect(try shop.reopened().verify().healed == ["refs"])
    var options = RepositoryFixture.quick
    options.mendsStore = true
    let repair = try Repository.find(from: BytePath(shop.folder.path), options: options).repair()
    #expect(repair.partsPutBack.map(\.path) == ["refs"] && !repair.wentBackToPreviousNames)
    #expect(try shop.reopened().verify().healed == [])
    expectSame("after the repair")
    // A save does not go back to what a later version has replaced.
    _ = try shop.reopened().save(SaveOptions(name: "three"))
    var later = try shop.storeFolder.read("refs".bytes)
    later[13] = UInt8(ascii: "9")
    try shop.storeFolder.write("refs".bytes, later + "more\n".bytes)
    #expect(code { try shop.reopened().stateNames() } == .newerFormat)
    #expect(code { try Repository.find(from: BytePath(shop.folder.path), options: options).repair() } == .newerFormat)
    #expect(try shop.storeFolder.read("refs".bytes) == later + "more\n".bytes)
  }

  /// What the cache does not know is read: a record that is gone does not make its files new ones.
  @Test func theCacheMayRotAnywhere() throws {
    let name = "cache/stat".bytes
    let bytes = try shop.storeFolder.read(name)
    let modified = try status(name).modified
    for place in Swift.stride(from: 0, to: bytes.count, by: 13) {
      try rot(name, Content.flipping(bytes, bit: place * 8 + place % 8), modified)
      #expect(try shop.reopened().status().changes == [], "\(place)")
    }
    // A file of the same size and a new folder are seen all the same.
    try shop.folder.write("d2/f2".bytes, Content.text(900, seed: 77))
    try shop.folder.makeFolder("d2/new".bytes)
    try shop.folder.write("d2/new/file".bytes, "x".bytes)
    for place in Swift.stride(from: 0, to: bytes.count, by: 13) {
      try rot(name, Content.flipping(bytes, bit: place * 8 + place % 8), modified)
      let paths = try shop.reopened().status().changes.map(\.path)
      #expect(paths == ["d2/f2", "d2/new/file"], "\(place)")
    }
  }

  @Test func everyLostRunIsHealed() throws {
    for name in try files() where name.starts(with: "packs/".bytes) || name.starts(with: "parity/".bytes) {
      let bytes = try shop.storeFolder.read(name)
      let modified = try status(name).modified
      for start in Swift.stride(from: 0, to: bytes.count, by: 4096) {
        let end = min(bytes.count, start + 4096)
        try rot(name, Array(bytes[..<start]) + Content.zeros(end - start) + Array(bytes[end...]), modified)
        expectSame("\(String(decoding: name, as: UTF8.self)) without \(start)..<\(end)")
      }
      try rot(name, bytes, modified)
    }
    // Of refs and config nothing may be left at all.
    for name in ["refs", "config"] {
      let bytes = try shop.storeFolder.read(name.bytes)
      let modified = try status(name.bytes).modified
      try rot(name.bytes, Content.zeros(bytes.count), modified)
      expectSame("zeros in \(name)")
      try rot(name.bytes, bytes, modified)
    }
  }

  private func expectSame(_ what: String) {
    do {
      let now = try HealingTests.answers(shop)
      #expect(now == before, "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  /// Changes the bytes of a file as a medium does that fails: its times stay.
  private func rot(_ name: [UInt8], _ bytes: [UInt8], _ modified: Timestamp) throws {
    // A derived file may have been made anew under another name.
    let path = "work/.memento/\(String(decoding: name, as: UTF8.self))"
    if !shop.directory.exists(path) { try shop.storeFolder.write(name, []) }
    let file = try Descriptor.open(shop.storeFolder.absolute(name), .readWrite)
    try file.write(bytes, at: 0)
    try file.truncate(to: UInt64(bytes.count))
    try file.setModified(modified)
  }

  private func packs() throws -> [[UInt8]] { try shop.storeFolder.folder("packs").names().map { "packs/".bytes + $0 } }

  /// A folder whose pack has several pieces of parity, damaged all over.
  @Test func aLargePackIsHealedAndWrittenAnew() throws {
    let shop = try RepositoryFixture()
    for number in 0..<6 { try shop.folder.write("f\(number)".bytes, Content.random(700_000, seed: UInt64(number))) }
    try shop.save("one")
    let state = try shop.state
    let name = try #require(try shop.storeFolder.folder("packs").names().first)
    let packs = shop.storeFolder.folder("packs")
    let bytes = try packs.read(name)
    var now = bytes
    for place in 1_000_000..<1_004_096 { now[place] = 0 }
    for place in [3, 4_000_000, bytes.count - 1, bytes.count - 300] { now[place] ^= 1 }
    try packs.write(name, now)
    // A restore says so, and is exact.
    let notices = Mutex<[Notice]>([])
    var options = RepositoryFixture.quick
    options.notice = { notice in notices.withLock { $0.append(notice) } }
    let repository = try Repository.find(from: BytePath(shop.folder.path), options: options)
    try shop.folder.empty()
    try repository.restore("one")
    #expect(try shop.state.differences(from: state) == [])
    #expect(notices.withLock { $0.map(\.kind) } == [.healed])
    #expect(try packs.read(name) == now)
    let report = try shop.reopened().verify(readData: true)
    #expect(report.damage == [] && report.healed == ["packs/\(String(decoding: name, as: UTF8.self))"])
    let repair = try shop.reopened().repair()
    #expect(repair.packsHealed == [String(decoding: name, as: UTF8.self)] && repair.packsSetAside == [])
    #expect(repair.damageBefore == 1 && repair.report.damage == [] && repair.report.healed == [])
    #expect(try packs.read(name) == bytes)
    #expect(!shop.directory.exists("work/.memento/" + "damaged"))
    #expect(try shop.reopened().verify(readData: true).healed == [])
  }

  /// Saves, gc and undo go on with a damaged pack.
  @Test func whateverReadsPacksHeals() throws {
    for name in try packs() {
      let bytes = try shop.storeFolder.read(name)
      try shop.storeFolder.write(name, Content.flipping(bytes, bit: (bytes.count / 2) * 8))
    }
    let state = try shop.state
    try shop.folder.write("d2/f2".bytes, "new".bytes)
    _ = try shop.reopened().save(SaveOptions(name: "three"))
    _ = try shop.reopened().undo()
    #expect(try shop.state.differences(from: state) == [])
    _ = try shop.reopened().collectGarbage(emptyingTrash: true)
    _ = try shop.reopened().restore("one")
    #expect(try shop.reopened().repair().report.damage == [])
    #expect(try shop.reopened().verify(readData: true).healed == [])
  }

  @Test func aLostPackIsPutBackFromItsCopy() throws {
    let folder = shop.storeFolder.folder("packs")
    let name = try #require(try folder.names().first)
    let bytes = try folder.read(name)
    try folder.remove(name)
    try shop.folder.empty()
    let repair = try shop.reopened().repair()
    #expect(repair.report.damage == [])
    #expect(try folder.read(name) == bytes)
  }

  // MARK: Upkeep

  @Test func gcMakesWhatIsMissingAndRemovesWhatIsLeftOver() throws {
    let parity = shop.storeFolder.folder("parity")
    let names = try parity.names()
    #expect(names.count == (try packs().count))
    try parity.remove(names[0])
    try parity.write(names[1], "no parity".bytes)
    let orphan = "\(ObjectID(hashing: "x".bytes)).par".bytes
    try parity.write(orphan, "x".bytes)
    #expect(try shop.reopened().verify().packsWithoutParity == 2)
    _ = try shop.reopened().collectGarbage()
    #expect(Set(try parity.names()) == Set(names))
    #expect(try shop.reopened().verify(readData: true).packsWithoutParity == 0)
    expectSame("after gc")
    try parity.remove(names[1])
    #expect(try shop.reopened().repair().parityMade == 1)
    #expect(try shop.reopened().verify(readData: true).packsWithoutParity == 0)
  }

  /// As it was in a store of an earlier version.
  @Test func aStoreWithoutParityIsRead() throws {
    try shop.storeFolder.remove("parity".bytes)
    expectSame("without parity")
    #expect(try shop.reopened().verify().packsWithoutParity == (try packs().count))
    _ = try shop.reopened().collectGarbage()
    #expect(try shop.reopened().verify().packsWithoutParity == 0)
  }

  @Test func parityCanBeSwitchedOff() throws {
    try shop.storeFolder.write("config".bytes, try shop.storeFolder.read("config".bytes) + "parity = none\n".bytes)
    try shop.storeFolder.remove("parity".bytes)
    try shop.folder.write("another".bytes, "file".bytes)
    _ = try shop.reopened().save(SaveOptions(name: "three"))
    _ = try shop.reopened().collectGarbage()
    #expect(!shop.directory.exists("work/.memento/" + "parity"))
    #expect(try shop.reopened().verify(readData: true).packsWithoutParity == 0)
  }

  @Test func removedPacksTakeTheirParityAlong() throws {
    _ = try shop.repository.delete(["one", "two", "value"])
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.timeline = FolderTimeline() }
    _ = try shop.reopened().collectGarbage(emptyingTrash: true)
    #expect(try packs().isEmpty)
    #expect(try shop.storeFolder.folder("parity").names().isEmpty)
  }

  // MARK: The second copies

  /// A file that somebody has edited is not rotten, whatever its size.
  @Test func anEditedConfigCounts() throws {
    let bytes = try shop.storeFolder.read("config".bytes)
    let edited = String(decoding: bytes, as: UTF8.self).replacing("zstd:1", with: "zstd:3")
    try shop.storeFolder.write("config".bytes, edited.bytes)
    #expect(try shop.reopened().store.config.compression == .zstd(level: 3))
    _ = try shop.reopened().save(SaveOptions(name: "three"))
    #expect(try shop.reopened().store.config.compression == .zstd(level: 3))
    #expect(try shop.storeFolder.read("config".bytes) == edited.bytes)
  }

  @Test(arguments: ["config", "refs"])
  func aRepairWritesTheFileAnew(_ name: String) throws {
    let bytes = try shop.storeFolder.read(name.bytes)
    let modified = try status(name.bytes).modified
    try rot(name.bytes, Content.flipping(bytes, bit: (bytes.count / 2) * 8), modified)
    #expect(try shop.reopened().verify().healed == [name])
    var options = RepositoryFixture.quick
    options.mendsStore = true
    let repair = try Repository.find(from: BytePath(shop.folder.path), options: options).repair()
    #expect(repair.partsPutBack.map(\.path) == [name] && !repair.wentBackToPreviousNames)
    #expect(repair.report.healed == [])
    #expect(try shop.reopened().verify().healed == [])
    expectSame("after the repair")
  }

  /// What is written into a rotten config is written into the config as it was.
  @Test func aChangeOfARottenConfigKeepsNoRot() throws {
    let bytes = try shop.storeFolder.read("config".bytes)
    try rot("config".bytes, Content.flipping(bytes, bit: 24), try status("config".bytes).modified)
    try shop.reopened().changeConfig(.set("keep", to: "5d".bytes))
    #expect(try shop.storeFolder.read("config".bytes) == bytes + "keep = 5d\n".bytes)
  }

  /// An older copy is never taken for the newest names.
  @Test func aCopyOfOtherNamesIsNotUsed() throws {
    let copy = try shop.storeFolder.read("backup/refs".bytes)
    try shop.save("three")
    try shop.storeFolder.write("backup/refs".bytes, copy)
    let refs = try shop.storeFolder.read("refs".bytes)
    try shop.storeFolder.write("refs".bytes, Content.flipping(refs, bit: (refs.count / 2) * 8))
    #expect(code { try shop.reopened().stateNames() } == .damaged)
    try shop.storeFolder.write("refs".bytes, Content.zeros(refs.count))
    #expect(code { try shop.reopened().stateNames() } == .damaged)
  }
}
