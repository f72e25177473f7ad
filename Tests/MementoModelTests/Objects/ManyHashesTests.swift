import MementoModel
import TestSupport
import Testing

/// Two hashes at a time are the same as one after the other.
struct ManyHashesTests {
  private func expectRight(_ pieces: [[UInt8]]) {
    #expect(ContiguousPieces(pieces).hashed() == pieces.map { ObjectID(hashing: $0) }, "\(pieces.map(\.count))")
  }

  /// Every length around the ends of blocks, alone, in pairs, and beside one of another length.
  @Test func allLengths() {
    let content = Content.random(400, seed: 1)
    for length in 0...200 {
      let piece = Array(content[..<length])
      expectRight([piece])
      expectRight([piece, Array(content[length..<2 * length])])
      expectRight([piece, content, []])
      expectRight([content, piece])
    }
  }

  @Test func manyPieces() {
    var random = SplitMix64(seed: 2)
    for round in 0..<60 {
      let pieces = (0..<Int.random(in: 0..<20, using: &random)).map { number in
        Content.random(
          Int.random(in: 0..<(round % 3 == 0 ? 100_000 : 300), using: &random), seed: UInt64(number + round))
      }
      expectRight(pieces)
    }
  }

  @Test func partsOfBytes() {
    let bytes = Content.random(1000, seed: 3)
    let lengths = [0, 1, 64, 500, 0, 300]
    let found = bytes.withUnsafeBytes { ObjectID.hashing(partsOf: $0, lengths) }
    var start = 0
    for (length, id) in zip(lengths, found) {
      #expect(id == ObjectID(hashing: Array(bytes[start..<start + length])))
      start += length
    }
    #expect(ObjectID.hashing([]).isEmpty)
  }
}

/// Pieces side by side in memory, at places that are no multiples of anything.
private struct ContiguousPieces {
  private var bytes: [UInt8] = [7]
  private var ranges: [Range<Int>] = []

  init(_ pieces: [[UInt8]]) {
    for piece in pieces {
      ranges.append(bytes.count..<bytes.count + piece.count)
      bytes += piece
    }
  }

  func hashed() -> [ObjectID] {
    bytes.withUnsafeBytes { bytes in ObjectID.hashing(ranges.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }) }
  }
}
