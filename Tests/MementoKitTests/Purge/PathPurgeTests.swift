import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a purge takes out is nowhere in the store, and everything else is as it was.
struct PathPurgeTests {
  private let secret = "hunter2 is the secret".bytes
  private let video = Content.random(400_000, seed: 77)

  /// A history with everything that can name a snapshot: states, steps, a replaced step, the trash, a value, what undo
  /// has left.
  private func shop(extraStates: Int = 0) throws -> RepositoryFixture {
    let shop = try RepositoryFixture()
    let folder = shop.folder
    for name in ["d", "d/locker", "d/locker/old"] { try folder.makeFolder(name.bytes) }
    try folder.write("a".bytes, "keep".bytes)
    try folder.write("d/b".bytes, "b".bytes)
    try folder.write("d/locker/pass".bytes, secret)
    try folder.makeHardLink("d/locker/hard".bytes, to: "d/locker/pass".bytes)
    try folder.write("d/locker/old/video".bytes, video)
    try folder.makeSocket("d/locker/socket-of-locker".bytes)
    try shop.save("one") { $0.message = "first" }
    try shop.save("same")
    try folder.write("d/locker/pass".bytes, secret + "v2".bytes)
    try shop.save("two")
    try folder.write("c".bytes, "c".bytes)
    try shop.save("two")
    try folder.remove("d/locker/old/video".bytes)
    try shop.save("lost")
    _ = try shop.repository.delete(["lost"])
    try folder.write("x".bytes, "x".bytes)
    try shop.save()
    try shop.repository.undo()
    try folder.write("y".bytes, "y".bytes)
    try shop.save("last")
    try shop.restore("one") { $0.paths = ["d/locker/pass", "c"] }
    try shop.directory.write("value", "a value".bytes)
    let input = try shop.directory.descriptor.open("value".bytes, .read)
    _ = try shop.repository.saveValue(readingFrom: input.raw, as: "v")
    if extraStates > 0 {
      let id = try shop.repository.snapshot("one").id.object
      _ = try shop.repository.store.refs.update(waiting: 10) { refs in
        refs.states.set((0..<extraStates).map { ("extra \($0)", id) })
      }
    }
    return shop
  }

  /// All files of a store, and all blobs of its packs as they are unpacked.
  private func contents(_ shop: RepositoryFixture) throws -> [(place: String, bytes: [UInt8])] {
    let root = shop.storeFolder
    var found: [(String, [UInt8])] = []
    for (path, entry) in try Manifest(root).entries where entry.isFile {
      found.append((String(decoding: path, as: UTF8.self), try root.read(path)))
    }
    let store = try shop.reopened().store
    for pack in try store.index.presentPacks() {
      for blob in try store.index.contents(of: pack).contents.blobs {
        found.append(("blob \(blob.id)", try store.read(blob.id)))
      }
    }
    return found
  }

