// The packs that an index table speaks of. There may be ten thousand, of which a lookup wants one: those of a table that was
// opened stay as they stand in its header.

/// A pack as a table knows it.
package struct IndexedPack: Equatable, Sendable {
  package let id: ObjectID
  /// Bytes of the file.
  package let size: UInt64
}

struct PackRows: Sendable {
  private enum Form: Sendable {
    case list([IndexedPack])
    case header([UInt8], start: Int, count: Int)
  }

  /// Bytes of a row: the id, and the size of the file.
  static let rowSize = ObjectID.size + 8

  private let form: Form

  init(_ packs: some Sequence<IndexedPack>) {
    form = .list(Array(packs))
  }

  /// The rows that stand in a header from `start` on, which is long enough.
  init(header: [UInt8], start: Int, count: Int) {
    form = .header(header, start: start, count: count)
  }
}

extension PackRows: RandomAccessCollection {
  var startIndex: Int { 0 }

  var endIndex: Int {
    switch form {
    case .list(let list): list.count
    case .header(_, _, let count): count
    }
  }

  subscript(index: Int) -> IndexedPack {
    switch form {
    case .list(let list):
      return list[index]
    case .header(let bytes, let start, _):
      let place = start + index * PackRows.rowSize
      return bytes[place..<place + PackRows.rowSize].withUnsafeBytes { row in
        IndexedPack(
          id: ObjectID(loading: row.baseAddress!),
          size: UInt64(littleEndian: row.loadUnaligned(fromByteOffset: ObjectID.size, as: UInt64.self)))
      }
    }
  }
}
