// Makes the parity of a pack from the bytes in memory, while the pack is written. Many workers add bytes at the same
// time and in any order; each byte of the pack is added once. Parity is derived data: if it cannot be written, the pack
// is complete without it.

internal import MementoSystem
internal import Synchronization

final class ParityWriter: Sendable {
  fileprivate struct State: ~Copyable {
    /// Whether parity could not be written, and is given up.
    var isBroken = false
    var temporary: TemporaryFile?
    /// Where the next piece goes in the file.
    var end = UInt64(ParityFormat.header.count)
    var pieces: [ParityPiece] = []
    var checksums: [UInt32] = []
    /// Sectors of which bytes are still missing, by number.
    var partial: [Int: PartialSector] = [:]
    /// Stripes of which sectors are still missing, by number.
    var stripes: [Int: ParityStripe] = [:]
    /// The pack from its start on, and what of it is there, as long as the pack is small.
    var small: SmallPack? = SmallPack()
    /// Copies that are not yet written.
    var copies: [(begin: UInt64, bytes: [UInt8])] = []
    var copyBytes = 0
  }

  fileprivate struct PartialSector {
    var bytes = [UInt8](repeating: 0, count: ParityFormat.sector)
    var count = 0
  }

  fileprivate struct SmallPack {
    var bytes: [UInt8] = []
    var ranges: [(range: Range<Int>, isCopied: Bool)] = []
  }

  /// Bytes that are to be written as a piece.
  fileprivate struct Piece {
    var kind: ParityPiece.Kind
    var groups = 0
    var begin: UInt64
    var length: UInt64
    var bytes: [UInt8]
  }

