// A second reader of the format, written in Python without any code of the first, reads what memento has written.

import MementoKit
import MementoStore
import MementoSystem
import TestSupport
import Testing

@Suite(
  .enabled(if: Command.exists("python3"), "python3 is missing"), .enabled(if: Command.exists("zstd"), "zstd is missing")
)
struct PythonReaderTests {
  private let directory: TemporaryDirectory
  private let folder: String

  init() throws {
    directory = try TemporaryDirectory()
    try directory.descriptor.makeDirectory("folder".bytes)
    folder = "\(directory.path)/folder"
  }

  @discardableResult
  private func read(_ words: String...) throws -> (output: String, status: Int32) {
    let (output, status) = Command.run(
      (["python3", Project.reader, "\(folder)/.memento"] + words).map { Command.quoted($0) }.joined(separator: " "),
      in: directory.path)
    return (String(decoding: output, as: UTF8.self), status)
  }

  /// Fills the folder with every kind of thing that a folder can hold.
  private func fill() throws {
    let root = try directory.descriptor.open("folder".bytes, .directory)
    for path in ["a", "a/b", "a/b/c", "closed", "many"] { try root.makeDirectory(path.bytes) }
    func file(_ name: [UInt8], _ content: [UInt8]) throws {
      let file = try root.open(name, .create)
      try file.write(content)
      try file.setModified(Timestamp(seconds: -86_400, nanoseconds: 123_456_789))
    }
    try file("a/random".bytes, Content.random(3 << 20, seed: 1))
    try file("a/b/text".bytes, Content.text(2 << 20, seed: 2))
    try file("a/b/c/small".bytes, "small\n".bytes)
    try file("empty".bytes, [])
    try file([0x63, 0x61, 0x66, 0xe9], "not UTF-8".bytes)
    try file("new\nline".bytes, "a line".bytes)
    let sparse = try root.open("sparse".bytes, .create)
    try sparse.truncate(to: 10 << 20)
    try sparse.write("island".bytes, at: 5 << 20)
    try root.open("hole".bytes, .create).truncate(to: 1 << 20)
    for number in 0..<1000 { try file("many/a name long enough for two pieces of the tree \(number)".bytes, []) }
    try root.link("a/b/text".bytes, to: "a/b/c/hard".bytes, in: root)
    try root.makeSymbolicLink("link".bytes, target: "a/b".bytes)
    try root.makeSymbolicLink("outside".bytes, target: "/nowhere at all".bytes)
    try root.makeNode("fifo".bytes, kind: .fifo, permissions: 0o640, major: 0, minor: 0)
    try root.open("a/random".bytes, .readWrite).setPermissions(0o751)
    try root.open("closed".bytes, .directory).setPermissions(0o1500)
  }

  @Test(arguments: ["zstd", "zlib", "none"])
  func extractsWhatWasSaved(_ compression: String) throws {
    try fill()
    let repository = try Repository.create(folder: BytePath(folder), compression: compression)
    let summary = try repository.save(SaveOptions(name: "exp/lr 0.1"))
    #expect(summary.problems == [])

    let list = try read("list")
    #expect(list.status == 0, "\(list.output)")
    let lines = list.output.split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(lines.map(\.last) == ["@", "exp/lr 0.1"])
    #expect(lines.allSatisfy { $0.first ?? "" == summary.snapshot.id.description })

    let result = try read("extract", "exp/lr 0.1", "copy")
    #expect(result.status == 0, "\(result.output)")
    let copy = "\(directory.path)/copy"
    #expect(try FolderListing.lines(of: copy) == FolderListing.lines(of: folder))
    // Holes are restored as holes, if the file system has any.
    let blocks = try directory.status("folder/sparse").blocks
    #expect(try directory.status("copy/sparse").blocks <= max(blocks, 64))
  }

  /// gc has put versions side by side, in blocks of megabytes.
  @Test func extractsOldVersionsAfterGC() throws {
    let repository = try Repository.create(folder: BytePath(folder))
    var text = Content.random(200_000, seed: 3)
    var expected: [UInt8] = []
    for number in 0..<12 {
      text[number * 10_000] ^= 1
      try directory.write("folder/file", text)
      _ = try repository.save(SaveOptions(name: "v\(number)"))
      if number == 4 { expected = text }
    }
    #expect(try repository.collectGarbage().versionsSorted > 0)
    #expect(try read("extract", "v4", "copy").status == 0)
    #expect(try directory.read("copy/file") == expected)
  }

  @Test func findsStatesInAListOfTheirOwn() throws {
    let repository = try Repository.create(folder: BytePath(folder))
    _ = try repository.saveValues((0..<600).map { NamedValue(name: "n\($0)", bytes: "\($0)".bytes) })
    _ = try repository.saveValues([NamedValue(name: "n7", bytes: "changed".bytes)])
    _ = try repository.delete(["n8"])
    #expect(try directory.read("folder/.memento/refs").starts(with: "memento refs 3\n".bytes))
    let names = try read("list").output.split(separator: "\n").compactMap { $0.split(separator: "\t").last }
    #expect(names.sorted() == (try repository.states().map { $0.name[...] }.sorted()))
    #expect(try read("extract", "n7", "-").output == "changed")
    #expect(try read("extract", "n599", "-").output == "599")
    #expect(try read("extract", "n8", "-").status != 0)
  }

