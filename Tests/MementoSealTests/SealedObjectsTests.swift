import MementoObjects
import Testing

@testable import MementoSeal

struct SealedObjectsTests {
  private let storage = MemoryObjects()
  private let objects: SealedObjects
  private let pack: ObjectName

  init() throws {
    objects = SealedObjects(storage, try Sample.master())
    pack = try Sample.name(Sample.pack)
  }

  /// Another process with the same key.
  private func fresh() throws -> SealedObjects { SealedObjects(storage, try Sample.master()) }

  @Test func isAStorage() throws {
    let content = Sample.content(300_000)
    try objects.put(ObjectBytes(content), as: pack)
    for objects in [objects, try fresh()] {
      #expect(try objects.contents(pack, count: 400_000) == content)
      #expect(try objects.contents(pack, at: 299_000, count: 5000) == Array(content[299_000...]))
      #expect(try objects.size(of: pack) == 300_000)
    }
    #expect(try objects.putIfAbsent(ObjectBytes([1]), as: pack) == .exists)
    let other = try Sample.name("refs/a/1")
    #expect(try objects.putIfAbsent(ObjectBytes([1]), as: other) == .put)
    #expect(try fresh().contents(other, count: 10) == [1])
    try objects.remove(pack)
    let error = #expect(throws: ObjectError.self) { try objects.size(of: pack) }
    #expect(error?.kind == .notFound)
    #expect(storage.names == [other])
  }

  @Test func markersAndSlotsAreNotSealed() throws {
    for text in ["format/0011", "keys/0011223344556677"] {
      let name = try Sample.name(text)
      try objects.put(ObjectBytes([1, 2, 3]), as: name)
      #expect(storage[name] == [1, 2, 3])
      #expect(try objects.contents(name, count: 10) == [1, 2, 3])
      #expect(try objects.size(of: name) == 3)
      #expect(SealedObjects.storedSize(of: 3, as: name) == 3)
      try objects.remove(name)
      #expect(storage[name] == nil)
    }
  }

  /// Nothing in the storage holds a name or a piece of content.
  @Test func tellsNothing() throws {
    let names = try [Sample.pack, "index/0011", "refs/a/1", "marks/b"].map { try Sample.name($0) }
    let content = Array(String(repeating: "known content, ", count: 2000).utf8)
    for name in names { try objects.put(ObjectBytes(content), as: name) }
    let needles = ["known content", "content, known", "0a3f3f", String(Sample.pack.suffix(64))].map { Array($0.utf8) }
    let zeros = [UInt8](repeating: 0, count: 16)
    for name in storage.names {
      let bytes = try #require(storage[name])
      for needle in needles {
        #expect(bytes.firstRange(of: needle) == nil)
        #expect(Array(name.text.utf8).firstRange(of: needle) == nil)
      }
      #expect(bytes.firstRange(of: zeros) == nil)
      // Sealed bytes have no structure: each value is there about as often as the others.
      var counts = [Int](repeating: 0, count: 256)
      for byte in bytes { counts[Int(byte)] += 1 }
      #expect(counts.allSatisfy { (60...200).contains($0) })
    }
    #expect(Set(storage.names.map { storage[$0] }).count == names.count)
  }

  @Test func listsItsOwnNames() throws {
    let storage = MemoryObjects(pageSize: 3)
    let objects = SealedObjects(storage, try Sample.master())
    var expected: Set<ObjectName> = []
    for number in 0..<20 {
      let digits = Sample.hex([UInt8(number)] + Sample.content(31, seed: UInt64(number)))
      let name = try Sample.name("packs/\(digits.prefix(2))/\(digits)")
      try objects.put(ObjectBytes(Sample.content(100)), as: name)
      expected.insert(name)
    }
    for name in try ["refs/a/1", "format/00", "keys/00"].map({ try Sample.name($0) }) {
      try objects.put(ObjectBytes([1]), as: name)
    }
    storage[try Sample.name("packs/ab/" + String(repeating: "ab", count: 48))] = [1]
    storage[try Sample.name(Sample.pack)] = [1]
    func listed(_ prefix: String) throws -> [ListedObject] {
      var found: [ListedObject] = []
      var page: String?
      repeat {
        let answer = try objects.list(prefix, page: page)
        found += answer.objects
        page = answer.next
      } while page != nil
      return found
    }
    let packs = try listed("packs/")
    #expect(packs.count == 20 && Set(packs.map(\.name)) == expected)
    for pack in packs {
      #expect(pack.size == SealedStream.storedSize(of: 100))
      #expect(pack.size == SealedObjects.storedSize(of: 100, as: pack.name))
    }
    #expect(try listed("packs/03/").map(\.name) == expected.filter { $0.text.hasPrefix("packs/03/") })
    #expect(try listed("").count == 23)
    #expect(try listed("refs/").map(\.name.text) == ["refs/a/1"])
  }

  @Test func rememberedHeadersSaveRequests() throws {
    try objects.put(ObjectBytes(Sample.content(1_000_000)), as: pack)
    let before = storage.reads
    _ = try objects.contents(pack, at: 700_000, count: 10)
    #expect(storage.reads == before + 1)
    let other = try fresh()
    _ = try other.contents(pack, at: 700_000, count: 10)
    #expect(storage.reads == before + 3)
    _ = try other.contents(pack, at: 800_000, count: 10)
    #expect(storage.reads == before + 4)
    let told = try fresh()
    told.note(try #require(objects.knownHeader(of: pack)), of: pack)
    _ = try told.contents(pack, at: 700_000, count: 10)
    #expect(storage.reads == before + 5)
  }

  /// Two machines may push the same pack; the second one replaces it, with another salt.
  @Test func aHeaderThatIsOldDoesNoHarm() throws {
    let content = Sample.content(300_000)
    try objects.put(ObjectBytes(content), as: pack)
    try fresh().put(ObjectBytes(content), as: pack)
    #expect(try objects.contents(pack, at: 290_000, count: 100) == Array(content[290_000..<290_100]))
    #expect(try objects.knownHeader(of: pack) == fresh().reader(pack).header())
    objects.note(try #require(SealedHeader(salt: Sample.salt, size: 5)), of: pack)
    let error = #expect(throws: ObjectError.self) {
      storage[try #require(SealedName(Sample.master()).stored(pack))]?[100_000] ^= 1
      return try objects.contents(pack, count: 300_000)
    }
    #expect(error?.kind == .damaged)
  }

  @Test func findsObjectsOfOtherRepositories() throws {
    let name = try Sample.name("refs/a/1")
    let other = SealedObjects(storage, try Sample.otherMaster())
    try other.put(ObjectBytes([1, 2, 3]), as: name)
    let error = #expect(throws: ObjectError.self) { try objects.contents(name, count: 10) }
    #expect(error?.kind == .damaged)
    // Names that are sealed are not even seen.
    try other.put(ObjectBytes([1, 2, 3]), as: pack)
    #expect(try objects.list("packs/", page: nil).objects.isEmpty)
    #expect(throws: ObjectError.self) { try objects.contents(pack, count: 10) }
  }
}
