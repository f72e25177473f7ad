// Checks docs/format.md against the program: the decoders of the program decode every example, and the encoders, where
// there are any, encode it again.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit
@testable import MementoStore

/// Blobs without a store.
private struct LooseObjects: BlobSource {
  var blobs: [ObjectID: [UInt8]] = [:]

  mutating func add(_ bytes: [UInt8]) -> ObjectID {
    let id = ObjectID(hashing: bytes)
    blobs[id] = bytes
    return id
  }

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    guard let bytes = blobs[id] else { throw .missing(id) }
    return bytes
  }
}

struct FormatDocumentTests {
  private let document: FormatDocument
  private let pack: [UInt8]

  init() throws {
    document = try FormatDocument()
    pack = try document.bytes("pack")
  }

  private static let covered = [
    "layout", "numbers", "config", "refs", "sh", "states", "refs-6", "refs-3", "repair", "trash",
    "bytes parity", "snapshot", "bytes inner-tree", "bytes chunk-list",
    "bytes links", "unrecorded", "rules", "gear", "cuts", "journal", "bytes index", "marker", "slot",
    "sealed-name", "bytes sealed", "bytes pack",
  ]

  @Test func everyExampleIsLookedAt() {
    #expect(document.blocks.map(\.name) == FormatDocumentTests.covered)
  }

  // MARK: The store

