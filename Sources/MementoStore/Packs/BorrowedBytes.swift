// Blocks that a pack takes over from another pack without a copy on this machine: a pack that is sent elsewhere is read once.

package import MementoSystem

/// Where a block lies that is taken over as it is stored.
package struct BlockOrigin: Sendable {
  let file: SharedDescriptor
  /// In bytes.
  let offset: UInt64

  /// Nil when the pack is no file on this machine: reading it twice costs more than a copy.
  init?(_ pack: PackReader, _ offset: UInt64) {
    guard let file = pack.file else { return nil }
    self.file = file
    self.offset = offset
  }
}

/// The parts of a pack that are in the files of other packs. The file of the pack itself has holes there.
///
/// Whoever takes a block over has checked it. Each sector of it has a checksum from then on, so that what is read later is
/// what was checked, however often it is read.
package struct BorrowedBytes: Sendable {
  /// A block, and where it belongs.
  fileprivate struct Piece: Sendable {
    let origin: BlockOrigin
    let start: UInt64
    let length: Int
    let checksums: [UInt64]

    var end: UInt64 { start + UInt64(length) }
  }

  /// A block that may be taken over.
  struct Candidate {
    fileprivate let origin: BlockOrigin
    fileprivate let length: Int
    fileprivate let checksums: [UInt64]

    /// `stored`: the block, as it was checked. Nil when it is so small that a copy is as good.
    init?(_ origin: BlockOrigin, _ stored: UnsafeRawBufferPointer) {
      guard stored.count >= BorrowedBytes.smallest else { return nil }
      self.origin = origin
      length = stored.count
      checksums = stride(from: 0, to: stored.count, by: BorrowedBytes.sector).map { start in
        SectorChecksum.xxh64(
          UnsafeRawBufferPointer(rebasing: stored[start..<min(start + BorrowedBytes.sector, stored.count)]))
      }
    }
  }

  private static let smallest = 64 << 10
  fileprivate static let sector = 16 << 10
  /// A pack holds so many other packs open at most.
  private static let mostFiles = 16

  /// In the order in which they lie in the pack.
  private var pieces: [Piece] = []
  private var files: [SharedDescriptor] = []

  package init() {}

  /// Takes a block over that belongs at `start`, behind all that were taken over before. False when it must be copied.
  mutating func add(_ candidate: Candidate, at start: UInt64) -> Bool {
    if !files.contains(where: { $0 === candidate.origin.file }) {
      guard files.count < BorrowedBytes.mostFiles else { return false }
      files.append(candidate.origin.file)
    }
    pieces.append(
      Piece(origin: candidate.origin, start: start, length: candidate.length, checksums: candidate.checksums))
    return true
  }

  /// Fills `buffer` with the bytes of the pack from `offset` on. `file`: that of the pack itself. Throws `.stale` when a block
  /// is not any more what it was, and `.invalid` when there are not so many bytes.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, around file: borrowing Descriptor
  ) throws(Errno) {
    var place = offset
    let end = offset + UInt64(buffer.count)
    func part(upTo limit: UInt64) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: buffer[Int(place - offset)..<Int(min(limit, end) - offset)])
    }
    for piece in pieces[firstPiece(endingAfter: offset)...] {
      if piece.start >= end { break }
      if place < piece.start {
        try BorrowedBytes.fill(part(upTo: piece.start), from: file, at: place)
        place = piece.start
      }
      let wanted = part(upTo: piece.end)
      try piece.read(into: wanted, at: Int(place - piece.start))
      place += UInt64(wanted.count)
    }
    if place < end { try BorrowedBytes.fill(part(upTo: end), from: file, at: place) }
  }

  private func firstPiece(endingAfter offset: UInt64) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].end <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing Descriptor, at offset: UInt64
  ) throws(Errno) {
    guard try file.readFully(into: buffer, at: offset) == buffer.count else { throw .invalid }
  }
}

extension BorrowedBytes.Piece {
  /// Fills `buffer` with bytes of the block, from `offset` in it on, and checks each sector that they touch.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) {
    let size = BorrowedBytes.sector
    let end = offset + buffer.count
    var place = offset
    while place < end {
      let first = place / size
      // Whole sectors at once, or a part of one.
      let last = place % size == 0 ? (end == length ? checksums.count : end / size) : first
      if last > first {
        let count = min(last * size, length) - place
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[(place - offset)..<(place - offset + count)])
        try fill(part, at: place)
        place += count
      } else {
        let whole = first * size..<min((first + 1) * size, length)
        let count = min(end, whole.upperBound) - place
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: whole.count, alignment: 16)
        defer { scratch.deallocate() }
        try fill(scratch, at: whole.lowerBound)
        let start = place - whole.lowerBound
        UnsafeMutableRawBufferPointer(rebasing: buffer[(place - offset)..<(place - offset + count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[start..<start + count]))
        place += count
      }
    }
  }

  /// Fills `sectors` with whole sectors, and checks them.
  private func fill(_ sectors: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) {
    try BorrowedBytes.fill(sectors, from: origin.file.descriptor, at: origin.offset + UInt64(offset))
    let size = BorrowedBytes.sector
    for start in stride(from: 0, to: sectors.count, by: size) {
      let sector = UnsafeRawBufferPointer(rebasing: sectors[start..<min(start + size, sectors.count)])
      guard SectorChecksum.xxh64(sector) == checksums[(offset + start) / size] else { throw .stale }
    }
  }
}