  private func isThere(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      part.withUnsafeBytes { part in
        guard let start = bytes.baseAddress, let wanted = part.baseAddress else { return false }
        var offset = 0
        while offset + part.count <= bytes.count,
          let found = memchr(start + offset, Int32(part[0]), bytes.count - part.count - offset + 1)
        {
          offset = UnsafeRawPointer(found) - start
          if memcmp(start + offset, wanted, part.count) == 0 { return true }
          offset += 1
        }
        return false
      }
    }
  }

  private func places(of part: [UInt8], _ shop: RepositoryFixture) throws -> [String] {
    try contents(shop).filter { isThere(part, in: $0.bytes) }.map(\.place)
  }

  /// Everything of it that must not be found.
  private func expectNothing(_ shop: RepositoryFixture, old ids: Set<ObjectID>, _ when: String = "") throws {
    let files = try contents(shop)
    let stripped = Array(video[1000..<1100])
    for part in [secret, stripped, "locker".bytes, "socket-of".bytes] {
      #expect(files.filter { isThere(part, in: $0.bytes) }.map(\.place) == [], "\(when)")
    }
    for id in ids {
      let isThere = files.filter { self.isThere(Array(id.description.utf8), in: $0.bytes) }.map(\.place)
      #expect(isThere == [], "\(when) \(id)")
    }
  }

  private func roots(_ shop: RepositoryFixture) throws -> Set<ObjectID> {
    let refs = try shop.repository.readRefs()
    return refs.roots.union(try shop.repository.store.refs.trash(refs).map(\.snapshot))
  }

  private func folders(_ repository: Repository, _ shop: RepositoryFixture) throws -> [Manifest] {
    var found: [Manifest] = []
    for revision in ["one", "same", "two", "two~1", "last", "@", "@~1"] {
      let place = FolderTools(shop.directory.path.bytes + "/out".bytes)
      _ = try repository.restore(Revision(revision), to: BytePath(place.path))
      found.append(try Manifest(place))
      try place.remove([])
    }
    return found
  }

  @Test func nothingOfItIsLeft() throws {
    let shop = try shop()
    let before = try folders(shop.repository, shop)
    let now = try shop.state
    let value = try shop.repository.snapshot("v").id.object
    var old = try roots(shop)
    old.remove(value)
    #expect(try !places(of: secret, shop).isEmpty)
    let done = try shop.repository.purge(PurgeOptions(["d/locker/"]))
    #expect(done.isCommitted && done.remaining == [] && done.shared == [])
    #expect(done.paths.map(\.path) == ["d/locker"] && done.paths[0].isInFolder == true && !done.paths[0].isIgnored)
    #expect(done.paths[0].snapshots == done.snapshotsPurged && done.snapshotsPurged >= 8)
    #expect(done.states.map(\.name) == ["last", "one", "same", "two"] && done.states.allSatisfy(\.hadPath))
    #expect(done.versions > 2 && done.bytes > 400_000 && done.bytesFreed > 390_000)
    try expectNothing(shop, old: old)
    #expect(try shop.reopened().verify(readData: true).damage.isEmpty)
    // All snapshots are as they were, but for the path.
    for (new, then) in zip(try folders(shop.reopened(), shop), before) {
      let rest = then.entries.filter { !$0.key.starts(with: "d/locker".bytes) }
      #expect(Set(new.entries.keys) == Set(rest.keys))
      for (path, entry) in rest { #expect(new.entries[path] == entry, "\(String(decoding: path, as: UTF8.self))") }
    }
    // The folder itself was not touched.
    #expect(try shop.state.touched(since: now) == [])
  }

  @Test func recordsSayWhatIsTrueNow() throws {
    let shop = try shop()
    let before = try shop.record("one")
    try shop.repository.purge(PurgeOptions(["d/locker"]))
    let (one, same) = (try shop.record("one"), try shop.record("same"))
    #expect(one.message == "first" && one.time == before.time && one.name == "one" && one.user == before.user)
    #expect(one.files == 2 && one.bytes == 5 && one.links == nil && one.unrecorded == nil && one.isComplete)
    #expect(one.changes == ChangeCounts(added: 2))
    #expect(same.parent == (try shop.repository.snapshot("one").id.object) && same.changes == ChangeCounts())
    #expect(try shop.record("two").changes == ChangeCounts(added: 1))
    // Undo and names at earlier times find what they found before.
    #expect(try shop.repository.snapshot("two~1").files == 2)
    #expect(try shop.repository.log(LogOptions()).allSatisfy { $0.counts != nil })
    var options = LogOptions()
    options.showsAll = true
    #expect(try shop.repository.log(options).contains { $0.deletedNames == ["lost"] })
    // The step of two paths is about one now.
    #expect(try shop.repository.readRefs().timeline.steps.last?.paths == ["c".bytes])
    try shop.repository.undo()
    try shop.repository.redo()
    #expect(try shop.repository.status().changes.map(\.path).allSatisfy { $0.bytes.starts(with: "d/locker".bytes) })
  }

  @Test func aPlanChangesNothing() throws {
    let shop = try shop()
    let before = try contents(shop).map { "\($0.place) \(ObjectID(hashing: $0.bytes))" }.sorted()
    var options = PurgeOptions(["d/locker/pass", "d/locker/old"])
    options.isDryRun = true
    let plan = try shop.repository.purge(options)
    #expect(!plan.isCommitted && plan.snapshotsPurged > 0 && plan.packsRewritten + plan.packsRemoved > 0)
    #expect(try contents(shop).map { "\($0.place) \(ObjectID(hashing: $0.bytes))" }.sorted() == before)
    options.isDryRun = false
    let done = try shop.repository.purge(options)
    #expect(done.states == plan.states && done.paths == plan.paths && done.snapshotsPurged == plan.snapshotsPurged)
    #expect(done.snapshotsRewritten == plan.snapshotsRewritten && done.bytes == plan.bytes)
  }

  @Test func whatOthersShareStaysAndIsNamed() throws {
    let shop = try shop()
    try shop.folder.write("copy".bytes, video)
    try shop.save("with copy")
    try shop.directory.write("value", secret)
    let input = try shop.directory.descriptor.open("value".bytes, .read)
    _ = try shop.repository.saveValue(readingFrom: input.raw, as: "v")
    let done = try shop.repository.purge(PurgeOptions(["d/locker"]))
    #expect(done.sharedCount == 2)
    let copy = try #require(done.shared.first { $0.path == "copy" })
    #expect(copy.names == ["with copy"] && copy.bytes == UInt64(video.count))
    #expect(done.shared.contains { $0.path == nil && $0.names == ["v"] && $0.bytes == UInt64(secret.count) })
    #expect(try shop.reopened().verify(readData: true).damage.isEmpty)
    #expect(try places(of: secret, shop).filter { $0.hasPrefix("blob ") }.count == 1)
    #expect(try places(of: "hunter2 is the secretv2".bytes, shop) == [])
  }

  @Test func listsOfStatesAndOfTheTrashFollow() throws {
    let shop = try shop(extraStates: 700)
    _ = try shop.repository.delete((0..<150).map { "extra \($0)" })
    #expect(try shop.storeFolder.folder("states").names().count > 0)
    #expect(try shop.storeFolder.folder("trash").names().count > 0)
    var old = try roots(shop)
    old.remove(try shop.repository.snapshot("v").id.object)
    try shop.repository.purge(PurgeOptions(["d/locker"]))
    try expectNothing(shop, old: old)
    #expect(try shop.reopened().stateNames().count == 555)
    #expect(try shop.reopened().verify().damage.isEmpty)
  }

  @Test func aTypingErrorIsNoSuccess() throws {
    let shop = try shop()
    let before = try shop.storeFolder.read("refs".bytes)
    let names = try shop.repository.stateNames()
    #expect(code { try shop.repository.purge(PurgeOptions(["d/locker", "d/lokcer"])) } == .noSuchPath)
    #expect(code { try shop.repository.purge(PurgeOptions(["a", "/"])) } == .invalidArgument)
    #expect(try shop.storeFolder.read("refs".bytes) == before)
    // Of none: then only what an interrupted purge may have left is removed.
    let done = try shop.repository.purge(PurgeOptions(["d/lokcer"]))
    #expect(done.foundNothing && done.snapshotsRewritten == 0)
    #expect(try shop.repository.stateNames() == names)
    #expect(try !shop.repository.purge(PurgeOptions()).foundNothing)
    #expect(try shop.repository.verify(readData: true).damage.isEmpty)
  }

  @Test func aPendingRestoreComesFirst() throws {
    let shop = try shop()
    let target = try shop.repository.snapshot("one").id.object
    _ = try shop.repository.store.refs.update(waiting: 10) {
      $0.pending = PendingRestore(target: target, before: target, staging: "restore-1-1", position: nil)
    }
    #expect(code { try shop.repository.purge(PurgeOptions(["d/locker"])) } == .restorePending)
  }

  /// Of a store that was stopped at any moment nothing is lost, and another purge does the rest.
  @Test func aPurgeThatIsStoppedIsFinishedByAnother() throws {
    var moment = 0
    var stopped = 0
    while true {
      let shop = try shop()
      var old = try roots(shop)
      old.remove(try shop.repository.snapshot("v").id.object)
      let end = code { try shop.repository.purge(PurgeOptions(["d/locker"]), monitor: StoppingMonitor(moment)) }
      let repository = try shop.reopened()
      #expect(try repository.verify(readData: true).damage.isEmpty, "stopped at \(moment)")
      #expect(try repository.stateNames().keys.sorted() == ["last", "one", "same", "two", "v"])
      #expect(try repository.snapshot("one").message == "first", "stopped at \(moment)")
      if end == nil { break }
      #expect(end == .cancelled, "stopped at \(moment)")
      stopped += 1
      _ = try repository.purge(PurgeOptions(["d/locker"]))
      try expectNothing(shop, old: old, "stopped at \(moment)")
      #expect(try shop.reopened().verify(readData: true).damage.isEmpty, "stopped at \(moment)")
      moment += moment < 6 ? 1 : 11
    }
    #expect(stopped > 5)
  }
}

/// Asks the work to end after it was asked this many times.
private final class StoppingMonitor: Monitor {
  private let counter = Counter()
  private let moment: Int

  init(_ moment: Int) {
    self.moment = moment
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}
  var isCancelled: Bool { counter.next() > moment }
}
