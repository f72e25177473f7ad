import Dispatch
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoStore

struct RefsFileTests {
  let fixture: StoreFixture
  let file: RefsFile

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder())
  }

  @Test func eachChangeIsAGeneration() throws {
    #expect(try file.read() == Refs())
    for number in 1...3 {
      let before = try fixture.directory.read("refs")
      let (result, refs) = try file.update(waiting: 10) { refs -> Int in
        refs["n\(number)"] = .zero
        return number * 2
      }
      #expect(result == number * 2)
      #expect(refs.generation == UInt64(number))
      #expect(try file.read() == refs)
      #expect(try fixture.directory.read("refs.prev") == before)
    }
    #expect(try fixture.files("tmp").isEmpty)
    #expect(try fixture.directory.status("refs").permissions == 0o600)
  }

  /// A second copy that has rotted itself takes the place of nothing, although its checksum is that of `refs`.
  @Test func aCopyIsReadOnlyWhenItIsWhole() throws {
    _ = try file.update(waiting: 10) { $0["a"] = .zero }
    let bytes = try fixture.directory.read("refs")
    let damaged = Content.flipping(bytes, bit: bytes.count * 8 - 9)
    let storage = LocalRefs(try fixture.folder())
    #expect(try storage.intactCopy(of: damaged)?.bytes == bytes)
    try fixture.directory.write("backup/refs", Content.flipping(bytes, bit: bytes.count * 8 - 17))
    #expect(try storage.intactCopy(of: damaged) == nil)
  }

  /// Another process that has the lock, even only to read, keeps a config from being replaced.
  @Test func changesOfTheConfigExcludeEachOther() throws {
    let store = try fixture.open()
    let before = try fixture.directory.read("config")
    let lock = try store.folder.lockAlone()
    func change() throws(StoreError) {
      let done = try store.changeConfig(holding: lock, waiting: 0) { (bytes) throws(StoreError) in
        bytes + "keep = 3d\n".bytes
      }
      _ = try done.get()
    }
    if let held = try FileLock.acquire(StoreFolder.refsLockName, in: store.folder.root, .shared, waiting: 0) {
      #expect(outcome { try change() } == .locked)
      #expect(try fixture.directory.read("config") == before)
      _ = consume held
    } else {
      Issue.record("the lock of refs is not free")
    }
    try change()
    #expect(try fixture.directory.read("config") == before + "keep = 3d\n".bytes)
  }

  @Test func aChangeThatFailsWritesNothing() throws {
    _ = try file.update(waiting: 10) { $0["a"] = .zero }
    let before = try fixture.directory.read("refs")
    let inode = try fixture.directory.status("refs").inode
    let failed = outcome {
      try file.update(waiting: 10) { refs throws(StoreError) in
        refs["b"] = .zero
        throw .cancelled
      }
    }
    #expect(failed == .cancelled)
    #expect(try fixture.directory.read("refs") == before)
    #expect(try fixture.directory.status("refs").inode == inode)
    #expect(try fixture.files("tmp").isEmpty)
    // The lock is free again.
    #expect(outcome { try file.update(waiting: 0) { $0["c"] = .zero } } == .done)
  }

  @Test func changesAtOnceLoseNothing() throws {
    let failures = Mutex(0)
    let fixture = self.fixture
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      guard let folder = try? fixture.folder() else { return failures.withLock { $0 += 1 } }
      for round in 0..<10 {
        let done = try? RefsFile(folder).update(waiting: 60) { $0["\(worker) \(round)"] = .zero }
        // Reading takes no lock and always finds a complete file.
        if done == nil || (try? RefsFile(folder).read()) == nil { failures.withLock { $0 += 1 } }
      }
    }
    let refs = try file.read()
    #expect(failures.withLock { $0 } == 0)
    #expect(refs.states.count == 80)
    #expect(refs.generation == 80)
  }

  @Test func aHeldLockIsReported() throws {
    let lock = try FileLock.acquire(
      StoreFolder.refsLockName, in: fixture.directory.descriptor, .exclusive, waiting: 0)
    #expect(outcome { try file.update(waiting: 0) { $0["a"] = .zero } } == .locked)
    _ = consume lock
    #expect(try file.read() == Refs())
  }

  @Test func aDamagedFileIsNotReplaced() throws {
    try fixture.directory.write("refs", "noise".bytes)
    #expect(outcome { try file.update(waiting: 10) { $0["a"] = .zero } } == .damaged)
    #expect(try fixture.directory.read("refs") == "noise".bytes)
    try fixture.directory.descriptor.removeFile("refs".bytes)
    #expect(outcome { try file.read() } == .damaged)
  }

  @Test func whatIsNoFileIsNotRead() throws {
    let root = fixture.directory
    try root.rename("refs", to: "elsewhere")
    try root.descriptor.makeSymbolicLink("refs".bytes, target: "elsewhere".bytes)
    #expect(outcome { try file.read() } == .damaged)
    try root.descriptor.removeFile("refs".bytes)
    try root.descriptor.makeNode("refs".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    #expect(outcome { try file.read() } == .damaged)
  }

  @Test(arguments: [true, false])
  func worksWithAndWithoutFlushing(_ durable: Bool) throws {
    let folder = try StoreFolder(adopting: fixture.directory.descriptor.duplicate(), durable: durable)
    _ = try RefsFile(folder).update(waiting: 10) { $0["a"] = ObjectID(1, 2, 3, 4) }
    #expect(try file.read()["a"] == ObjectID(1, 2, 3, 4))
  }
}
