// How many requests a helper gets, where a push makes several packs.

import MementoObjects
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct RemoteCostTests {
  struct Requests: Equatable, Sendable {
    var writes = 0
    var pages = 0
    var reads = 0
  }

  /// Counts what it passes on. A page of a listing has at most `pageSize` objects.
  private final class CountingObjects: ObjectStorage {
    private static let pageSize = 3
    private let base: DirectoryObjects
    private let count = Mutex(Requests())

    init(_ base: DirectoryObjects) { self.base = base }

    /// What was counted since the last call.
    func taken() -> Requests {
      count.withLock { count in
        defer { count = Requests() }
        return count
      }
    }

    func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
      count.withLock { $0.pages += 1 }
      let all = try base.list(prefix, page: nil)
      let rest = all.objects.filter { object in page.map { $0 < object.name.text } ?? true }
      let objects = Array(rest.prefix(CountingObjects.pageSize))
      return ObjectPage(
        objects: objects, next: rest.count > objects.count ? objects.last?.name.text : nil, now: all.now)
    }

    func size(of name: ObjectName) throws(ObjectError) -> UInt64 {
      count.withLock { $0.reads += 1 }
      return try base.size(of: name)
    }

    func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ObjectError)
      -> Int
    {
      count.withLock { $0.reads += 1 }
      return try base.read(name, at: offset, into: buffer)
    }

    func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
      count.withLock { $0.writes += 1 }
      try base.put(source, as: name)
    }

    func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
      count.withLock { $0.writes += 1 }
      return try base.putIfAbsent(source, as: name)
    }

    func remove(_ name: ObjectName) throws(ObjectError) {
      count.withLock { $0.writes += 1 }
      try base.remove(name)
    }
  }

  @Test func aPushOfSeveralPacks() throws {
    let place = try TemporaryDirectory()
    let objects = CountingObjects(DirectoryObjects(path: place.path.bytes + "/remote".bytes))
    let access = ServedObjects.access(to: objects, host: "one")
    let url = try RemoteURL("ssh://elsewhere/remote")
    let fixture = try RepositoryFixture()
    // More than two packs of 64 MiB, of what does not compress.
    let made = try Launch(
      ["sh", "-c", "head -c 140000000 /dev/urandom >random"], in: String(decoding: fixture.folder.path, as: UTF8.self))
    try #require(made.status == 0)
    try fixture.save("large")
    var adding = RemoteAddOptions()
    adding.isPlain = true
    _ = try fixture.repository.addRemote("origin", url, adding, access: access)
    _ = objects.taken()
    let pushed = try fixture.repository.push(access: access)
    let first = objects.taken()
    // The first ones are smaller, so that the line need not wait for a full one: 16, 32 and 48 MiB, and what is left.
    #expect(pushed.packs == 4)
    #expect(first.writes <= pushed.packs + 3, "\(first)")
    // The marker and the founder are a page; and two looks at the marks, of which there are none.
    #expect(first.pages == 3, "\(first)")
    // What a new pack says of itself is not asked back.
    #expect(first.reads == 0, "\(first)")
    _ = try fixture.repository.push(access: access)
    // Two, four packs, an index and a record are eight objects, and three pages.
    #expect(objects.taken() == Requests(writes: 0, pages: 3, reads: 0))
    _ = try fixture.repository.fetch(access: access)
    #expect(objects.taken() == Requests(writes: 0, pages: 3, reads: 0))
  }
}
