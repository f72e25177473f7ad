// Trees and lists are written to a sink and read from a source, whatever these are.

import TestSupport
import Testing

@testable import MementoModel

struct TreeReaderTests {
  private let blobs = LooseBlobs()

  private func entries(_ count: Int) -> [TreeEntry] {
    (0..<count).map { TreeEntry.file("file \($0)", "\($0)".bytes) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  @Test(arguments: [0, 1, 100, 20_000])
  func entriesComeBackInOrder(_ count: Int) throws {
    let entries = entries(count)
    let tree = try blobs.tree(entries)
    #expect(try TreeReader.entries(of: tree, in: blobs) == entries)
    if count == 0 { #expect(tree == TreeFormat.empty) }
    if count > 10_000 { #expect(blobs.readCounts.count > 5, "a large folder is cut into pieces") }
    if let last = entries.last {
      #expect(try TreeReader.entry(named: last.name, of: tree, in: blobs) == last)
      #expect(try TreePath.entry(BytePath(last.name), in: tree, blobs) == last)
    }
    #expect(try TreeReader.entry(named: "nothing".bytes, of: tree, in: blobs) == nil)
  }

  @Test(arguments: [1, 100, 20_000])
  func eachNameIsFound(_ count: Int) throws {
    let entries = entries(count)
    let tree = try blobs.tree(entries)
    for entry in entries.enumerated().filter({ $0.offset % (count / 50 + 1) == 0 }).map(\.element) {
      #expect(try TreeReader.entry(named: entry.name, of: tree, in: blobs) == entry)
      #expect(try TreeReader.entry(named: entry.name + [0x20], of: tree, in: blobs) == nil)
      #expect(try TreeReader.entry(named: entry.name.dropLast(), of: tree, in: blobs) == nil || count > 1)
    }
    #expect(try TreeReader.entry(named: "a".bytes, of: tree, in: blobs) == nil)
  }

  /// Behind a name that is too late nothing is looked for, and what is not sorted is damage.
  @Test func aNameAmongThoseThatAreNotSorted() throws {
    let names = ["a", "b", "d", "c", "e"].map { TreeEntry.file($0, []) }
    var out = ByteWriter()
    for byte in [TreeFormat.tag, 0, UInt8(names.count)] { out.u8(byte) }
    let tree = blobs.storeMeta(out.bytes + names.flatMap(\.encoded))
    #expect(try TreeReader.entry(named: "b".bytes, of: tree, in: blobs) == names[1])
    let failure = LooseFailure.damaged(file: "tree \(tree.short)", reason: "its entries are not sorted")
    #expect(throws: failure) { try TreeReader.entry(named: "e".bytes, of: tree, in: blobs) }
  }

  @Test func anInnerNodeThatIsReadAloneNamesItsPieces() throws {
    let tree = try blobs.tree(entries(20_000))
    var reader = TreeReader(blob: tree, in: blobs)
    #expect(try reader.next() == nil)
    #expect(reader.level == 1 && reader.visited == [tree] && reader.inner.count > 5)
    #expect(blobs.readCounts == [tree: 1])
  }

  @Test func theErrorOfTheSourceGoesThrough() throws {
    let missing = ObjectID(hashing: "no tree".bytes)
    #expect(throws: LooseFailure.missing(missing)) { try TreeReader.entries(of: missing, in: blobs) }
    var list = ChunkListReader(FileContent(level: 2, id: missing), size: 1, in: blobs)
    #expect(throws: LooseFailure.missing(missing)) { try list.next() }
    let tree = try blobs.tree([.folder("a", missing)])
    #expect(throws: LooseFailure.missing(missing)) {
      try TreePath.entry(BytePath("a/b"), in: tree, blobs)
    }
  }

  @Test func whatIsDamagedIsSaidInTheErrorOfTheSource() throws {
    let text = blobs.storeMeta("no tree".bytes)
    #expect(throws: LooseFailure.damaged(file: "tree \(text.short)", reason: "it is not a tree")) {
      try TreeReader.entries(of: text, in: blobs)
    }
    var list = ChunkListReader(FileContent(level: 2, id: text), size: 1, in: blobs)
    #expect(throws: LooseFailure.damaged(file: "chunk list \(text.short)", reason: "it is not a chunk list")) {
      try list.next()
    }
  }

  @Test(arguments: [1, 2, 31, 1025, 5000])
  func piecesComeBackInOrder(_ count: Int) throws {
    var pieces: [ContentPiece] = []
    var data: UInt64 = 0
    for number in 0..<count {
      let length = UInt64(number % 7 + 1)
      let isHole = number % 5 == 4
      pieces.append(ContentPiece(length: length, id: isHole ? nil : ObjectID(hashing: "\(number)".bytes)))
      if !isHole { data += length }
    }
    var builder = ChunkListBuilder()
    for piece in pieces { try builder.append(piece, to: blobs) }
    let size = builder.size
    let content = try builder.finish(blobs)
    let sum: UInt64 = pieces.map(\.length).reduce(0, +)
    #expect(size == sum)
    var reader = ChunkListReader(content, size: size, in: blobs)
    var found: [ContentPiece] = []
    while let piece = try reader.next() { found.append(piece) }
    #expect(found == pieces)
    var totals = ChunkListTotals()
    let total = try totals.total(of: content, size: size, in: blobs)
    #expect(total.length == size && total.pieces == UInt64(count))
    #expect(total.data == data)
  }
}
