// What a snapshot does not hold is reported and never removed.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct UnrecordedTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.makeFolder("a".bytes)
    try shop.folder.write("a/file".bytes, "content".bytes)
  }

  @Test func aSocketIsNotedAndStays() throws {
    try shop.folder.makeSocket("a/socket".bytes)
    let saved = try shop.save("with")
    #expect(saved.problems.map(\.path) == [BytePath("a/socket")])
    #expect(saved.problems.map(\.isNote) == [true])
    #expect(saved.snapshot.isComplete)
    try shop.folder.write("a/file".bytes, "changed".bytes)
    try shop.restore("with")
    #expect(try shop.state.entries["a/socket".bytes] != nil)
    // A file is now where the snapshot could not record something. It is left alone.
    try shop.folder.remove("a/socket".bytes)
    try shop.folder.write("a/socket".bytes, "a file".bytes)
    try shop.restore("with")
    #expect(try shop.folder.read("a/socket".bytes) == "a file".bytes)
    try shop.restore("with") { $0.paths = [BytePath("a")] }
    #expect(try shop.folder.read("a/socket".bytes) == "a file".bytes)
  }

  @Test(arguments: [".memento", ".MEMENTO", ".Memento"], ["a", ""])
  func otherStoresAreTheirsAlone(_ name: String, _ place: String) throws {
    if place.isEmpty, name == ".memento" { return }
    try shop.save("without")
    let path = place.isEmpty ? name : "\(place)/\(name)"
    try shop.folder.makeFolder(path.bytes)
    try shop.folder.write("\(path)/refs".bytes, "precious".bytes)
    let saved = try shop.save("with")
    #expect(saved.problems.map(\.path) == [BytePath(path)])
    #expect(saved.snapshot.isComplete)
    #expect(saved.snapshot.files == 1)
    try shop.restore("without")
    #expect(try shop.folder.read("\(path)/refs".bytes) == "precious".bytes)
    try shop.restore("with")
    #expect(try shop.folder.read("\(path)/refs".bytes) == "precious".bytes)
  }

  @Test func aFolderWithAnotherStoreIsNotRemoved() throws {
    try shop.save("without")
    try shop.folder.makeFolder("b".bytes)
    try shop.folder.write("b/file".bytes, "content".bytes)
    let inner = try Repository.create(
      folder: BytePath(shop.folder.path + "/b".bytes), options: RepositoryFixture.quick)
    _ = try inner.save(SaveOptions(name: "inner"))
    let restored = try shop.restore("without")
    #expect(restored.problems.map(\.path) == [BytePath("b")])
    #expect(try inner.verify(readData: true).damage == [])
    #expect(try inner.restore("inner").created == 1)
    #expect(try shop.folder.read("b/file".bytes) == "content".bytes)
  }

  @Test func theStoreIsFoundFromAFolderBelow() throws {
    try shop.folder.makeFolder("a/deeper".bytes)
    let found = try Repository.find(
      from: BytePath(shop.folder.path + "/a/deeper".bytes), options: RepositoryFixture.quick)
    #expect(found.folder == shop.repository.folder)
    #expect(
      code { try Repository.find(from: BytePath(shop.outside.path), options: RepositoryFixture.quick) } == .noStore)
    #expect(code { try Repository.create(folder: found.folder, options: RepositoryFixture.quick) } == .storeExists)
  }

  /// Files grow while they are read: the snapshot is complete, or the file is reported.
  @Test(arguments: [1000, 3 << 20, 6 << 20])
  func aFileThatGrowsWhileItIsSavedIsToldOf(_ size: Int) throws {
    try shop.folder.write("a/log".bytes, Content.random(size, seed: 1))
    let folder = shop.folder
    let monitor = Meddler { count in
      if count <= 8 { try? folder.patch("a/log".bytes, "more".bytes, at: size + count * 4) }
    }
    let saved = try shop.repository.save(SaveOptions(name: "growing"), monitor: monitor)
    let record = try shop.record("growing")
    if record.isComplete { return #expect(saved.problems == []) }
    #expect(saved.problems.map(\.path) == [BytePath("a/log")])
    // What was read is recorded, so it can be restored.
    try shop.folder.remove("a/log".bytes)
    try shop.restore("growing")
    #expect(try shop.folder.read("a/log".bytes).count >= size)
  }

  @Test func aTornFileComesBack() throws {
    // The file changes before every check, so it is never the same before and after a read.
    let size = 6 << 20
    try shop.folder.write("a/log".bytes, Content.zeros(size))
    let folder = shop.folder
    let monitor = Meddler { count in try? folder.patch("a/log".bytes, "x".bytes, at: count % size) }
    let saved = try shop.repository.save(SaveOptions(name: "torn"), monitor: monitor)
    #expect(!saved.snapshot.isComplete)
    #expect(saved.problems.map(\.path) == [BytePath("a/log")])
    try shop.folder.remove("a/log".bytes)
    try shop.restore("torn")
    #expect(try shop.folder.read("a/log".bytes).count == size)
    let (copy, _) = try shop.extract("torn", to: "copy")
    #expect(try copy.read("a/log".bytes).count == size)
  }

  @Test func filesThatVanishWhileTheyAreSavedWereNotThere() throws {
    for number in 0..<300 { try shop.folder.write("a/\(number)".bytes, "\(number)".bytes) }
    let folder = shop.folder
    let monitor = Meddler { _ in
      for number in 0..<300 { try? folder.remove("a/\(number)".bytes) }
    }
    let saved = try shop.repository.save(SaveOptions(name: "vanishing"), monitor: monitor)
    #expect(saved.snapshot.isComplete)
    #expect(try shop.extract("vanishing", to: "copy").1.problems == [])
    #expect(try shop.repository.verify(readData: true).damage == [])
  }

  @Test func cancellingLeavesTheStoreAsItWas() throws {
    for number in 0..<300 { try shop.folder.write("a/\(number)".bytes, "\(number)".bytes) }
    let refs = try shop.storeFolder.read("refs".bytes)
    #expect(
      code { try shop.repository.save(SaveOptions(name: "x"), monitor: Meddler(isCancelled: true) { _ in }) }
        == .cancelled)
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    #expect(try shop.storeFolder.folder("packs").names() == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
    try shop.save("x")
    try shop.folder.empty()
    let before = try shop.state
    #expect(code { try shop.repository.restore("x", monitor: Meddler(isCancelled: true) { _ in }) } == .cancelled)
    #expect(try shop.state.touched(since: before) == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }
}

/// Runs an action whenever the library reports progress.
final class Meddler: Monitor {
  let isCancelled: Bool
  private let body: @Sendable (Int) -> Void
  private let count = Counter()

  init(isCancelled: Bool = false, _ body: @escaping @Sendable (Int) -> Void) {
    self.isCancelled = isCancelled
    self.body = body
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) { body(count.next()) }
  func report(_ problem: Problem) {}
}