  /// A store made only of the examples.
  private func store() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for folder in [".memento", ".memento/packs"] { try directory.descriptor.makeDirectory(folder.bytes) }
    for name in ["config", "refs", "journal"] { try directory.write(".memento/\(name)", document.text(name)) }
    try directory.write(".memento/packs/\(packID()).pack", pack)
    return directory
  }

  /// The name of the pack, from its footer.
  private func packID() throws -> ObjectID {
    try #require(ObjectID(Array(pack[(pack.count - 40)..<(pack.count - 8)].flatMap { hex($0) })))
  }

  private func hex(_ byte: UInt8) -> [UInt8] {
    Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
  }

  /// memento makes the parity that the document shows.
  @Test func parity() throws {
    let directory = try store()
    for name in ["tmp", "index"] { try directory.descriptor.makeDirectory(".memento/\(name)".bytes) }
    let root = try Descriptor.open("\(directory.path)/.memento".bytes, .directory)
    let store = try Store(opening: root, durable: false)
    let lock = try store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0)
    #expect(try ParityUpkeep(store).sweep(holding: lock) == 1)
    let found = try directory.read(".memento/parity/\(packID()).par")
    #expect(found == "memento par 1\n\0\0".bytes + pack + (try document.bytes("parity")))
  }

  /// The blobs of the pack, in order.
  private func blobs() throws -> [[UInt8]] {
    let directory = try store()
    let file = try directory.descriptor.open(".memento/packs/\(packID()).pack".bytes, .read)
    let table = try TableOfContents(of: PackReader(SharedDescriptor(file)), named: packID())
    #expect(table.blocks.map(\.kind) == [.data, .meta, .meta])
    #expect(table.blocks.map(\.codec) == [.stored, .stored, .stored])
    #expect(table.blocks.map(\.offset) == [16, 31, 160])
    #expect(table.blocks.map(\.blobCount) == [1, 2, 1])
    var rest = pack.dropFirst(16)
    return table.blobs.map { record in
      let blob = Array(rest.prefix(Int(record.length)))
      #expect(ObjectID(hashing: blob) == record.id)
      rest = rest.dropFirst(Int(record.length))
      return blob
    }
  }

  @Test func theExampleIsAStore() throws {
    let directory = try store()
    let repository = try Repository.find(from: BytePath(directory.path))
    #expect(try repository.verify(readData: true).damage == [])
    let states = try repository.states()
    #expect(states.map(\.name) == ["first"])
    #expect(states.map(\.isCurrent) == [true])
    let copy = "\(directory.path)/copy"
    _ = try repository.restore("first", to: BytePath(copy))
    #expect(try directory.read("copy/d/a.txt") == "hello, memento\n".bytes)
    let sum = ObjectID(hashing: "hello, memento\n".bytes)
    #expect(
      try FolderListing.lines(of: copy) == [
        ". 40755 1780322400.000000000",
        "d 40755 1780322400.000000000",
        "d/a.txt 100644 1780322400.000000000 15 \(sum)",
        "l 120777 1780322400.000000000 d/a.txt",
      ])
  }

  @Test func thePackIsWhatIsSaid() throws {
    #expect(pack.starts(with: PackFormat.header))
    let text = String(decoding: try document.lines("bytes pack").joined(separator: "\n").utf8, as: UTF8.self)
    for word in ["\"memento pack 1\"", "\"mementoT\"", "permissions: octal 644", "size: 15 bytes"] {
      #expect(text.contains(word))
    }
    let blobs = try blobs()
    try #require(blobs.count == 4)
    #expect(blobs[0] == "hello, memento\n".bytes)
    var objects = LooseObjects()
    let inner = objects.add(blobs[1])
    let outer = objects.add(blobs[2])
    let metadata = { (permissions: UInt32) in
      FileMetadata(
        permissions: permissions, user: 1000, group: 1000, modified: Timestamp(seconds: 1_780_322_400, nanoseconds: 0))
    }
    let file = TreeEntry(
      name: "a.txt".bytes, metadata: metadata(0o644),
      content: .file(size: 15, FileContent(level: 1, id: ObjectID(hashing: blobs[0]))))
    #expect(try TreeReader.entries(of: inner, in: objects) == [file])
    #expect(
      try TreeReader.entries(of: outer, in: objects) == [
        TreeEntry(name: "d".bytes, metadata: metadata(0o755), content: .directory(inner)),
        TreeEntry(name: "l".bytes, metadata: metadata(0o777), content: .symbolicLink("d/a.txt".bytes)),
      ])
    #expect(try blobs[3] == document.text("snapshot"))
    let record = try SnapshotRecord(blobs[3])
    #expect(record.encoded() == blobs[3])
    #expect(record.body == .tree(outer, metadata(0o755)))
    #expect(record.message == "hello, world")
    #expect([record.user, record.host, record.name] == ["ada", "example", "first"])
    #expect([record.files, record.changes.added] == [1, 1])
  }

  @Test func theConfigIsTheStandardOne() throws {
    var config = Config()
    config.compression = .none
    #expect(try Config(document.text("config")) == config)
    #expect(try document.text("config") == config.encoded())
  }

  @Test func theRefsAreWhatIsSaid() throws {
    let text = try document.text("refs")
    let refs = try RefsCodec.decode(text) { (_) throws(StoreError) in throw .cancelled }
    #expect(RefsCodec.encode(refs) == text)
    let snapshot = try ObjectID(hashing: document.text("snapshot"))
    #expect(Array(refs.states) == [NamedState(name: "first", snapshot: snapshot)])
    #expect(refs.timeline.current?.snapshot == snapshot)
    #expect([refs.generation] == [1])
    #expect(refs.pending == nil)
  }

  @Test func theTrashIsWhatIsSaid() throws {
    let lines = try document.text("trash")
    let body = "generation 1\nposition -\n".bytes + lines
    let text = "memento refs 3\nchecksum \(ObjectID(hashing: body))\n".bytes + body
    let refs = try RefsCodec.decode(text) { (_) throws(StoreError) in throw .cancelled }
    #expect(RefsCodec.encode(refs) == text)
    let entry = try #require(refs.trash.recentEntries.first)
    #expect(entry.name == "first")
    #expect(entry.reason == .deleted)
    let clock = try #require(refs.clock)
    #expect(clock.seconds == 3600)
    #expect(clock.timeLeft(since: entry.lived, of: RetentionPolicy.standard.trash) == 1_209_600 - 3600)
  }

  @Test func forksAreWhatIsSaid() throws {
    let text = try document.text("refs-6")
    let refs = try RefsCodec.decode(text) { (_) throws(StoreError) in throw .cancelled }
    #expect(RefsCodec.encode(refs) == text)
    #expect(refs.forks.map(\.id.description) == ["b4c68c56"] && refs.forks[0].path == "/home/ann/try b".bytes)
    #expect(refs.forks[0].timeline.steps.map(\.lived) == [74] && refs.timeline.steps.count == 1)
  }

  @Test func stepsOfPathsAreWhatIsSaid() throws {
    let text = try document.text("refs-3")
    let refs = try RefsCodec.decode(text) { (_) throws(StoreError) in throw .cancelled }
    #expect(RefsCodec.encode(refs) == text)
    #expect(refs.timeline.steps.map(\.paths) == [[], ["a file".bytes, "d/b".bytes], ["a file".bytes, "d/b".bytes]])
    #expect(refs.timeline.position == 2 && refs.states.count == 1)
  }

  @Test func theChecksumCanBeCheckedByHand() throws {
    let directory = try store()
    let command = try document.lines("sh").joined(separator: "\n")
    #expect(Command.run(command, in: "\(directory.path)/.memento").status == 0)
    try directory.write(".memento/refs", document.text("refs") + "x\n".bytes)
    #expect(Command.run(command, in: "\(directory.path)/.memento").status == 1)
  }

  /// Few states are in `refs`. Many are in a file of their own, with the changes since it was written in `refs`.
  @Test(arguments: [2, 600])
  func theStatesCanBeReadByHand(_ count: Int) throws {
    let directory = try TemporaryDirectory()
    let file = try Repository.create(folder: BytePath(directory.path)).store.refs
    _ = try file.update(waiting: 10) { refs in refs.states.set((0..<count).map { ("state - \($0)", .zero) }) }
    _ = try file.update(waiting: 10) { refs in
      refs["state - 1"] = nil
      refs["state - 0"] = ObjectID(1, 2, 3, 4)
      refs["- a b"] = .zero
    }
    let command = try document.lines("states").joined(separator: "\n")
    let (output, status) = Command.run(command, in: "\(directory.path)/.memento")
    #expect(status == 0)
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(lines.sorted() == (try file.read().states.map { "\($0.snapshot) \($0.name)" }.sorted()))
  }

  @Test func aDamagedListGivesWayToTheOneBefore() throws {
    let directory = try TemporaryDirectory()
    let repository = try Repository.create(folder: BytePath(directory.path))
    try directory.write("a file", "content".bytes)
    _ = try repository.save(SaveOptions(name: "a folder"))
    for round in ["first", "second"] {
      try repository.saveValues((0..<600).map { NamedValue(name: "\(round) \($0)", bytes: "\($0)".bytes) })
    }
    let timeline = try repository.store.refs.read().timeline
    let file = try #require(try repository.store.refs.read().states.file)
    let other = try #require(try directory.names(".memento/states").first { $0 != "\(file)" })
    try directory.write(".memento/states/\(file)", "noise".bytes)
    // Without this copy, every command would read the list from it.
    try directory.descriptor.removeFile(".memento/backup/\(file)".bytes)
    #expect(throws: RepositoryError.self) { try Repository.find(from: BytePath(directory.path)).states() }

    let command = "OTHER=\(other)\n" + (try document.lines("repair").joined(separator: "\n"))
    #expect(Command.run(command, in: "\(directory.path)/.memento").status == 0)
    let repaired = try Repository.find(from: BytePath(directory.path))
    #expect(Set(try repaired.states().map(\.name)) == Set((0..<600).map { "first \($0)" } + ["a folder"]))
    #expect(try repaired.store.refs.read().timeline == timeline)
    #expect(try repaired.verify(readData: true).damage == [])
    _ = try repaired.save(SaveOptions(name: "and on"))
  }

  @Test func theJournalIsWhatIsSaid() throws {
    let directory = try store()
    let folder = try StoreFolder(adopting: directory.descriptor.open(".memento".bytes, .directory))
    var journal = try Journal(folder).newestFirst()
    let first = try journal.next()
    let entry = try #require(first)
    #expect(entry.user == "ada")
    #expect(entry.operation == "save")
    #expect(entry.name == "first")
    #expect(entry.formerName == nil)
    #expect(try entry.snapshot == ObjectID(hashing: document.text("snapshot")))
    let second = try journal.next()
    #expect(second == nil)
  }

  @Test func theIndexLeadsToEveryBlob() throws {
    let bytes = try document.bytes("index")
    let directory = try TemporaryDirectory()
    try directory.write("table", bytes)
    let opened = try IndexTable(opening: "table".bytes, in: directory.descriptor)
    let table = try #require(opened)
    #expect(try Array(table.packs) == [IndexedPack(id: packID(), size: UInt64(pack.count))])
    #expect(table.count == 4)
    for blob in try blobs() {
      var found = 0
      try table.find(ObjectID(hashing: blob)) { block, entry in
        let start = Int(block.record.offset) + Int(entry.offset)
        #expect(Array(pack[start..<start + Int(entry.length)]) == blob)
        found += 1
      }
      #expect(found == 1)
    }
    // memento makes the same table from the pack.
    let fixture = try store()
    let store = try Store(opening: fixture.descriptor.open(".memento".bytes, .directory))
    try store.index.rebuild()
    let name = ObjectID(hashing: Array(try packID().description.utf8)).description.prefix(32)
    #expect(try fixture.read(".memento/index/\(name)") == bytes)
  }

  @Test func theLayoutIsThatOfAStoreInUse() throws {
    let directory = try TemporaryDirectory()
    let repository = try Repository.create(folder: BytePath(directory.path))
    _ = try repository.save(SaveOptions(name: "one"))
    let names = try directory.names(".memento").map { name in
      try directory.status(".memento/\(name)").isDirectory ? "\(name)/" : name
    }
    let said = try document.lines("layout").compactMap { $0.split(separator: " ").first.map(String.init) }
    let later = [
      "bad-blocks", "damaged/", "received/", "remotes/", "rescue/", "rules", "states/", "trash/", "unsynced",
    ]
    #expect(said.filter { !later.contains($0) } == names)
    #expect(said.contains("rescue/"))
  }

  @Test func rulesThatAreKept() throws {
    let bytes = Array(try document.text("rules"))
    let sets = try #require(PersistedRules.decode(bytes))
    #expect(PersistedRules.encode(sets) == bytes)
    let set = try #require(sets.first)
    #expect(set.options.patterns == ["*.o".bytes])
    #expect(set.options.files.map(\.bytes) == ["a\nb\n".bytes])
    #expect(set.options.largestFile == 1 << 20)
    #expect(set.files?[[]]?.own == "/build/\n".bytes)
    #expect(set.files?["src".bytes]?.git == "*.tmp\n".bytes)
  }

  // MARK: Pieces

  @Test func numbers() throws {
    let lines = try document.lines("numbers")
    #expect(lines.count == 10)
    for line in lines {
      let parts = line.firstRange(of: "  ").map { (line[..<$0.lowerBound], line[$0.upperBound...]) }
      let (hex, meaning) = try #require(parts)
      let bytes = try FormatDocument.bytes(hex)
      let words = meaning.split(separator: " ")
      var reader = ByteReader(bytes)
      var writer = ByteWriter()
      switch words[0] {
      case "varint":
        let value = try reader.varint()
        #expect("\(value)" == words[1])
        writer.varint(value)
      default:
        let value = try reader.signedVarint()
        #expect("\(value)" == words[1])
        writer.signedVarint(value)
      }
      #expect(reader.isAtEnd)
      #expect(writer.bytes == bytes)
    }
  }

  @Test func anInnerNodeStandsForTheEntriesOfItsPieces() throws {
    let bytes = try document.bytes("inner-tree")
    var objects = LooseObjects()
    for blob in try blobs() { _ = objects.add(blob) }
    let entries = try TreeReader.entries(of: objects.add(bytes), in: objects)
    #expect(entries.map(\.name) == ["a.txt".bytes, "d".bytes, "l".bytes])
    let empty = objects.add([0x54, 0, 0])
    #expect(try TreeReader.entries(of: empty, in: objects).isEmpty)
  }

  @Test func chunkList() throws {
    let bytes = try document.bytes("chunk-list")
    var objects = LooseObjects()
    let list = objects.add(bytes)
    let pieces = [
      ContentPiece(length: 100_000, id: ObjectID(hashing: [UInt8](repeating: UInt8(ascii: "a"), count: 100_000))),
      ContentPiece(length: 150_000, id: nil),
      ContentPiece(length: 50_000, id: ObjectID(hashing: [UInt8](repeating: UInt8(ascii: "b"), count: 50_000))),
    ]
    var reader = ChunkListReader(FileContent(level: 2, id: list), size: 300_000, in: objects)
    var found: [ContentPiece] = []
    while let piece = try reader.next() { found.append(piece) }
    #expect(found == pieces)
    let fixture = try store()
    let store = try Store(opening: fixture.descriptor.open(".memento".bytes, .directory))
    let scratch = ScratchObjects(over: store)
    let writer = ObjectWriter(.memory(scratch), store: store)
    var builder = ChunkListBuilder()
    for piece in pieces { try builder.append(piece, to: writer) }
    #expect(try builder.finish(writer) == FileContent(level: 2, id: list))
    #expect(try scratch.readMeta(list) == bytes)
  }

  @Test func links() throws {
    let groups = [["a", "dir/b"], ["dir/c", "dir/d", "e"]].map { $0.map(\.bytes) }
    #expect(try LinkTable.decode(document.bytes("links")) == groups)
    #expect(try LinkTable.encode(groups) == document.bytes("links"))
  }

  @Test func unrecordedPaths() throws {
    let problems = [
      Problem(path: BytePath("run/socket"), message: "not recorded: it is a socket", isNote: true),
      Problem(path: BytePath("secret key"), message: "cannot be read: Permission denied"),
    ]
    #expect(try UnrecordedList.decode(document.text("unrecorded")) == problems)
    #expect(try UnrecordedList.encode(problems) == document.text("unrecorded"))
  }

  @Test func gearTable() throws {
    let lines = try document.lines("gear")
    #expect(lines.count == 3)
    for line in lines {
      let words = line.split { "[] =".contains($0) }
      let index = try #require(Int(words[1]))
      let digits = String(GearTable.words[index], radix: 16)
      #expect(String(repeating: "0", count: 16 - digits.count) + digits == words[2])
    }
  }

  @Test func cuts() throws {
    var rest = Content.random(1 << 20, seed: 1)[...]
    var lengths: [Int] = []
    while !rest.isEmpty {
      let length = rest.withUnsafeBytes { Chunker().firstCut(in: $0) }
      lengths.append(length)
      rest = rest.dropFirst(length)
    }
    #expect(try document.lines("cuts") == [lengths.map(String.init).joined(separator: " ")])
  }
}
