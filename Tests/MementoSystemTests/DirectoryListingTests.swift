import MementoSystem
import TestSupport
import Testing

struct DirectoryListingTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func listing() throws -> [[UInt8]] {
    let listing = try DirectoryListing(reading: folder.descriptor.open(".".bytes, .directory))
    return (0..<listing.count).map { listing.name(at: $0) }
  }

  private func make(_ names: [[UInt8]]) throws {
    for name in names { _ = try folder.descriptor.open(name, .create) }
  }

  @Test func anEmptyFolderHasNoNames() throws {
    #expect(try listing().isEmpty)
  }

  @Test func sortsByBytes() throws {
    let names = ["b", "a", "B", "a.b", "a-", "a0", "ab", "ä", "z", "~", "A", "aa"]
    try make(names.map(\.bytes))
    let expected = names.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try listing() == expected)
  }

  @Test func keepsNamesThatAreNotText() throws {
    let names: [[UInt8]] = [
      [0x0a], [0x1b, 0x5b, 0x31, 0x6d], "line\nline".bytes, " ".bytes, "-rf".bytes, "...".bytes, "..a".bytes,
      ".a".bytes, [0x7f], [0x80], [0xc3, 0x28], [0xfe, 0xff], [0xff, 0x61], "e\u{301}".bytes, "\u{e9}".bytes,
    ]
    try make(names)
    #expect(try listing() == names.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func readsFoldersLargerThanABuffer() throws {
    var generator = SplitMix64(seed: 7)
    var names: Set<[UInt8]> = []
    while names.count < 5000 {
      names.insert("\(String(generator.next(), radix: 36))-\(names.count)".bytes)
    }
    names.insert([UInt8](repeating: 0x78, count: 255))
    try make(Array(names))
    #expect(try listing() == names.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func givesNamesInPlace() throws {
    try make(["two".bytes, "one".bytes])
    let listing = try DirectoryListing(reading: folder.descriptor.open(".".bytes, .directory))
    let found = listing.withNames { names in
      (0..<names.count).map { (Array(names[$0]), String(cString: names.cString($0))) }
    }
    #expect(found.map(\.0) == ["one".bytes, "two".bytes])
    #expect(found.map(\.1) == ["one", "two"])
  }

  @Test func aFileIsNoFolder() throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    #expect(throws: Errno.notDirectory) { _ = try DirectoryListing(reading: file) }
  }
}
