// The packs that an index table lists. There may be ten thousand, and a lookup needs one of them. So the packs of an
// opened table stay encoded, as they are in its header.

/// A pack in an index table.
package struct IndexedPack: Equatable, Sendable {
  package let id: ObjectID
  /// The size of its file in bytes.
  package let size: UInt64
}

struct PackRows: Sendable {
  private enum Form: Sendable {
    case list([IndexedPack])
    case header([UInt8], start: Int, count: Int)
  }

  /// The size of a row in bytes: the id, and the size of the file.
  static let rowSize = ObjectID.size + 8

  private let form: Form

  init(_ packs: some Sequence<IndexedPack>) {
    form = .list(Array(packs))
  }

  /// The `count` rows of a header that begin at the byte `start`. The header is long enough for them.
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
