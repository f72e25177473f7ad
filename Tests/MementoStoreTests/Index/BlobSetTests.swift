import MementoStore
import TestSupport
import Testing

struct BlobSetTests {
  @Test func agreesWithSet() {
    var generator = SplitMix64(seed: 1)
    var mine = BlobSet()
    var theirs: Set<ObjectID> = []
    for _ in 0..<100_000 {
      // Few enough different words that some come twice.
      let word = generator.next() % 80_000
      let id = ObjectID(word &* 0x9e37_79b9_7f4a_7c15, word &* 0xbf58_476d_1ce4_e5b9, word, 0)
      let isNew = mine.insert(id)
      if isNew != theirs.insert(id).inserted { Issue.record("\(id)") }
    }
    #expect(mine.count == theirs.count)
    #expect(theirs.allSatisfy(mine.contains))
    #expect(!mine.contains(ObjectID(1, 1, 1, 1)))
  }

  @Test func manyIDsOfOneSlotAreKeptApart() {
    var set = BlobSet()
    // The word that selects the slot is the same for all ids.
    for number in 0..<600 {
      let isNew = set.insert(ObjectID(UInt64(number), 7, 0, 0))
      #expect(isNew)
    }
    for number in 0..<600 {
      let isNew = set.insert(ObjectID(UInt64(number), 7, 0, 0))
      #expect(!isNew)
    }
    #expect(!set.contains(ObjectID(600, 7, 0, 0)))
    #expect(set.count == 600)
  }

  @Test func anEmptySetHasNothing() {
    #expect(!BlobSet().contains(.zero))
    var set = BlobSet()
    let isNew = set.insert(.zero)
    #expect(isNew)
    #expect(set.contains(.zero))
  }
}
