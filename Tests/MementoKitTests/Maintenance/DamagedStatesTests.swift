// verify names every state that cannot be restored and every damaged path in it, and no others.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct DamagedStatesTests {
  let shop: RepositoryFixture
  private let packs: FolderTools

  init() throws {
    shop = try RepositoryFixture(parity: false)
    packs = shop.storeFolder.folder("packs")
  }

  private func paths(_ report: VerifyReport, _ state: String) -> [String] {
    report.damage.filter { $0.states.contains(state) }.map { $0.path?.description ?? "" }.sorted()
  }

  /// One damaged folder is in two places, and its second parent is in another state.
  @Test func aHurtFolderHurtsAllWhoHaveIt() throws {
    let nowhere = ObjectID(hashing: "nowhere".bytes)
    func folder(_ entries: [(String, ObjectID)]) throws -> ObjectID {
      try shop.plant(meta: [RepositoryFixture.tree(entries.map { TreeEntry.folder($0.0, $0.1).encoded })])[0]
    }
    let hurt = try folder([("inner", nowhere)])
    let first = try folder([("d", hurt)])
    let second = try folder([("e", hurt)])
    try shop.plant(tree: try folder([("1", first), ("2", second), ("3", second)]), as: "x")
    try shop.plant(tree: try folder([("z", second)]), as: "y")
    try shop.plant(tree: hurt, as: "w")
    try shop.plant(tree: try folder([]), as: "whole")
    let report = try shop.repository.verify()
    #expect(paths(report, "x") == ["1/d/inner", "2/e/inner", "3/e/inner"])
    #expect(paths(report, "y") == ["z/e/inner"])
    #expect(paths(report, "w") == ["inner"])
    #expect(paths(report, "whole") == [])
    // Paths that the same states have are listed together.
    let states = report.damage.map(\.states)
    #expect(states.filter { $0 == ["x"] }.count == 3)
    #expect(zip(states, states.dropFirst()).filter { $0 != $1 }.count == Set(states).count - 1)
  }

  /// Several files share a chunk and a list. One file claims another length for them.
  @Test func aHurtContentHurtsAllFilesThatHaveIt() throws {
    let chunk = "chunk".bytes
    let ids = try shop.plant(data: [chunk])
    func list(_ pieces: [(UInt64, ObjectID)], level: UInt8 = 2) throws -> FileContent {
      var out = ByteWriter()
      out.u8(ChunkListFormat.tag)
      out.u8(level)
      out.varint(UInt64(pieces.count))
      for (length, id) in pieces {
        out.varint(length << 1)
        out.id(id)
      }
      return FileContent(level: level, id: try shop.plant(meta: [out.bytes])[0])
    }
    let hurt = try list([(5, ids[0]), (7, ObjectID(hashing: "lost".bytes))])
    let above = try list([(12, hurt.id), (12, hurt.id)], level: 3)
    let whole = try list([(5, ids[0]), (5, ids[0])])
    let files: [(String, UInt64, FileContent)] = [
      ("a", 12, hurt), ("b", 24, above), ("c", 10, whole), ("d", 11, whole), ("e", 12, hurt),
      ("f", 10, FileContent(level: 3, id: whole.id)), ("g", 6, FileContent(level: 1, id: ids[0])),
      ("h", 5, FileContent(level: 1, id: ids[0])),
    ]
    let entries = files.map { name, size, content in
      TreeEntry(name: name.bytes, metadata: .sample, content: .file(size: size, content)).encoded
    }
    for (name, some) in [("all", entries[...]), ("last", entries[4...])] {
      try shop.plant(tree: try shop.plant(meta: [RepositoryFixture.tree(Array(some))])[0], as: name)
    }
    let report = try shop.repository.verify()
    #expect(paths(report, "all") == ["a", "b", "d", "e", "f", "g"])
    #expect(paths(report, "last") == ["e", "f", "g"])
    #expect(try shop.repository.verify(readData: true).damage == report.damage)
  }

  /// A large folder is stored in pieces, which other folders may share.
  @Test func piecesOfFoldersAreChecked() throws {
    func piece(_ names: [String]) throws -> ObjectID {
      try shop.plant(meta: [RepositoryFixture.tree(names.map { TreeEntry.file($0, []).encoded })])[0]
    }
    func node(_ pieces: [ObjectID], level: UInt8 = 1) throws -> ObjectID {
      let children = pieces.map { id in
        var out = ByteWriter()
        out.varint(0)
        out.id(id)
        return out.bytes
      }
      return try shop.plant(meta: [RepositoryFixture.tree(children, level: level)])[0]
    }
    let (one, two, hurt) = (try piece(["a", "b"]), try piece(["c"]), try piece(["d", "d"]))
    try shop.plant(tree: try node([one, two]), as: "whole")
    try shop.plant(tree: try node([two, one]), as: "not sorted")
    try shop.plant(tree: try node([one, one]), as: "twice")
    try shop.plant(tree: try node([one, hurt]), as: "hurt")
    try shop.plant(tree: try node([hurt, one]), as: "hurt, too")
    try shop.plant(tree: try node([try node([one]), try node([two])], level: 2), as: "high")
    try shop.plant(tree: try node([one, try node([two])], level: 2), as: "uneven")
    try shop.plant(tree: one, as: "a piece alone")
    let report = try shop.repository.verify()
    #expect(
      Set(report.damage.flatMap(\.states)) == ["not sorted", "twice", "hurt", "hurt, too", "uneven"])
    for state in try shop.repository.stateNames().keys {
      let isHurt = report.damage.contains { $0.states.contains(state) }
      #expect((code { try shop.extract(Revision(state), to: "copy \(state)") } == .damaged) == isHurt, "\(state)")
    }
  }

  /// Many saves with random damage to one pack: verify names exactly the states that cannot be restored.
  @Test(arguments: 0..<16)
  func namesAreThoseThatDoNotComeBack(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    for number in 0..<3 { try shop.folder.makeFolder("d\(number)".bytes) }
    for name in ["one", "two", "three", "four"] {
      for file in 0..<6 where name == "one" || random.next() % 3 == 0 {
        try shop.folder.write(
          "d\(file % 3)/\(file)".bytes, Content.random(20_000 + file * 30_000, seed: random.next() % 9))
      }
      try shop.save(name)
    }
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.timeline = FolderTimeline() }
    let all = try packs.names()
    let victim = all[Int(random.next() % UInt64(all.count))]
    let bytes = try packs.read(victim)
    let place = Int(random.next() % UInt64(bytes.count))
    /// Whether the whole pack is lost, and not just a part of a block.
    let isGone = seed % 2 == 0
    switch seed % 4 {
    case 0: try packs.write(victim, Array(bytes[..<place]))
    case 1: try packs.write(victim, Content.flipping(bytes, bit: place * 8))
    case 2: try packs.remove(victim)
    default: try packs.write(victim, bytes.enumerated().map { abs($0.offset - place) < 4096 ? 0 : $0.element })
    }
    if seed % 8 < 4 {
      for table in try shop.storeFolder.folder("index").names() { try shop.storeFolder.remove("index/".bytes + table) }
    }
    let report = try shop.reopened().verify(readData: true)
    for state in ["one", "two", "three", "four"] {
      let isHurt = report.damage.contains { $0.states.contains(state) }
      let place = BytePath(shop.directory.path.bytes + "/copy \(state)".bytes)
      let outcome = code { try shop.reopened().restore(Revision(state), to: place) }
      if isHurt, !isGone {
        // The part of a block before the damage can still be unpacked.
        #expect(outcome == .damaged || outcome == nil, "\(state): \(report.damage)")
      } else {
        #expect(outcome == (isHurt ? .damaged : nil), "\(state): \(report.damage)")
      }
    }
  }

  @Test func stepsWithoutANameAreSaidToBeSnapshots() throws {
    try shop.folder.write("a".bytes, Content.random(50_000, seed: 1))
    let unnamed = try shop.save()
    for pack in try packs.names() { try packs.write(pack, Content.flipping(try packs.read(pack), bit: 20_000 * 8)) }
    let report = try shop.reopened().verify(readData: true)
    let hurt = report.damage.filter { $0.path == BytePath("a") }
    #expect(hurt.map(\.states) == [[]])
    #expect(hurt.map(\.snapshots) == [[unnamed.snapshot.id]])
  }

  /// A missing file of the store is damage, not a failure of the system.
  @Test func aMissingPackIsDamage() throws {
    try shop.folder.write("a".bytes, Content.random(50_000, seed: 1))
    try shop.save("one")
    try shop.folder.write("b".bytes, Content.random(50_000, seed: 2))
    try shop.save("two")
    let open = try shop.reopened()
    for pack in try packs.names() { try packs.remove(pack) }
    try shop.folder.empty()
    for state in ["one", "two"] {
      for repository in [open, try shop.reopened()] {
        #expect(code { try repository.restore(Revision(state)) } == .damaged)
        #expect(code { try repository.write(Revision(state), path: "a", to: -1) } == .damaged)
      }
    }
    #expect(Set(try shop.reopened().verify().damage.flatMap(\.states)) == ["one", "two"])
  }

  @Test func oneUnreadableSnapshotIsOneRowOfTheList() throws {
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("one")
    let before = Set(try packs.names())
    try shop.folder.write("a".bytes, "b".bytes)
    let two = try shop.save("two")
    let pack = try #require(try packs.names().first { !before.contains($0) })
    try packs.remove(pack)
    for repository in [shop.repository, try shop.reopened()] {
      let states = try repository.states()
      #expect(states.map(\.name) == ["one", "two"])
      #expect(states[1].snapshot.id == two.snapshot.id && states[1].isCurrent)
      #expect(states.map { $0.problem == nil } == [true, false])
    }
  }
}
