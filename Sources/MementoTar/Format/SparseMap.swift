// Which parts of a file with holes are in an archive.

/// A part of a file that is data.
package struct SparsePiece: Equatable, Sendable {
  package var offset: UInt64
  package var length: UInt64

  package init(offset: UInt64, length: UInt64) {
    self.offset = offset
    self.length = length
  }
}

/// What a header says of a file with holes, in the form of GNU tar that is called 1.0: a map stands before the data.
package struct SparseLayout: Equatable, Sendable {
  /// Bytes of the map as text, without its padding.
  package private(set) var mapLength: UInt64 = 0
  /// Bytes of data.
  package private(set) var dataLength: UInt64 = 0
  private var pieces: UInt64 = 0

  package init() {}

  /// Adds a piece. Pieces come in order, and do not touch. The last one may be empty: it says where the file ends.
  package mutating func add(_ piece: SparsePiece) {
    pieces += 1
    mapLength += UInt64(SparseLayout.line(piece.offset).count + SparseLayout.line(piece.length).count)
    dataLength += piece.length
  }

  /// The first line of the map.
  package var head: [UInt8] { SparseLayout.line(pieces) }

  private var wholeMap: UInt64 { mapLength + UInt64(head.count) }

  /// NULs that follow the map.
  package var padding: Int { TarBlock.padding(after: wholeMap) }

  /// Bytes that the archive holds for the file.
  package var storedLength: UInt64 { wholeMap + UInt64(padding) + dataLength }

  /// The line of a number in the map.
  package static func line(_ number: UInt64) -> [UInt8] { Array("\(number)\n".utf8) }
}
