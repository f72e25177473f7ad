// A merged table has the rows of its sources, in memory and in a file.

import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct IndexRowMergeTests {
  let fixture: StoreFixture
  let folder: StoreFolder

  init() throws {
    fixture = try StoreFixture()
    folder = try fixture.folder()
  }

  /// A pack of four blocks, one of them empty.
  private func pack(_ seed: UInt64, blobs: Int) -> PackContents {
    var generator = SplitMix64(seed: seed)
    var contents = TableOfContents()
    var offset: UInt64 = 16
    for block in 0..<4 {
      let count = block == 1 ? 0 : blobs / 3
      for _ in 0..<count {
        let id = ObjectID(generator.next() % 1000 << 54, generator.next(), 0, seed)
        contents.blobs.append(BlobRecord(id: id, length: UInt32(generator.next() % 100)))
      }
      let raw = contents.blobs.suffix(count).reduce(0) { $0 + $1.length }
      contents.blocks.append(
        BlockRecord(
          kind: block == 3 ? .meta : .data, codec: .stored, rawLength: raw, storedLength: raw, blobCount: UInt32(count),
          offset: offset))
      offset += UInt64(raw)
    }
    return PackContents(id: ObjectID(seed, 1, 2, 3), size: offset, contents: contents)
  }

  /// The content of a row, without the numbers of packs and blocks.
  private struct Row: Hashable {
    var id: ObjectID
    var pack: ObjectID
    var block: UInt64
    var offset: UInt32
    var length: UInt32
  }

  private func rows(of pack: PackContents) -> [Row] {
    var result: [Row] = []
    var blob = 0
    for block in pack.contents.blocks {
      var offset: UInt32 = 0
      for _ in 0..<block.blobCount {
        let record = pack.contents.blobs[blob]
        result.append(Row(id: record.id, pack: pack.id, block: block.offset, offset: offset, length: record.length))
        offset += record.length
        blob += 1
      }
    }
    return result
  }

  private func rows(of table: IndexTable) throws -> [Row] {
    var result: [Row] = []
    try table.forEachEntry { (entry) throws(StoreError) in
      guard let block = try table.block(Int(entry.block)) else { return }
      result.append(
        Row(
          id: entry.id, pack: table.packs[Int(block.pack)].id, block: block.record.offset, offset: entry.offset,
          length: entry.length))
    }
    return result
  }

  private func expect(_ table: IndexTable, has packs: [PackContents]) throws {
    let found = try rows(of: table)
    #expect(zip(found, found.dropFirst()).allSatisfy { !($1.id < $0.id) })
    let expected = packs.flatMap { rows(of: $0) }
    #expect(found.count == expected.count)
    #expect(Set(found) == Set(expected))
    for row in expected.prefix(50) {
      var isFound = false
      try table.find(row.id) { _, entry in if entry.offset == row.offset { isFound = true } }
      #expect(isFound)
    }
  }

  private func merge(_ packs: [PackContents]) -> IndexMerge {
    var merge = IndexMerge()
    for pack in packs { merge.add(pack) }
    return merge
  }

  /// The table of a merge, written to a file and read back.
  private func written(_ merge: IndexMerge) throws -> IndexTable {
    let file = try write(merge)
    let table = try IndexTable(reading: file, named: nil)
    return try #require(table)
  }

  private func write(_ merge: IndexMerge) throws -> SharedDescriptor {
    let file = try folder.makeTemporary("index")
    let shared = file.file
    try merge.write(to: shared)
    return shared
  }

  /// The number of the source that cannot be read. Nil when the merge succeeds.
  private func unreadable(_ merge: IndexMerge) -> Int? {
    do throws(IndexMerge.MergeError) {
      _ = try merge.inMemory()
      return nil
    } catch {
      guard case .unreadable(let source, _) = error else { return nil }
      return source
    }
  }

  @Test(arguments: [0, 3, 300, 30_000])
  func packsMakeOneTable(_ blobs: Int) throws {
    let packs = (1...5).map { pack(UInt64($0), blobs: blobs) }
    try expect(merge(packs).inMemory(), has: packs)
    try expect(written(merge(packs)), has: packs)
  }

  @Test func tablesAndPacksMakeOneTable() throws {
    let packs = (1...9).map { pack(UInt64($0), blobs: 3000) }
    var all = merge([packs[8]])
    all.add(try merge(Array(packs[0..<3])).inMemory())
    all.add(try written(merge(Array(packs[3..<8]))))
    try expect(all.inMemory(), has: packs)
    // The sources can be read a second time.
    try expect(written(all), has: packs)
  }

  @Test func packsThatAreGoneAndThoseThatComeTwiceAreLeftOut() throws {
    let packs = (1...6).map { pack(UInt64($0), blobs: 900) }
    let first = try written(merge(Array(packs[0..<4])))
    let second = try merge(Array(packs[2..<6])).inMemory()
    var all = IndexMerge()
    all.add(first, keeping: { $0 != 1 })
    all.add(second)
    let kept = packs.enumerated().filter { $0.offset != 1 }.map(\.element)
    try expect(written(all), has: kept)
    try expect(all.inMemory(), has: kept)
  }

  @Test func manyPacksArePutAsideAndMerged() throws {
    let packs = (1...40).map { pack(UInt64($0), blobs: 30) }
    for place in [folder, nil] {
      var builder = IndexTableBuilder(in: place, rowsInMemory: 100)
      for pack in packs + [packs[3]] { builder.add(pack) }
      let merge = builder.finish()
      try expect(merge.inMemory(), has: packs)
    }
    #expect(try fixture.files("tmp").isEmpty)
  }

  @Test func aLargeTableHasNoNameWhileItIsNotAsked() throws {
    let packs = (1...2).map { pack(UInt64($0), blobs: 30_000) }
    let table = try IndexFiles(folder).temporaryTable(merge(packs))
    #expect(try fixture.files("tmp").isEmpty)
    #expect(try fixture.files("index").isEmpty)
    try expect(table, has: packs)
    let named = try IndexFiles(folder).makeTable(merge(packs))
    #expect(try fixture.files("index").map(\.bytes) == [named.fileName])
    try expect(named, has: packs)
  }

  /// Of a large table, the records of the blocks stay in the file.
  @Test func aTableFindsItsBlocksInTheFile() throws {
    let packs = [pack(1, blobs: 300), pack(2, blobs: 200), pack(3, blobs: 100)]
    let file = try write(merge(packs))
    let table = try #require(try IndexTable(reading: file, named: nil, residentBlocks: 0))
    try expect(table, has: packs)
    #expect(try table.block(-1) == nil && table.block(table.blockCount) == nil)
    // It is a source of a merge, whole and without one of its packs.
    var whole = IndexMerge()
    whole.add(table)
    try expect(written(whole), has: packs)
    var rest = IndexMerge()
    rest.add(table, keeping: { $0 != 1 })
    rest.add(pack(4, blobs: 50))
    try expect(written(rest), has: [packs[0], packs[2], pack(4, blobs: 50)])
    // What is cut off afterwards is an error and not an answer.
    try file.descriptor.truncate(to: UInt64(IndexTable.headerSize))
    #expect(throws: StoreError.self) { try table.block(0) }
    var cut = IndexMerge()
    cut.add(table)
    #expect(unreadable(cut) == 0)
  }

  @Test func rowsOutOfOrderAndHolesEndTheMerge() throws {
    let source = try merge([pack(1, blobs: 30)]).inMemory()
    let good = try source.rows(from: 0, count: source.count)
    let size = IndexTable.entrySize
    let blocks = try (0..<source.blockCount).compactMap { try source.block($0) }
    let swapped = Array(good[size..<2 * size] + good[..<size] + good[(2 * size)...])
    let hole = Content.zeros(size) + Array(good[size...])
    for bytes in [swapped, hole] {
      var all = merge([pack(2, blobs: 30)])
      all.add(IndexTable(Array(source.packs), blocks, rows: bytes))
      #expect(unreadable(all) == 1)
    }
  }
}
