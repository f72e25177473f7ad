// The blob records of a table of contents, in both of their forms.

import TestSupport
import Testing

@testable import MementoStore

struct BlobRecordsTests {
  private func records(_ count: Int) -> [BlobRecord] {
    var generator = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in
      BlobRecord(
        id: ObjectID(generator.next(), generator.next(), generator.next(), generator.next()),
        length: UInt32(truncatingIfNeeded: generator.next()))
    }
  }

  /// The same records in the form with numbers. The set has the ids in another order.
  private func numbered(_ records: [BlobRecord]) -> BlobRecords {
    var ids = BlobSet()
    for record in records.reversed() { _ = ids.insert(record.id) }
    let blobs = records.map { NumberedBlob(number: UInt32(ids.number(of: $0.id)!), length: $0.length) }
    return BlobRecords(blobs, in: ids.ids)
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 20_000])
  func giveBackWhatWentIn(_ count: Int) {
    let records = records(count)
    let rows = BlobRecords(records)
    #expect(rows.count == count)
    #expect(Array(rows) == records)
    #expect(Array(numbered(records)) == records)
    #expect(rows == numbered(records))
    #expect(rows.last == records.last)
  }

  @Test func differInOneRecord() {
    let records = records(5000)
    var others = records
    others[4500].length &+= 1
    #expect(BlobRecords(records) != BlobRecords(others))
    #expect(numbered(records) != BlobRecords(others))
    #expect(BlobRecords(records) != BlobRecords(records.dropLast()))
  }

  @Test func growInEitherForm() {
    let records = records(5000)
    var rows = numbered(records.dropLast())
    rows.append(records[4999])
    #expect(Array(rows) == records)
    let copy = rows
    rows.append(records[0])
    #expect(copy.count == 5000)
    #expect(rows.count == 5001)
    #expect(rows[5000] == records[0])
  }

  /// A table that is passed on in several pieces has the same bytes as one made at once.
  @Test func aTableComesInPieces() throws {
    var table = TableOfContents()
    let records = records(70_000)
    table.blobs = BlobRecords(records)
    var pieces: [[UInt8]] = []
    table.forEachPiece { pieces.append($0) }
    #expect(pieces.count > 1)
    #expect(table.encoded() == Array(pieces.joined()))
    #expect(table.encoded().count == 4 + 70_000 * PackFormat.blobRecordSize)
    let small = TableOfContents([], BlobRecords(records.prefix(100)))
    var count = 0
    small.forEachPiece { _ in count += 1 }
    #expect(count == 1)
  }
}
