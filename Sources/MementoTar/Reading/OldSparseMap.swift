// The map of a file with holes in the old form of GNU tar, type S: four parts in the header, and 21 in each block behind it.

struct OldSparseMap {
  private static let headerParts = 386..<482
  private static let headerMark = 482
  private static let realSizeField = 483..<495
  private static let blockParts = 0..<504
  private static let blockMark = 504
  private static let number = 12

  /// Offsets and lengths in turn.
  private(set) var numbers: [UInt64] = []
  private(set) var isContinued: Bool
  private(set) var isDamaged = false
  let realSize: UInt64?

  init(_ header: TarBlock) {
    isContinued = header.bytes[OldSparseMap.headerMark] != 0
    realSize = TarNumber.parse(header.bytes[OldSparseMap.realSizeField]).flatMap { UInt64(exactly: $0) }
    add(header.bytes[OldSparseMap.headerParts])
  }

  mutating func add(_ block: [UInt8]) {
    isContinued = block[OldSparseMap.blockMark] != 0
    add(block[OldSparseMap.blockParts])
  }

  private mutating func add(_ parts: ArraySlice<UInt8>) {
    for start in stride(from: parts.startIndex, to: parts.endIndex, by: 2 * OldSparseMap.number) {
      let middle = start + OldSparseMap.number
      // A part that is not used begins with a NUL.
      if parts[start] == 0 && parts[middle] == 0 { return }
      guard let offset = TarNumber.parse(parts[start..<middle]).flatMap({ UInt64(exactly: $0) }),
        let length = TarNumber.parse(parts[middle..<middle + OldSparseMap.number]).flatMap({ UInt64(exactly: $0) })
      else {
        isDamaged = true
        return
      }
      numbers += [offset, length]
    }
  }
}
