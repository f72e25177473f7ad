// The blobs of a table of contents. A pack of small files has a million of them. So they stay encoded as in the pack,
// 36 bytes each, or refer by number to ids that are in memory anyway.

/// A blob in the table of contents. In its block, it begins where the blob before it ends.
package struct BlobRecord: Equatable, Sendable {
  package var id: ObjectID
  package var length: UInt32

  package init(id: ObjectID, length: UInt32) {
    self.id = id
    self.length = length
  }
}

/// A blob whose id is known by its number.
struct NumberedBlob: Sendable {
  /// The number of the id in the set.
  let number: UInt32
  let length: UInt32
}

/// A list of blob records in a compact form.
package struct BlobRecords: Sendable {
  private enum Form: Sendable {
    /// Rows encoded as in a pack. Each piece but the last has `rowsInPiece` rows, so that growing copies little.
    case rows([[UInt8]])
    case numbered([NumberedBlob], NumberedIDs)
  }

  private static let rowBits = 12
  private static let rowsInPiece = 1 << rowBits

  private var form = Form.rows([])
  package private(set) var count = 0

  package init() {}

  init(_ blobs: [NumberedBlob], in ids: NumberedIDs) {
    form = .numbered(blobs, ids)
    count = blobs.count
  }

  package mutating func append(_ record: BlobRecord) {
    if case .numbered = form { self = BlobRecords(self) }
    guard case .rows(var pieces) = form else { return }
    // Now only `pieces` refers to the rows, so appending does not copy them.
    form = .rows([])
    if count & (BlobRecords.rowsInPiece - 1) == 0 { pieces.append([]) }
    let end = pieces.count - 1
    withUnsafeTemporaryAllocation(byteCount: PackFormat.blobRecordSize, alignment: 8) { row in
      record.id.store(to: row.baseAddress!)
      row.storeBytes(of: record.length.littleEndian, toByteOffset: ObjectID.size, as: UInt32.self)
      pieces[end].append(contentsOf: row)
    }
    form = .rows(pieces)
    count += 1
  }

  package init(_ records: some Sequence<BlobRecord>) {
    for record in records { append(record) }
  }
}

extension BlobRecords: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(index: Int) -> BlobRecord {
    switch form {
    case .rows(let pieces):
      let place = (index & (BlobRecords.rowsInPiece - 1)) * PackFormat.blobRecordSize
      return pieces[index >> BlobRecords.rowBits][place..<place + PackFormat.blobRecordSize].withUnsafeBytes { row in
        BlobRecord(
          id: ObjectID(loading: row.baseAddress!),
          length: UInt32(littleEndian: row.loadUnaligned(fromByteOffset: ObjectID.size, as: UInt32.self)))
      }
    case .numbered(let blobs, let ids):
      let blob = blobs[index]
      return BlobRecord(id: ids[Int(blob.number)], length: blob.length)
    }
  }
}

extension BlobRecords: Equatable {
  package static func == (left: BlobRecords, right: BlobRecords) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }
}
