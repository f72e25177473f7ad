import MementoObjects
import Testing

@testable import MementoSeal

struct SealedNameTests {
  private let names: SealedName

  init() throws { names = SealedName(try Sample.master()) }

  @Test func isWhatItAlwaysWas() throws {
    #expect(names.stored(try Sample.name(Sample.pack))?.text == Golden.packName)
  }

  @Test(arguments: [Sample.pack, "packs/" + String(repeating: "ab", count: 32), String(repeating: "00", count: 32)])
  func hidesIDs(_ text: String) throws {
    let name = try Sample.name(text)
    let stored = try #require(names.stored(name))
    #expect(!stored.text.contains(text.split(separator: "/").last ?? ""))
    #expect(names.plain(stored) == name)
    #expect(names.stored(stored) == nil)
    #expect(SealedName(try Sample.otherMaster()).stored(name) != stored)
    #expect(SealedName(try Sample.otherMaster()).plain(stored) == nil)
    // A name as it is before sealing is not in the storage.
    #expect(names.plain(name) == nil)
  }

  @Test func dependsOnTheFolder() throws {
    let id = String(repeating: "ab", count: 32)
    let stored = try ["packs", "index", "packs/ab"].map { try #require(names.stored(Sample.name("\($0)/\(id)"))).text }
    let ends = Set(stored.map { $0.suffix(96) })
    #expect(ends.count == 2)
    #expect(stored[2].hasPrefix("packs/\(stored[2].suffix(96).prefix(2))/"))
    for (folder, other) in [("packs", "index"), ("index", "packs")] {
      let end = try #require(names.stored(Sample.name("\(folder)/\(id)"))).text.suffix(96)
      #expect(names.plain(try Sample.name("\(other)/\(end)")) == nil)
    }
  }

  @Test(arguments: ["refs/0011/17", "index/00112233", "marks/a-b", "format/00", "keys/0011223344556677", "a"])
  func leavesOthersAlone(_ text: String) throws {
    let name = try Sample.name(text)
    #expect(names.stored(name) == name)
    #expect(names.plain(name) == name)
  }

  @Test func noFlippedNameIsOurs() throws {
    let name = try Sample.name(Sample.pack)
    let stored = Array(try #require(names.stored(name)).text.utf8)
    var tried = 0
    for index in stored.indices {
      for digit in "0123456789abcdef".utf8 where digit != stored[index] {
        var text = stored
        text[index] = digit
        guard let other = ObjectName(String(decoding: text, as: UTF8.self)) else { continue }
        #expect(names.plain(other) != name)
        tried += 1
      }
    }
    #expect(tried > 1000)
  }

  @Test func refusesAShelfThatIsNotItsOwn() throws {
    let id = String(repeating: "ab", count: 32)
    #expect(names.stored(try Sample.name("packs/ac/\(id)")) == nil)
  }

  @Test(arguments: [
    ("", ""), ("packs/", "packs/"), ("packs", ""), ("packs/0a", "packs/"), ("packs/0a/", "packs/"),
    ("packs/0a/0a3f", "packs/"), ("refs/", "refs/"), ("refs/a/", "refs/a/"), ("refs/a/1", "refs/a/"),
    ("refs/0a/", "refs/"), ("0a/", "0a/"),
  ])
  func prefixesHoldBoth(_ prefixes: (String, String)) {
    #expect(SealedObjects.storedPrefix(prefixes.0) == prefixes.1)
  }
}
