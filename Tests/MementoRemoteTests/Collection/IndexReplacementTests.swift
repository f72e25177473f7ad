// Indexes that are replaced, where they do not fit into one.

import MementoModel
import MementoObjects
import TestSupport
import Testing

@testable import MementoRemote

struct IndexReplacementTests {
  private func pack(_ number: UInt8, bytes: Int = 1000) -> IndexRecord.Pack {
    let name = ObjectID(hashing: [number])
    return IndexRecord.Pack(name: name, id: name, size: 5000, contents: [UInt8](repeating: number, count: bytes))
  }

  private func name(_ number: UInt8) throws -> ObjectName {
    try #require(ObjectName("index/\(WriterID(high: 0, low: UInt64(number)))"))
  }

  private func replace(
    _ records: [IndexRecord], dropping dropped: Set<ObjectID> = [], limit: Int
  ) throws -> [IndexRecord] {
    var replacement = IndexReplacement(dropping: dropped, limit: limit)
    var result: [IndexRecord] = []
    for (number, record) in records.enumerated() {
      if let full = replacement.add(record, named: try name(UInt8(number))) { result.append(full) }
    }
    if let last = replacement.finish() { result.append(last) }
    #expect(replacement.finish() == nil)
    return result
  }

  /// A reader that sees any of the new ones, and the old ones that it does not replace, misses nothing.
  @Test func eachReplacesThoseWhosePacksItHas() throws {
    let records = (0..<10).map { IndexRecord(packs: [pack($0), pack($0 + 100)]) }
    let gone = pack(103).name
    let new = try replace(records, dropping: [gone], limit: 7000)
    #expect(new.count == 5)
    #expect(try new.flatMap(\.replaces).sorted() == (0..<10).map { try name($0) }.sorted())
    for index in new {
      let old = try records.indices.filter { try index.replaces.contains(name(UInt8($0))) }.map { records[$0] }
      #expect(Set(index.packs.map(\.name)) == Set(old.flatMap(\.packs).map(\.name)).subtracting([gone]))
      #expect(index.packs.reduce(0) { $0 + $1.contents.count } <= 7000)
    }
  }

  @Test func aLargeOneIsNotDivided() throws {
    let records = [
      IndexRecord(packs: [pack(1)]), IndexRecord(packs: [pack(2, bytes: 9000)]), IndexRecord(packs: [pack(3)]),
    ]
    #expect(try replace(records, limit: 3000).map(\.packs.count) == [1, 1, 1])
    #expect(try replace(records, limit: 1 << 20).map(\.packs.count) == [3])
    // What is left of an index may be nothing.
    let gone = Set(records.flatMap(\.packs).map(\.name))
    let none = try replace(records, dropping: gone, limit: 1 << 20)
    #expect(none.count == 1 && none[0].packs.isEmpty && none[0].replaces.count == 3)
    #expect(try replace([], limit: 1).isEmpty)
  }

  @Test func newPacksAreDivided() {
    var division = IndexDivision(limit: 2500)
    var result: [IndexRecord] = []
    for number in 0..<5 { if let full = division.add(pack(UInt8(number))) { result.append(full) } }
    if let last = division.finish() { result.append(last) }
    #expect(result.map(\.packs.count) == [2, 2, 1])
  }
}