  /// Bytes of the caller, who waits while they are used. So the lock may be held over them: hence `@unchecked Sendable`.
  private struct BorrowedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
  }

  /// When so many bytes of copies have gathered, they are written.
  fileprivate static let spill = 1 << 20
  /// Pieces of so many bytes begin to go to the disk at once, others with the end of the file.
  private static let writebackStep = 128 << 10

  private let folder: StoreFolder
  private let sectorsInGroup: Int
  private let sectorsInStripe: Int
  private let state = Mutex(State())

  /// Nil when the store keeps no parity. `folder`: where the file is while it is written.
  init?(_ folder: StoreFolder, _ share: ParityShare) {
    guard let count = share.sectorsInGroup else { return nil }
    self.folder = folder
    sectorsInGroup = count
    sectorsInStripe = count * ParityFormat.groups
  }

  /// Adds bytes of the pack, which lie there from `offset` on. `isCopied`: whether they are also copied as they are.
  func add(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, isCopied: Bool) {
    if bytes.isEmpty { return }
    let start = Int(offset)
    // The checksums are computed without the lock. A small pack gets its own later.
    let isLate = start + bytes.count <= ParityFormat.smallPack
    let checksums = isLate ? [] : ParityWriter.checksums(bytes, at: start)
    let borrowed = BorrowedBytes(bytes: bytes)
    let pieces = state.withLock { state -> [Piece] in
      let bytes = borrowed.bytes
      if state.isBroken { return [] }
      var pieces: [Piece] = []
      if isLate, state.small != nil {
        state.small?.keep(bytes, at: start, isCopied)
        return []
      }
      if let small = state.small.take() {
        for part in small.ranges {
          small.bytes.withUnsafeBytes { all in
            let bytes = UnsafeRawBufferPointer(rebasing: all[part.range])
            let checksums = ParityWriter.checksums(bytes, at: part.range.lowerBound)
            add(bytes, at: part.range.lowerBound, checksums, part.isCopied, &state, &pieces)
          }
        }
      }
      let sums = isLate ? ParityWriter.checksums(bytes, at: start) : checksums
      add(bytes, at: start, sums, isCopied, &state, &pieces)
      return pieces
    }
    write(pieces)
  }

  func add(_ bytes: [UInt8], at offset: UInt64, isCopied: Bool) {
    bytes.withUnsafeBytes { add($0, at: offset, isCopied: isCopied) }
  }

  /// The checksums of the sectors that lie in these bytes as a whole.
  private static func checksums(_ bytes: UnsafeRawBufferPointer, at start: Int) -> [UInt32] {
    let sector = ParityFormat.sector
    let first = (start + sector - 1) / sector
    let last = (start + bytes.count) / sector
    if first >= last { return [] }
    return (first..<last).map {
      SectorChecksum.of(
        sector: UnsafeRawBufferPointer(rebasing: bytes[($0 * sector - start)..<(($0 + 1) * sector - start)]))
    }
  }

  private func add(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ checksums: [UInt32], _ isCopied: Bool,
    _ state: inout State, _ pieces: inout [Piece]
  ) {
    let sector = ParityFormat.sector
    if isCopied { state.copy(bytes, at: start, &pieces) }
    let end = start + bytes.count
    var place = start
    while place < end {
      let number = place / sector
      let next = min((number + 1) * sector, end)
      let part = UnsafeRawBufferPointer(rebasing: bytes[(place - start)..<(next - start)])
      if part.count == sector {
        let known = number - (start + sector - 1) / sector
        complete(number, part, checksums[known], &state, &pieces)
      } else {
        state.partial[number, default: PartialSector()].put(part, at: place % sector)
        if state.partial[number]?.count == sector, let whole = state.partial.removeValue(forKey: number) {
          whole.bytes.withUnsafeBytes { complete(number, $0, SectorChecksum.of(sector: $0), &state, &pieces) }
        }
      }
      place = next
    }
  }

  /// Takes in a sector of which all bytes are there.
  private func complete(
    _ number: Int, _ bytes: UnsafeRawBufferPointer, _ checksum: UInt32, _ state: inout State, _ pieces: inout [Piece]
  ) {
    guard let address = bytes.baseAddress else { return }
    if state.checksums.count <= number {
      state.checksums.append(contentsOf: repeatElement(0, count: number + 1 - state.checksums.count))
    }
    state.checksums[number] = checksum
    let index = number / sectorsInStripe
    let stripe = state.stripes[index] ?? ParityStripe()
    stripe.add(address, number % sectorsInStripe)
    if stripe.count == sectorsInStripe {
      state.stripes[index] = nil
      pieces.append(parity(stripe, index, upTo: .max))
    } else {
      state.stripes[index] = stripe
    }
  }

  /// `end`: the size of the pack.
  private func parity(_ stripe: ParityStripe, _ index: Int, upTo end: UInt64) -> Piece {
    let groups = ParityFormat.groups(for: stripe.count, inGroup: sectorsInGroup)
    let begin = UInt64(index * sectorsInStripe * ParityFormat.sector)
    let length = min(UInt64(stripe.count * ParityFormat.sector), end - begin)
    return Piece(kind: .parity, groups: groups, begin: begin, length: length, bytes: stripe.parity(groups: groups))
  }

  /// Writes pieces into the file. The place of each is reserved under the lock.
  private func write(_ pieces: [Piece]) {
    for piece in pieces {
      let checksum = piece.bytes.withUnsafeBytes { SectorChecksum.xxh64($0) }
      do throws(Errno) {
        let (file, offset) = try state.withLock { (state) throws(Errno) in
          if state.temporary == nil, !state.isBroken { state.temporary = try folder.makeTemporary("parity") }
          guard let file = state.temporary?.file else { throw .stale }
          let offset = state.end
          state.end += UInt64(piece.bytes.count)
          state.pieces.append(
            ParityPiece(
              kind: piece.kind, groups: piece.groups, begin: piece.begin, length: piece.length, checksum: checksum))
          return (file, offset)
        }
        try file.descriptor.write(piece.bytes, at: offset)
        if piece.bytes.count >= ParityWriter.writebackStep {
          file.descriptor.startWriteback(offset: offset, size: UInt64(piece.bytes.count))
        }
      } catch {
        // The pack is complete without parity, and gc makes it later.
        return discard()
      }
    }
  }

  /// Gives the parity up, and removes its file.
  func discard() {
    _ = state.withLock { state in
      state.isBroken = true
      return state.temporary.take()
    }
  }

  /// Completes the file for a pack of which all bytes were added. Returns it without a flush; nil when it could not be
  /// written. `size`: that of the pack.
  func finish(size: UInt64) -> TemporaryFile? {
    let pieces = state.withLock { state -> [Piece] in
      if state.isBroken { return [] }
      var pieces: [Piece] = []
      if let small = state.small.take() {
        // Copied whole.
        state.checksums = small.checksums
        return [Piece(kind: .copy, begin: 0, length: UInt64(small.bytes.count), bytes: small.bytes)]
      }
      // The last sector is filled up with zeros.
      if let last = state.partial.keys.max(), last == Int(size) / ParityFormat.sector,
        let part = state.partial.removeValue(forKey: last)
      {
        part.bytes.withUnsafeBytes { complete(last, $0, SectorChecksum.of(sector: $0), &state, &pieces) }
      }
      state.flushCopies(&pieces)
      for (index, stripe) in state.stripes.sorted(by: { $0.key < $1.key }) {
        pieces.append(parity(stripe, index, upTo: size))
      }
      // This does not happen: every byte was added.
      if !state.partial.isEmpty { state.isBroken = true }
      return pieces
    }
    write(pieces)
    return state.withLock { state in
      guard !state.isBroken, state.checksums.count == Int(ParityFormat.sectors(size)),
        let temporary = state.temporary.take()
      else { return nil }
      do throws(Errno) {
        let file = temporary.file
        try file.descriptor.write(ParityFormat.header, at: 0)
        let table = ParityTable(size: size, pieces: state.pieces, checksums: state.checksums).encoded()
        try file.descriptor.write(table + ParityWriter.footer(of: table, at: state.end), at: state.end)
        let size = state.end + UInt64(table.count + ParityFormat.footerSize)
        if folder.isDurable { file.descriptor.startWriteback(offset: 0, size: size) }
      } catch {
        // As above: the file goes with `temporary`.
        return nil
      }
      return temporary
    }
  }

  private static func footer(of table: [UInt8], at offset: UInt64) -> [UInt8] {
    var footer = ByteWriter(capacity: ParityFormat.footerSize)
    footer.u64(offset)
    footer.u64(UInt64(table.count))
    footer.id(ObjectID(hashing: table))
    footer.append(ParityFormat.footerMagic)
    return footer.bytes
  }
}

