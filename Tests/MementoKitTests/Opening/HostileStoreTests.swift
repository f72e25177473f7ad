// A hostile store: blobs with valid ids that no save would write. They must be refused before anything changes.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct HostileStoreTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.makeFolder("a".bytes)
    try shop.folder.write("a/file".bytes, "mine".bytes)
    try shop.save("mine")
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Plants something and returns the id of a tree.
    let plant: @Sendable (RepositoryFixture) throws -> ObjectID

    init(_ name: String, _ plant: @escaping @Sendable (RepositoryFixture) throws -> ObjectID) {
      testDescription = name
      self.plant = plant
    }

    var isOnlyLength: Bool { testDescription.hasSuffix("of another length") || testDescription.hasSuffix("of 2^62") }

    static func blob(_ name: String, _ bytes: [UInt8]) -> Sample {
      Sample(name) { try $0.plant(meta: [bytes])[0] }
    }

    /// A file "evil" with the given bytes as its fields.
    static func entry(_ name: String, _ change: (inout ByteWriter) -> Void) -> Sample {
      var out = ByteWriter()
      change(&out)
      return blob(name, RepositoryFixture.tree([out.bytes]))
    }
  }

  private static func head(
    _ out: inout ByteWriter, kind: UInt8 = 1, name: [UInt8] = "evil".bytes, mode: UInt64 = 0o644, user: UInt64 = 0,
    group: UInt64 = 0, nanoseconds: UInt64 = 0
  ) {
    out.u8(kind)
    out.varint(UInt64(name.count))
    out.append(name)
    out.varint(mode)
    out.varint(user)
    out.varint(group)
    out.signedVarint(0)
    out.varint(nanoseconds)
  }

  static let id = ObjectID(hashing: "x".bytes)

  static let names: [Sample] = [
    ("empty", []), (".", ".".bytes), ("..", "..".bytes), ("a/b", "a/b".bytes), ("../x", "../x".bytes), ("/", "/".bytes),
    ("/etc/x", "/etc/x".bytes), ("NUL", [0]), ("a NUL inside", [0x61, 0, 0x62]), (".memento", ".memento".bytes),
    (".MEMENTO", ".MEMENTO".bytes), (".Memento", ".Memento".bytes), ("256 bytes", [UInt8](repeating: 0x61, count: 256)),
    ("65,536 bytes", [UInt8](repeating: 0x61, count: 65_536)),
  ].flatMap { (text: String, name: [UInt8]) in
    [
      Sample.entry("a file named \(text)") {
        head(&$0, name: name)
        $0.varint(0)
        $0.u8(0)
      },
      Sample.entry("a folder named \(text)") {
        head(&$0, kind: 2, name: name)
        $0.id(ObjectID(hashing: RepositoryFixture.tree([])))
      },
      Sample.entry("a link named \(text)") {
        head(&$0, kind: 3, name: name)
        $0.varint(1)
        $0.u8(0x2e)
      },
    ]
  }

  static let fields: [Sample] = [
    .entry("an unknown kind") { head(&$0, kind: 9) },
    .entry("kind 0") { head(&$0, kind: 0) },
    .entry("a socket") { head(&$0, kind: 7) },
    .entry("a mode of type bits") {
      head(&$0, mode: 0o104755)
      $0.append([0, 0])
    },
    .entry("a mode of 2^64") {
      head(&$0, mode: .max)
      $0.append([0, 0])
    },
    .entry("a user past 2^32") {
      head(&$0, user: 1 << 32)
      $0.append([0, 0])
    },
    .entry("10^9 nanoseconds") {
      head(&$0, nanoseconds: 1_000_000_000)
      $0.append([0, 0])
    },
    .entry("UTIME_NOW") {
      head(&$0, nanoseconds: 0x3fff_ffff)
      $0.append([0, 0])
    },
    .entry("a size of 2^63") {
      head(&$0)
      $0.varint(1 << 63)
      $0.u8(1)
      $0.id(id)
    },
    .entry("a size of 2^64 - 1") {
      head(&$0)
      $0.varint(.max)
      $0.u8(2)
      $0.id(id)
    },
    .entry("a size without content") {
      head(&$0)
      $0.append([5, 0])
    },
    .entry("content without a size") {
      head(&$0)
      $0.append([0, 1])
      $0.id(id)
    },
    .entry("a list of height 13") {
      head(&$0)
      $0.append([5, 13])
      $0.id(id)
    },
    .entry("content that is nowhere") {
      head(&$0)
      $0.append([5, 1])
      $0.id(id)
    },
    .entry("a list that is nowhere") {
      head(&$0)
      $0.append([5, 2])
      $0.id(id)
    },
    .entry("a folder that is nowhere") {
      head(&$0, kind: 2)
      $0.id(id)
    },
    .entry("a link without a target") {
      head(&$0, kind: 3)
      $0.varint(0)
    },
    .entry("a link of 4,096 bytes") {
      head(&$0, kind: 3)
      $0.varint(4096)
      $0.append([UInt8](repeating: 0x61, count: 4096))
    },
    .entry("a link with a NUL") {
      head(&$0, kind: 3)
      $0.append([3, 0x61, 0, 0x62])
    },
    .entry("a device past 2^32") {
      head(&$0, kind: 5)
      $0.varint(1 << 32)
      $0.varint(0)
    },
    .entry("2^60 attributes") {
      head(&$0, kind: 0x81)
      $0.append([0, 0])
      $0.varint(1 << 60)
    },
    .entry("an attribute of 2^40 bytes") {
      head(&$0, kind: 0x81)
      $0.append([0, 0, 1, 1, 0x61])
      $0.varint(1 << 40)
    },
    .entry("an attribute without a name") {
      head(&$0, kind: 0x81)
      $0.append([0, 0, 1, 0, 0])
    },
  ]

  static let blobs: [Sample] = [
    .blob("nothing", []), .blob("a tag alone", [TreeFormat.tag]), .blob("another tag", [0x58, 0, 0]),
    .blob("no tree", "no tree at all".bytes), .blob("a height of 9", RepositoryFixture.tree([], level: 9)),
    .blob("a height of 255", RepositoryFixture.tree([], level: 255)),
    .blob("an inner piece of none", RepositoryFixture.tree([], level: 1)),
    .blob("2^60 entries", RepositoryFixture.tree([], count: 1 << 60)),
    .blob("2^64 - 1 entries", RepositoryFixture.tree([], count: .max)),
    .blob("an entry too few", RepositoryFixture.tree([TreeEntry.file("a", []).encoded], count: 2)),
    .blob("an entry too many", RepositoryFixture.tree([TreeEntry.file("a", []).encoded], count: 0)),
    .blob("bytes at the end", RepositoryFixture.tree([TreeEntry.file("a", []).encoded, [0]], count: 1)),
    .blob("twice a name", RepositoryFixture.tree([TreeEntry.file("a", []).encoded, TreeEntry.file("a", []).encoded])),
    .blob("not sorted", RepositoryFixture.tree([TreeEntry.file("b", []).encoded, TreeEntry.file("a", []).encoded])),
    .blob("a number that is not in its short form", [TreeFormat.tag, 0, 0x80, 0]),
    Sample("a chunk under the id of a tree") { try $0.plant(data: ["just data".bytes])[0] },
    Sample("a tree as content, of another length") { shop in
      let tree = try shop.plant(meta: [RepositoryFixture.tree([])])[0]
      let file = TreeEntry(
        name: "evil".bytes, metadata: .sample, content: .file(size: 100, FileContent(level: 1, id: tree)))
      return try shop.plant(meta: [RepositoryFixture.tree([file.encoded])])[0]
    },
    Sample("a snapshot under the id of a tree") { try $0.repository.snapshot("mine").id.object },
    Sample("an empty piece many times over") { shop in
      // 64 times 64 times … the same empty piece: a tree without entries that takes forever to read.
      var id = try shop.plant(meta: [RepositoryFixture.tree([])])[0]
      for level in 1...8 {
        var child = ByteWriter()
        child.varint(1)
        child.u8(0x61)
        child.id(id)
        id = try shop.plant(
          meta: [RepositoryFixture.tree([[UInt8]](repeating: child.bytes, count: 64), level: UInt8(level))])[0]
      }
      return id
    },
    Sample("the same piece twice") { shop in
      let piece = try shop.plant(meta: [RepositoryFixture.tree([TreeEntry.file("a", []).encoded])])[0]
      var child = ByteWriter()
      child.varint(1)
      child.u8(0x61)
      child.id(piece)
      return try shop.plant(meta: [RepositoryFixture.tree([child.bytes, child.bytes], level: 1)])[0]
    },
  ]

  static let lists: [Sample] = [
    ("a piece too short", 100, 2, [(50, true)]), ("a piece too long", 100, 2, [(150, true)]),
    ("an overflow", 100, 2, [(UInt64.max >> 1, false), (UInt64.max >> 1, false), (102, false)]),
    ("a piece of nothing", 100, 2, [(0, true), (100, true)]), ("a hole in an inner list", 100, 3, [(100, false)]),
    ("another height", 100, 4, [(100, true)]), ("no pieces", 100, 2, []),
    ("a chunk of another length", 100, 2, [(100, true)]),
    ("a length of 2^62", UInt64.max >> 2, 2, [(UInt64.max >> 2, true)]),
  ].map { (name: String, size: UInt64, level: UInt8, pieces: [(UInt64, Bool)]) in
    Sample("a list: \(name)") { shop in
      let chunk = try shop.plant(data: ["chunk".bytes])[0]
      var out = ByteWriter()
      out.u8(ChunkListFormat.tag)
      out.u8(name == "another height" ? 3 : level)
      out.varint(UInt64(pieces.count))
      for (length, isData) in pieces {
        out.varint(length << 1 | (isData ? 0 : 1))
        if isData { out.id(chunk) }
      }
      let list = try shop.plant(meta: [out.bytes])[0]
      let file = TreeEntry(
        name: "evil".bytes, metadata: .sample, content: .file(size: size, FileContent(level: level, id: list)))
      return try shop.plant(meta: [RepositoryFixture.tree([file.encoded])])[0]
    }
  }

  @Test(arguments: names + fields + blobs + lists)
  func refusesWithNothingChanged(_ sample: Sample) throws {
    let good = TreeEntry.file("0 good", [])
    let evil = try sample.plant(shop)
    // The tree is used as the folder itself, and also deep inside, after a file that could be restored.
    let inner = try shop.plant(meta: [
      RepositoryFixture.tree([good.encoded, TreeEntry.folder("1 inner", evil).encoded])
    ])[0]
    let before = try shop.state
    let canary = try Manifest(shop.outside)
    for (number, tree) in [evil, inner].enumerated() {
      try shop.plant(tree: tree, as: "evil \(number)")
      let repository = try shop.reopened()
      #expect(code { try repository.restore("evil \(number)") } == .damaged)
      #expect(code { try shop.extract("evil \(number)", to: "copy \(number)") } == .damaged)
      // Content with a wrong length does exist, so gc may go on: it would not lose anything.
      let collected = code { try repository.collectGarbage() }
      #expect(collected == .damaged || sample.isOnlyLength)
      let report = try repository.verify()
      #expect(report.damage.contains { $0.states == ["evil \(number)"] })
      #expect(!report.damage.contains { $0.states == ["mine"] })
    }
    #expect(try shop.state.touched(since: before) == [])
    #expect(try Manifest(shop.outside).touched(since: canary) == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
    #expect(try shop.restore("mine").created == 0)
  }
}
