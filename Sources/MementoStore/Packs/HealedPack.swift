// A pack that is read through its parity: what is damaged, or cannot be read, is healed on the way.

internal import MementoSystem

struct HealedPack: PackRanges {
  private let parity: ParityReader
  private let pack: PackBytes

  /// `pack`: nil when there is no file of the pack any more.
  init(_ parity: ParityReader, _ pack: PackReader?) {
    self.parity = parity
    self.pack = { (offset, count) throws(Errno) in
      guard let pack else { throw .notFound }
      return try pack.bytes(at: offset, count: count)
    }
  }

  func size() throws(Errno) -> UInt64 { parity.packSize }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
    let bytes = try parity.bytes(at: offset, count: buffer.count, of: pack)
    buffer.copyBytes(from: bytes)
    return bytes.count
  }
}

extension PackStorage {
  /// A reader of a pack that heals what is damaged. Nil when there is no parity of the pack.
  func openHealed(_ pack: ObjectID) -> PackReader? {
    guard let parity = parity?.open(pack) else { return nil }
    // A pack that cannot be opened may be healed from a whole copy.
    return PackReader(HealedPack(parity, try? open(pack)))
  }
}
