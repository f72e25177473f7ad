import MementoModel
import MementoObjects
import MementoRemote
import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct RemoteEntryTests {
  private func entry() throws -> RemoteEntry {
    var entry = RemoteEntry(
      url: try RemoteURL("s3://bucket/a/b?region=eu-1"), repository: String(repeating: "a", count: 32), isSealed: true,
      writer: String(repeating: "b", count: 32), home: FileIdentity(device: 7, inode: 12))
    entry.lastContact = Timestamp(seconds: 1_700_000_000, nanoseconds: 5)
    entry.hasGiven = true
    return entry
  }

  @Test func anEntryComesBack() throws {
    let entry = try entry()
    #expect(try RemoteEntry(entry.encoded(), name: "x") == entry)
    var first = entry
    first.lastContact = nil
    first.hasGiven = false
    first.isSealed = false
    #expect(try RemoteEntry(first.encoded(), name: "x") == first)
  }

  /// Whatever is done to the bytes, there is an entry or an error, and never a trap.
  @Test func changedBytesAreAnEntryOrAnError() throws {
    let whole = try entry()
    let bytes = whole.encoded()
    for length in 0..<bytes.count {
      do throws(RepositoryError) {
        // The last two lines may be missing: they are there after the first contact.
        let cut = try RemoteEntry(Array(bytes.prefix(length)), name: "x")
        #expect(cut.url == whole.url && cut.writer == whole.writer && cut.home == whole.home)
      } catch {
        #expect([.damaged, .newerFormat, .invalidArgument].contains(error.code))
      }
    }
    for bit in 0..<bytes.count * 8 {
      do throws(RepositoryError) {
        _ = try RemoteEntry(Content.flipping(bytes, bit: bit), name: "x")
      } catch {
        #expect([.damaged, .newerFormat, .invalidArgument].contains(error.code))
      }
    }
  }

  @Test func aLaterVersionIsNamed() throws {
    #expect(throws: RepositoryError.self) { _ = try RemoteEntry("memento remote 2\nurl x\n".bytes, name: "x") }
    do throws(RepositoryError) {
      _ = try RemoteEntry("memento remote 2\n".bytes, name: "x")
    } catch {
      #expect(error.code == .newerFormat)
    }
  }
}

struct IndexOutlinesTests {
  private static func id(_ text: String) -> ObjectID { ObjectID(hashing: text.bytes) }

  private func outlines() throws -> (IndexOutlines, ObjectName, ObjectName) {
    let (first, second) = (try #require(ObjectName("index/aa")), try #require(ObjectName("index/bb")))
    var outlines = IndexOutlines()
    let pack = IndexRecord.Pack(
      name: IndexOutlinesTests.id("object"), id: IndexOutlinesTests.id("pack"), size: 1234, contents: [1, 2])
    try outlines.keep(IndexRecord(packs: [pack]), as: first)
    let sealed = IndexRecord.Pack(
      name: IndexOutlinesTests.id("sealed"), id: IndexOutlinesTests.id("other"), size: 5,
      salt: [UInt8](repeating: 9, count: 32), contents: [])
    outlines.note(IndexRecord(packs: [sealed], replaces: [first]), as: second)
    return (outlines, first, second)
  }

  @Test func whatWasReadOnceIsKnown() throws {
    var (outlines, first, second) = try outlines()
    #expect(outlines.takeUnread().count == 1)
    #expect(outlines.takeUnread().isEmpty)
    var again = IndexOutlines(outlines.encoded(keeping: [first, second]))
    #expect(try again.outline(of: first)?.packs == [IndexOutlinesTests.id("object")])
    #expect(try again.outline(of: second)?.replaces == [first])
    #expect(again.packs(of: [first, second]).map(\.size) == [1234, 5])
    #expect(again.packs(of: [first, second]).map(\.salt) == [[], [UInt8](repeating: 9, count: 32)])
    #expect(again.packs(of: [first]).map(\.id) == [IndexOutlinesTests.id("pack")])
    var fewer = IndexOutlines(outlines.encoded(keeping: [second]))
    #expect(try fewer.outline(of: first) == nil)
  }

  /// Half of a file is nothing, and not half of what is known: an index without its packs would hide them.
  @Test func aCutFileSaysNothing() throws {
    let (outlines, first, second) = try outlines()
    let bytes = outlines.encoded(keeping: [first, second])
    for length in 0..<bytes.count - 1 {
      var cut = IndexOutlines(Array(bytes.prefix(length)))
      #expect(try cut.outline(of: first) == nil)
      #expect(try cut.outline(of: second) == nil)
    }
    for bit in 0..<bytes.count * 8 { _ = IndexOutlines(Content.flipping(bytes, bit: bit)) }
  }
}

struct OneListingTests {
  /// Counts listings. A `lastPage` of nil: every page says that there is another one; `turns`: after so many of them the first
  /// one again.
  private final class Pages: ObjectStorage {
    let asked = Mutex<[String]>([])
    let lastPage: Int?
    let turns: Int
    let areEmpty: Bool

    init(lastPage: Int?, turns: Int = .max, areEmpty: Bool = false) {
      self.lastPage = lastPage
      self.turns = turns
      self.areEmpty = areEmpty
    }

    func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
      asked.withLock { $0.append(prefix) }
      let number = page.flatMap { Int($0) } ?? 0
      let object = ListedObject(
        name: ObjectName("packs/\(number)")!, size: UInt64(number), modified: Timestamp(seconds: 1, nanoseconds: 0))
      let isLast = lastPage.map { number >= $0 } ?? false
      return ObjectPage(
        objects: areEmpty ? [] : [object], next: isLast ? nil : "\((number + 1) % turns)",
        now: Timestamp(seconds: 2, nanoseconds: 0))
    }

    func size(of name: ObjectName) throws(ObjectError) -> UInt64 { 0 }

    func read(
      _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ObjectError) -> Int { 0 }

    func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {}

    func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut { .put }

    func remove(_ name: ObjectName) throws(ObjectError) {}
  }

  @Test func everythingIsListedOnce() throws {
    let pages = Pages(lastPage: 3)
    let once = OneListing(pages)
    #expect(try once.list("packs/", page: nil).objects.count == 4)
    #expect(try once.list("packs/2", page: nil).objects.map(\.size) == [2])
    #expect(try once.list("refs/", page: nil).objects.isEmpty)
    #expect(pages.asked.withLock { $0 } == ["", "", "", ""])
    once.lookAnew()
    _ = try once.list("marks/", page: nil)
    #expect(pages.asked.withLock { $0.last } == "marks/")
  }

  @Test func aListingWithoutEndEnds() {
    for pages in [Pages(lastPage: nil, turns: 3), Pages(lastPage: nil), Pages(lastPage: nil, areEmpty: true)] {
      #expect(throws: ObjectError.self) { _ = try OneListing(pages, most: 1000).list("", page: nil) }
    }
    #expect(throws: Never.self) { _ = try OneListing(Pages(lastPage: 998), most: 1000).list("", page: nil) }
  }
}
