// Packs that go elsewhere: whole blocks are read from the packs of the source, and not copied first.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct SentPacksTests {
  /// Takes packs as a remote does, and notes how much of each was in its own file.
  private final class Elsewhere: DistantPackStorage {
    let packs = MemoryPacks()
    let written = Mutex<[Int]>([])
    let beforeRead = Mutex<(@Sendable () -> Void)?>(nil)

    func put(
      _ file: consuming TemporaryFile, borrowing borrowed: BorrowedBytes, as pack: ObjectID
    ) throws(StoreError) {
      beforeRead.withLock { $0?() }
      do throws(Errno) {
        let own = try file.file.descriptor.contents()
        var bytes = own
        var outcome = Result<Void, Errno>.success(())
        bytes.withUnsafeMutableBytes { bytes in
          outcome = Result { () throws(Errno) in
            // In parts that no block fits.
            for start in stride(from: 0, to: bytes.count, by: 50_001) {
              try borrowed.read(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<min(start + 50_001, bytes.count)]),
                at: UInt64(start), around: file.file.descriptor)
            }
          }
        }
        try outcome.get()
        written.withLock { $0.append(own.count { $0 != 0 }) }
        packs.keep(bytes, as: pack)
      } catch {
        throw .system(operation: "write", path: "packs/", error)
      }
    }

    func modified() -> Timestamp? { nil }
    func list(withSizes: Bool) throws(StoreError) -> [ListedPack] { try packs.list(withSizes: withSizes) }
    func size(of pack: ObjectID) throws(StoreError) -> UInt64 { try packs.size(of: pack) }
    func open(_ pack: ObjectID) throws(StoreError) -> PackReader { try packs.open(pack) }
    func remove(_ packs: [ObjectID]) throws(StoreError) {}
    func setAside(_ packs: [ObjectID]) throws(StoreError) {}
    func flush() throws(StoreError) {}
  }

  private let here: RepositoryFixture
  private let elsewhere = Elsewhere()
  private let contents = (0..<8).map { Content.random(300_000, seed: UInt64($0)) }

  init() throws {
    here = try RepositoryFixture()
  }

  private func save() throws -> Store {
    for (number, content) in contents.enumerated() { try here.folder.write("f\(number)".bytes, content) }
    try here.save("a")
    return try here.reopened().store
  }

  private func target(_ place: TemporaryDirectory) throws -> Store {
    let root = try Descriptor.open(place.path.bytes, .namedDirectory)
    _ = try Store.create(inOwn: root.duplicate(), Config())
    return try Store(opening: root, durable: false, storages: (elsewhere, MemoryRefs()))
  }

  private func send(_ source: Store, _ target: Store) throws {
    let state = try #require(try here.reopened().stateNames()["a"])
    let needed = try NeededForPush.blobs(of: [state.object], in: source, monitor: SilentMonitor())
    let transfer = BlobTransfer(from: source, to: target, isCancelled: { false }, moved: { _ in })
    try transfer.run(try transfer.plan(needed, asking: false))
    for number in 0..<needed.count {
      #expect(try target.read(needed.ids[number]) == source.read(needed.ids[number]))
    }
  }

  @Test func wholeBlocksAreNotCopiedFirst() throws {
    let place = try TemporaryDirectory()
    try send(try save(), try target(place))
    // The header, small blocks and the table.
    #expect(elsewhere.written.withLock { $0.reduce(0, +) } < 20_000)
    #expect(elsewhere.packs.bytes > 2_400_000)
  }

  /// A block that changes after it was checked is not sent. The next time it is healed first.
  @Test func whatChangesMeanwhileIsNotSent() throws {
    let place = try TemporaryDirectory()
    let source = try save()
    let target = try target(place)
    let folder = FolderTools(here.folder.path + "/.memento/packs".bytes)
    let pack = try #require(try folder.names().first { $0.suffix(5) == ".pack".bytes })
    elsewhere.beforeRead.withLock { beforeRead in
      beforeRead = {
        #expect(throws: Never.self) { try folder.patch(pack, [UInt8](repeating: 0, count: 9), at: 500_000) }
      }
    }
    #expect(throws: StoreError.self) { try send(source, target) }
    #expect(elsewhere.packs.count == 0)
    elsewhere.beforeRead.withLock { $0 = nil }
    try send(try here.reopened().store, target)
    #expect(elsewhere.packs.count == 1)
  }
}
