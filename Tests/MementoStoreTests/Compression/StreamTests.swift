// Streams of archives, which may be damaged, cut off, or follow one another.

import MementoStore
import TestSupport
import Testing

struct StreamTests {
  private enum Outcome: Equatable {
    case whole([UInt8])
    case cut
    case damaged
  }

  private let content = Content.text(5000, seed: 3) + Content.random(500, seed: 4)

  private func packed(_ form: StreamForm, _ bytes: [UInt8]) throws -> [UInt8] {
    let compressor = try #require(StreamCompressor(form))
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 700) {
      let piece = bytes[start..<min(start + 700, bytes.count)]
      piece.withUnsafeBytes { piece in
        compressor.compress(piece, isLast: start + 700 >= bytes.count) { (out: UnsafeRawBufferPointer) in result += out
        }
      }
    }
    return result
  }

  /// Unpacks with little input and little room at a time.
  private func unpacked(_ form: StreamForm, _ bytes: [UInt8]) throws -> Outcome {
    let decompressor = try #require(StreamDecompressor(form))
    var result: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 300)
    var place = 0
    while true {
      let input = bytes[place..<min(place + 100, bytes.count)]
      let step = input.withUnsafeBytes { input in
        room.withUnsafeMutableBytes { decompressor.unpack(input, into: $0) }
      }
      guard let step else { return .damaged }
      place += step.used
      result += room[..<step.made]
      if step.used == 0, step.made == 0 { break }
    }
    return decompressor.isWhole && place == bytes.count ? .whole(result) : .cut
  }

  @Test(arguments: [StreamForm.gzip, .zstd]) func whatWasPackedComesBack(_ form: StreamForm) throws {
    let bytes = try packed(form, content)
    #expect(bytes.count < content.count)
    #expect(try unpacked(form, bytes) == .whole(content))
    #expect(try unpacked(form, bytes + bytes) == .whole(content + content))
  }

  /// As gzip(1) does: tapes are filled up with NULs.
  @Test func whatFollowsGzipIsPassedOver() throws {
    let bytes = try packed(.gzip, content)
    #expect(try unpacked(.gzip, bytes + [UInt8](repeating: 0, count: 1000)) == .whole(content))
    #expect(try unpacked(.zstd, packed(.zstd, content) + [0, 0, 0, 0, 0]) == .damaged)
  }

  @Test(arguments: [StreamForm.gzip, .zstd]) func whatIsCutOffIsNotWhole(_ form: StreamForm) throws {
    let bytes = try packed(form, content)
    for length in stride(from: 1, to: bytes.count, by: 37) {
      #expect(try unpacked(form, Array(bytes.prefix(length))) == .cut, "\(length)")
    }
  }

  /// A flipped bit may make a stream end early or ask for more, and leaves the content as it is where it is of no account. It
  /// never gives other content.
  @Test(arguments: [StreamForm.gzip, .zstd]) func aFlippedBitIsNoticed(_ form: StreamForm) throws {
    let bytes = try packed(form, content)
    var damaged = 0
    for place in 0..<bytes.count {
      let found = try unpacked(form, Content.flipping(bytes, bit: place * 8 + place % 8))
      if found == .damaged { damaged += 1 }
      if case .whole(let other) = found { #expect(other == content, "byte \(place)") }
    }
    #expect(damaged > bytes.count * 3 / 4)
    // The checksum at the end.
    let end = form == .gzip ? bytes.count - 8 : bytes.count - 4
    #expect(try unpacked(form, Content.flipping(bytes, bit: end * 8)) == .damaged)
  }
}