  @Test func restoresExtendedAttributes() throws {
    let attribute = ExtendedAttribute(name: "user.memento".bytes, value: [0, 0xff, 0x0a])
    try directory.write("folder/file", "x".bytes)
    do {
      try directory.descriptor.open("folder/file".bytes, .readWrite).setExtendedAttribute(attribute)
      try directory.descriptor.open("folder".bytes, .directory).setExtendedAttribute(attribute)
    } catch {
      return  // the file system has no extended attributes
    }
    _ = try Repository.create(folder: BytePath(folder)).save()
    let result = try read("extract", "@", "copy")
    #expect(result.output == "")
    for name in ["copy/file", "copy"] {
      #expect(try directory.descriptor.open(name.bytes, .read).extendedAttributes() == [attribute])
    }
  }

  @Test func extractsAValue() throws {
    let value = Content.text(600_000, seed: 3)
    try directory.write("value", value)
    let repository = try Repository.create(folder: BytePath(folder))
    let input = try directory.descriptor.open("value".bytes, .read)
    _ = try repository.saveValue(readingFrom: input.raw, as: "value")
    #expect(try read("extract", "value", "copy").status == 0)
    #expect(try directory.read("copy") == value)
    #expect(try Array(read("extract", "value", "-").output.utf8) == value)
  }

  @Test func findsDamage() throws {
    try directory.write("folder/file", Content.text(5000, seed: 4))
    let repository = try Repository.create(folder: BytePath(folder), compression: "none")
    _ = try repository.save(SaveOptions(name: "one"))
    let pack = try directory.names("folder/.memento/packs")[0]
    let bytes = try directory.read("folder/.memento/packs/\(pack)")
    for bit in [17 * 8, (bytes.count - 100) * 8] {
      try directory.write("folder/.memento/packs/\(pack)", Content.flipping(bytes, bit: bit))
      let result = try read("extract", "one", "copy-\(bit)")
      #expect(result.status == 1)
      #expect(result.output.hasPrefix("memento-read: "), "\(result.output)")
    }
    let refs = try directory.read("folder/.memento/refs")
    try directory.write("folder/.memento/refs", Content.flipping(refs, bit: (refs.count - 2) * 8))
    #expect(try read("list").output == "memento-read: refs do not match their checksum\n")
  }

  @Test func refusesALaterFormat() throws {
    _ = try Repository.create(folder: BytePath(folder))
    for config in ["format = 2\n", "format = 1\nrequires = encryption\n"] {
      try directory.write("folder/.memento/config", config.bytes)
      #expect(try read("list").output == "memento-read: a store of a later format\n")
    }
  }

  /// Makes a snapshot with a tree that no save would make.
  @Test(arguments: ["..", ".", "a/b", "../../out", "", ".memento", ".MEMENTO", "a\0b"])
  func refusesNamesThatCouldEscape(_ name: String) throws {
    _ = try Repository.create(folder: BytePath(folder))
    let store = try Store(opening: directory.descriptor.open("folder/.memento".bytes, .directory))
    var tree = ByteWriter()
    tree.append([UInt8(ascii: "T"), 0, 1, 3, UInt8(name.utf8.count)])
    tree.append(name.utf8)
    tree.append([0, 0, 0, 0, 0, 1, UInt8(ascii: "x")])
    let snapshot = """
      memento snapshot 1
      tree \(ObjectID(hashing: tree.bytes))
      root 755 0 0 0 0
      files 0
      bytes 0
      time 2026-06-01T14:00:00.000000000Z
      changes 0 0 0
      complete yes

      """.bytes
    let writer = try store.packWriter()
    var block = store.blockWriter(writer, .meta)
    for blob in [tree.bytes, snapshot] {
      try blob.withUnsafeBytes { try block.add(ObjectID(hashing: blob), $0) }
    }
    try block.flush()
    try writer.finish()
    _ = try store.refs.update(waiting: 10) { $0["bad"] = ObjectID(hashing: snapshot) }
    let result = try read("extract", "bad", "copy")
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("memento-read: an entry that cannot be"), "\(result.output)")
    #expect(try directory.names("copy").isEmpty)
    #expect(try directory.names() == ["copy", "folder"])
    // memento refuses it, too.
    let repository = try Repository.find(from: BytePath(folder))
    #expect(throws: RepositoryError.self) { try repository.restore("bad", to: BytePath("\(directory.path)/other")) }
    #expect(try directory.names().filter { $0 != "other" } == ["copy", "folder"])
  }

  @Test func saysHowItIsUsed() throws {
    #expect(try read().output.contains("usage: memento-read.py STORE list"))
    _ = try Repository.create(folder: BytePath(folder))
    #expect(try read("extract", "nothing", "copy").output == "memento-read: no such state: nothing\n")
    #expect(try read("list").output == "")
  }
}
