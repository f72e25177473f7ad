// A state of a remote is restored into another folder: its contents come from the remote, and are not kept.

import MementoObjects
import MementoRemote
import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct DistantRestoreTests {
  private typealias Machine = RemoteTests.Machine

  private let place: RemotePlace
  private var url: RemoteURL { place.url }

  init() throws {
    place = try RemotePlace()
  }

  private func destination(_ name: String) -> BytePath { BytePath("\(place.path)/\(name)") }

  /// A machine that reaches the remote by way of objects that count.
  private func reached(by name: String = "two") throws -> (Machine, LimitedObjects, RemoteAccess) {
    let objects = LimitedObjects(DirectoryObjects(path: place.path.bytes + "/remote".bytes))
    let machine = try Machine(name)
    var access = RemoteTests.access("two", "correct horse".bytes)
    access.connect = { (_) throws(RepositoryError) in ServedObjects.connect(objects) }
    _ = try machine.repository.addRemote("origin", RemoteURL("ssh://elsewhere/remote"), access: access)
    return (machine, objects, access)
  }

  private func record(_ folder: BytePath) throws -> FolderRecord {
    try FolderRecord(of: String(decoding: folder.bytes, as: UTF8.self))
  }

  /// The stored bytes of the packs of a machine.
  private func storedBytes(_ machine: Machine) throws -> Int {
    let packs = machine.fixture.folder.folder(".memento/packs")
    return try RemoteTests.files(packs).reduce(0) { $0 + (try packs.read($1).count) }
  }

  /// A folder with all that a file can be: empty, one hole, large, with several names, small ones that share blocks.
  private func fill(_ machine: Machine) throws {
    try machine.fixture.folder.write("big".bytes, Content.random(3_000_000, seed: 4))
    try machine.fixture.folder.makeFolder("src".bytes)
    for number in 0..<200 { try machine.write("src/\(number)", "text \(number)\n") }
    let path = String(decoding: machine.fixture.folder.path, as: UTF8.self)
    let made = try Launch(
      [
        "sh", "-c",
        """
        : >empty; truncate -s 5000000 hole; ln big same; ln -s src/1 link; mkdir -p deep/er; mkfifo deep/fifo
        { cat big; head -c 2000000 /dev/zero; cat src/7; } >sparse; chmod 600 sparse; touch -d @1700000000 src deep
        """,
      ], in: path)
    try #require(made.status == 0)
  }

  private func pushed(plain: Bool = false) throws -> Machine {
    let one = try Machine("one")
    try fill(one)
    try one.save("a")
    try one.add(url, plain: plain)
    try one.push()
    return one
  }

  @Test(arguments: [true, false])
  func theFolderIsExact(_ isPlain: Bool) throws {
    let one = try pushed(plain: isPlain)
    let two = try Machine("two")
    try two.add(url)
    let summary = try two.repository.restore("origin/a", to: destination("out"), access: two.access)
    #expect(summary.problems.isEmpty && summary.isCommitted)
    #expect(try record(destination("out")) == record(BytePath(one.fixture.folder.path)))
    // What describes the folder is here, and its contents are not.
    #expect(try storedBytes(two) < 200_000)
    #expect(try two.repository.entry("origin/a", path: BytePath("src/199")).type == .file)
    #expect(throws: RepositoryError.self) { try two.repository.restore("origin/a", to: destination("other")) }
    #expect(try two.repository.verify(readData: true).damage.isEmpty)
  }

  @Test func partsAreRestored() throws {
    let one = try pushed()
    let two = try Machine("two")
    try two.add(url)
    var options = ExtractOptions()
    options.paths = [BytePath("src/7"), BytePath("big")]
    _ = try two.repository.restore("origin/a", to: destination("part"), options, access: two.access)
    let all = try record(BytePath(one.fixture.folder.path)).entries
    let part = try record(destination("part")).entries
    #expect(part.keys.sorted() == ["", "big", "src", "src/7"])
    for path in ["big", "src/7"] { #expect(part[path]?.content == all[path]?.content) }
    options.paths = []
    options.pathspecs = [try PathspecReader(folder: two.repository.folder, place: BytePath([])).read(":!big".bytes)]
    _ = try two.repository.restore("origin/a", to: destination("rest"), options, access: two.access)
    #expect(try Set(record(destination("rest")).entries.keys) == Set(all.keys).subtracting(["big"]))
    options = ExtractOptions()
    options.isDryRun = true
    let planned = try two.repository.restore("origin/a", to: destination("plan"), options, access: two.access)
    #expect(planned.created > 200 && !planned.isCommitted)
    #expect(throws: (any Error).self) { try record(destination("plan")) }
  }

  /// What is here is not asked for, and a state of this store asks nobody.
  @Test func whatIsHereIsReadHere() throws {
    let one = try pushed()
    let (two, objects, access) = try reached()
    try fill(two)
    try two.write("src/new", "only here")
    try two.save("own")
    objects.bytes.withLock { $0 = 0 }
    _ = try two.repository.restore("origin/a", to: destination("out"), access: access)
    #expect(try record(destination("out")).entries["big"] == record(BytePath(one.fixture.folder.path)).entries["big"])
    #expect(objects.bytes.withLock { $0 } < 1_000_000)
    objects.mostReads.withLock { $0 = 0 }
    _ = try two.repository.restore("own", to: destination("own"), access: access)
    #expect(try record(destination("own")).entries["src/new"]?.content == "only here".bytes)
  }

  /// Blocks that lie side by side are asked for together.
  @Test func runsOfBlocksAreReadAtOnce() throws {
    let one = try Machine("one")
    try one.fixture.folder.write("big".bytes, Content.random(8_000_000, seed: 9))
    try one.save("a")
    try one.add(url)
    try one.push()
    let (two, objects, access) = try reached()
    _ = try two.repository.fetch(access: access)
    objects.reads.withLock { $0 = 0 }
    _ = try two.repository.restore("origin/a", to: destination("out"), access: access)
    #expect(try FolderTools(destination("out").bytes).read("big".bytes) == Content.random(8_000_000, seed: 9))
    // An index, the levels, and 4 MiB at a time.
    #expect(objects.reads.withLock { $0 } <= 8)
  }

  /// Trees lie side by side in the packs of a push, and none of their blocks is asked for twice, however many levels have
  /// trees in it.
  @Test func treesAreReadInFewRequests() throws {
    let one = try Machine("one")
    for folder in 0..<40 {
      for path in ["f\(folder)"] + (0..<8).flatMap({ ["f\(folder)/\($0)", "f\(folder)/\($0)/deep"] }) {
        try one.fixture.folder.makeFolder(path.bytes)
      }
      for number in 0..<40 {
        // Names that do not compress, so that the trees need many blocks, and contents between these.
        let name = ObjectID(hashing: [UInt8(folder), UInt8(number)]).description
        try one.write("f\(folder)/\(number % 8)/deep/\(name)\(name)\(name)", name)
      }
      try one.fixture.folder.write("f\(folder)/content".bytes, Content.random(200_000, seed: UInt64(folder)))
    }
    try one.save("a")
    try one.add(url)
    try one.push()
    let (two, objects, access) = try reached()
    objects.reads.withLock { $0 = 0 }
    objects.bytes.withLock { $0 = 0 }
    _ = try two.repository.restore("origin/a", to: destination("out"), access: access)
    #expect(try record(destination("out")) == record(BytePath(one.fixture.folder.path)))
    // The names and an index, a few reads of trees, and 8 MB of contents, 4 MiB at a time.
    #expect(objects.reads.withLock { $0 } <= 12)
    #expect(objects.bytes.withLock { $0 } < 11_000_000)
  }

  /// Whatever byte of the packs is wrong, the folder is exact or the restore says that the remote is damaged.
  @Test(arguments: [true, false])
  func damageIsFound(_ isPlain: Bool) throws {
    let one = try pushed(plain: isPlain)
    let expected = try record(BytePath(one.fixture.folder.path))
    let remote = FolderTools(place.path.bytes + "/remote".bytes)
    var random = SplitMix64(seed: 11)
    var found = 0
    for path in try RemoteTests.files(remote) where path.starts(with: PackObject.prefix.bytes) {
      let whole = try remote.read(path)
      for round in 0..<12 {
        // Some lose their end.
        let bytes =
          round % 4 == 3
          ? Array(whole.dropLast(Int.random(in: 1..<whole.count, using: &random)))
          : Content.flipping(whole, bit: Int.random(in: 0..<whole.count * 8, using: &random))
        try remote.write(path, bytes)
        let two = try Machine("two")
        try two.add(url)
        let out = destination("out-\(found)-\(round)-\(path.count)")
        do {
          let summary = try two.repository.restore("origin/a", to: out, access: two.access)
          #expect(try summary.problems.isEmpty && record(out) == expected)
        } catch let error as RepositoryError {
          found += 1
          #expect(error.code == .damaged && error.reason == .damageAtRemote, "\(error)")
          try expectNothingWrong(out, expected, error)
        }
      }
      try remote.write(path, whole)
    }
    #expect(found > 0)
  }

  /// No file that was begun looks as if it were whole, and the error says that the folder is incomplete.
  private func expectNothingWrong(_ out: BytePath, _ expected: FolderRecord, _ error: RepositoryError) throws {
    guard try FolderTools(place.path.bytes).names().contains(out.components.last ?? []) else { return }
    let made = try record(out)
    for (path, entry) in made.entries where !entry.content.isEmpty && entry.mode & 0o170000 == 0o100000 {
      #expect(entry.content == expected.entries[path]?.content, "\(path) is not what it was")
    }
    if made.entries.count > 1 { #expect(error.problems.map(\.path) == [out], "\(error)") }
  }

  /// An object that is listed and gone is damage there, with its name.
  @Test func anObjectThatIsGoneIsNamed() throws {
    _ = try pushed(plain: true)
    let (two, objects, access) = try reached()
    objects.hidesPacks.withLock { $0 = true }
    do {
      _ = try two.repository.restore("origin/a", to: destination("out"), access: access)
      Issue.record("restored without packs")
    } catch {
      #expect(error.code == .damaged && error.reason == .damageAtRemote, "\(error)")
      #expect(error.message.contains("there is no object packs/"), "\(error)")
    }
  }

  /// The way to the remote ends in the middle: that is what the error says, whatever was being read.
  @Test func aLostRemoteIsNoDamage() throws {
    _ = try pushed()
    func restored(_ name: String, mostReads: Int) throws -> (reads: Int, error: RepositoryError?) {
      let (two, objects, access) = try reached(by: name)
      objects.reads.withLock { $0 = 0 }
      objects.mostReads.withLock { $0 = mostReads }
      var failure: RepositoryError?
      do {
        _ = try two.repository.restore("origin/a", to: destination("out-\(name)"), access: access)
      } catch {
        failure = error
      }
      return (objects.reads.withLock { $0 }, failure)
    }
    let (all, failure) = try restored("all", mostReads: .max)
    #expect(failure == nil && all > 3)
    for reads in 0..<all {
      let (_, error) = try restored("two\(reads)", mostReads: reads)
      #expect(error?.code == .unreachable, "\(reads): \(String(describing: error))")
    }
  }
}

/// Counts reads and their bytes, and gives no more than `mostReads`.
private final class LimitedObjects: ObjectStorage {
  private let base: DirectoryObjects
  let reads = Mutex(0)
  let bytes = Mutex(0)
  let mostReads = Mutex(Int.max)
  /// Lists packs, and gives none.
  let hidesPacks = Mutex(false)

  init(_ base: DirectoryObjects) { self.base = base }

  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    try base.list(prefix, page: page)
  }

  func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try base.size(of: name) }

  func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ObjectError)
    -> Int
  {
    let number = reads.withLock { count in
      count += 1
      return count
    }
    if number > mostReads.withLock({ $0 }) { throw ObjectError(.unreachable, "the network is gone") }
    if hidesPacks.withLock({ $0 }), name.text.hasPrefix(PackObject.prefix) { throw .notFound(name) }
    let count = try base.read(name, at: offset, into: buffer)
    bytes.withLock { $0 += count }
    return count
  }

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) { try base.put(source, as: name) }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    try base.putIfAbsent(source, as: name)
  }

  func remove(_ name: ObjectName) throws(ObjectError) { try base.remove(name) }
}
