// A set of ids that only grows and is asked once a chunk: 40 to 48 bytes an id, against about 100 for Set.

/// Ids in the order in which they came, found through a table of 32-bit slots (open addressing, linear probing).
package struct BlobSet: Sendable {
  /// The ids in pieces of this many, so that growing copies none of them and leaves no room unused.
  private static let pieceBits = 13
  private static let inPiece = 1 << pieceBits

  private var pieces: [ContiguousArray<ObjectID>] = []
  private var slots: ContiguousArray<UInt32>
  private var mask: Int
  package private(set) var count = 0

  package init() {
    slots = ContiguousArray(repeating: 0, count: 1024)
    mask = 1023
  }

  /// The id of a number.
  package subscript(number: Int) -> ObjectID {
    pieces[number >> BlobSet.pieceBits][number & (BlobSet.inPiece - 1)]
  }

  package func contains(_ id: ObjectID) -> Bool {
    slots[slot(of: id)] != 0
  }

  /// Adds the id; false when it was there.
  package mutating func insert(_ id: ObjectID) -> Bool {
    let before = count
    _ = number(inserting: id)
    return count > before
  }

  /// How many ids came before this one; nil when it is not in the set.
  package func number(of id: ObjectID) -> Int? {
    let entry = slots[slot(of: id)]
    return entry == 0 ? nil : Int(entry) - 1
  }

  /// The same, after adding the id where it was not there.
  package mutating func number(inserting id: ObjectID) -> Int {
    let slot = slot(of: id)
    if slots[slot] != 0 { return Int(slots[slot]) - 1 }
    if count & (BlobSet.inPiece - 1) == 0 { pieces.append([]) }
    pieces[pieces.count - 1].append(id)
    count += 1
    slots[slot] = UInt32(count)
    if count * 2 > slots.count { grow() }
    return count - 1
  }

  /// The slot that holds the id, or the empty one where it would go. Ids are hashes: their bits are spread already.
  private func slot(of id: ObjectID) -> Int {
    var slot = Int(truncatingIfNeeded: id.words.1) & mask
    while true {
      let entry = slots[slot]
      if entry == 0 || self[Int(entry) - 1] == id { return slot }
      slot = (slot + 1) & mask
    }
  }

  private mutating func grow() {
    let size = slots.count * 2
    // The old ones go first.
    slots = []
    slots = ContiguousArray(repeating: 0, count: size)
    mask = size - 1
    for number in 0..<count {
      var slot = Int(truncatingIfNeeded: self[number].words.1) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }
}
