// What a walk knows of the blobs it has met is the same in whatever order it meets them.

import TestSupport
import Testing

@testable import MementoKit
@testable import MementoModel

struct MetBlobsTests {
  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "blob \(number)".bytes) }

  /// Versions of one folder: each has most of what the one before it has, in the same order.
  @Test(arguments: 0..<8) func versionsOfAFolder(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var folder = Array(0..<200)
    var numbers: [Int: Int] = [:]
    var met = MetBlobs()
    for version in 0..<20 {
      for blob in folder {
        let length = UInt64(blob + 1)
        let found = met.chunk(id(blob), length: length)
        #expect(found == numbers[blob])
        let isNew = met.markChunk(id(blob), length: length)
        #expect(isNew == (numbers[blob] == nil))
        numbers[blob] = met.ids.number(of: id(blob))
        let longer = met.chunk(id(blob), length: length + 1)
        #expect(longer == nil)
      }
      // What is a tree and no chunk is never taken for one, wherever it stands.
      let tree = id(-version - 1)
      _ = met.mark(tree, .readTree)
      let chunk = met.chunk(tree, length: 1)
      #expect(chunk == nil)
      for place in 0..<5 { folder[Int.random(in: 0..<200, using: &random)] = 1000 + version * 5 + place }
      if version % 3 == 0 { folder.shuffle(using: &random) }
      folder.swapAt(0, Int.random(in: 0..<200, using: &random))
    }
    #expect(met.ids.count == numbers.count + 20)
  }
}