extension ParityWriter.SmallPack {
  fileprivate mutating func keep(_ part: UnsafeRawBufferPointer, at start: Int, _ isCopied: Bool) {
    let end = start + part.count
    if bytes.count < end { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
    bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[start..<end]).copyMemory(from: part) }
    ranges.append((start..<end, isCopied))
  }

  fileprivate var checksums: [UInt32] {
    bytes.withUnsafeBytes { ParityWriter.checksums(filling: $0) }
  }
}

extension ParityWriter {
  /// The checksums of all sectors of these bytes, the last one filled up with zeros.
  static func checksums(filling bytes: UnsafeRawBufferPointer) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: ParityFormat.sector).map { start in
      let end = min(start + ParityFormat.sector, bytes.count)
      if end - start == ParityFormat.sector {
        return SectorChecksum.of(sector: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      }
      let filled = Array(bytes[start..<end]) + [UInt8](repeating: 0, count: ParityFormat.sector - (end - start))
      return filled.withUnsafeBytes { SectorChecksum.of(sector: $0) }
    }
  }
}

extension ParityWriter.PartialSector {
  fileprivate mutating func put(_ part: UnsafeRawBufferPointer, at start: Int) {
    bytes.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + part.count]).copyMemory(from: part)
    }
    count += part.count
  }
}

extension ParityWriter.State {
  /// Keeps a copy, and passes the copies on when there are many.
  fileprivate mutating func copy(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ pieces: inout [ParityWriter.Piece]
  ) {
    copies.append((UInt64(start), Array(bytes)))
    copyBytes += bytes.count
    if copyBytes >= ParityWriter.spill { flushCopies(&pieces) }
  }

  /// Passes all copies on, those that lie side by side in the pack as one.
  fileprivate mutating func flushCopies(_ pieces: inout [ParityWriter.Piece]) {
    for copy in copies.sorted(by: { $0.begin < $1.begin }) {
      if let last = pieces.last, last.kind == .copy, last.begin + last.length == copy.begin {
        pieces[pieces.count - 1].bytes += copy.bytes
        pieces[pieces.count - 1].length += UInt64(copy.bytes.count)
      } else {
        pieces.append(
          ParityWriter.Piece(kind: .copy, begin: copy.begin, length: UInt64(copy.bytes.count), bytes: copy.bytes))
      }
    }
    copies = []
    copyBytes = 0
  }
}
