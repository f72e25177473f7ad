// Reads a parity file, and heals sectors of its pack with it. A healed sector has the checksum that the table gives for
// it; whether the blobs in it are right is for their ids to say.

internal import MementoSystem

/// Reads bytes of a pack from an offset on; fewer when the pack ends before.
typealias PackBytes = @Sendable (_ offset: UInt64, _ count: Int) throws(Errno) -> [UInt8]

/// The open parity file of a pack.
struct ParityReader: Sendable {
  private let file: SharedDescriptor
  private let table: ParityTable
  /// Where each piece begins in the file.
  private let places: [UInt64]

  /// Reads the table. Nil when the file is no valid parity file. Throws when it cannot be read.
  init?(_ file: SharedDescriptor) throws(Errno) {
    let status = try file.descriptor.status()
    let least = UInt64(ParityFormat.header.count + ParityFormat.footerSize)
    guard status.isRegular, status.size >= least else { return nil }
    guard try file.descriptor.bytes(at: 0, count: ParityFormat.header.count) == ParityFormat.header else { return nil }
    let end = status.size - UInt64(ParityFormat.footerSize)
    let footer = try file.descriptor.bytes(at: end, count: ParityFormat.footerSize)
    do throws(FormatError) {
      var reader = ByteReader(footer)
      let begin = try reader.u64()
      let length = try reader.u64()
      let hash = try reader.id()
      let magic = try reader.take(ParityFormat.footerMagic.count)
      guard magic == ParityFormat.footerMagic, length <= UInt64(ParityFormat.largestTable), length <= end,
        begin == end - length, begin >= UInt64(ParityFormat.header.count)
      else { return nil }
      let bytes: [UInt8]
      do throws(Errno) { bytes = try file.descriptor.bytes(at: begin, count: Int(length)) } catch {
        // Nothing can be healed with what cannot be read.
        return nil
      }
      guard bytes.count == Int(length), ObjectID(hashing: bytes) == hash else { return nil }
      table = try ParityTable(bytes, room: begin - UInt64(ParityFormat.header.count))
    } catch {
      return nil
    }
    var places: [UInt64] = []
    var place = UInt64(ParityFormat.header.count)
    for piece in table.pieces {
      places.append(place)
      place += piece.size
    }
    self.places = places
    self.file = file
  }

  /// The size of the pack in bytes.
  var packSize: UInt64 { table.size }

  /// Whether the pack can be made anew from the file alone.
  var isWholeCopy: Bool {
    table.pieces.contains { $0.kind == .copy && $0.begin == 0 && $0.length == table.size }
  }

  // MARK: Checking

  /// Whether every piece is as it was written. `isCancelled`: asked between pieces; true ends the check, and the pieces
  /// so far count.
  func isIntact(isCancelled: () -> Bool = { false }) throws(Errno) -> Bool {
    for (piece, place) in zip(table.pieces, places) {
      if isCancelled() { return true }
      guard piece.size <= UInt64(ParityReader.largestPiece) else { return false }
      let bytes = try file.descriptor.bytes(at: place, count: Int(piece.size))
      guard bytes.count == Int(piece.size), bytes.withUnsafeBytes({ SectorChecksum.xxh64($0) }) == piece.checksum
      else { return false }
    }
    return true
  }

  /// A writer makes pieces of two MiB, and one more blob, at most.
  private static let largestPiece = 128 << 20

  /// The sectors of the pack that are not what they were, by number. A sector that cannot be read counts.
  func damagedSectors(_ pack: PackBytes) -> [Int] {
    table.checksums.indices.filter { sound($0, pack) == nil }
  }

  // MARK: Healing

  /// Bytes of the pack, as they were. `pack`: reads what is there now. A sector that cannot be healed is left as it is;
  /// throws when it cannot be read either.
  func bytes(at offset: UInt64, count: Int, of pack: PackBytes) throws(Errno) -> [UInt8] {
    guard offset < table.size else { return [] }
    let end = offset + min(UInt64(count), table.size - offset)
    let sector = UInt64(ParityFormat.sector)
    let first = Int(offset / sector)
    let last = Int((end + sector - 1) / sector)
    let present = run(first..<last, pack)
    var all = present ?? [UInt8](repeating: 0, count: (last - first) * ParityFormat.sector)
    for number in first..<last {
      let start = (number - first) * ParityFormat.sector
      let range = start..<start + ParityFormat.sector
      if present != nil, hasChecksum(number, all[range]) { continue }
      if let sector = present == nil ? sound(number, pack) ?? heal(number, pack) : heal(number, pack) {
        all.replaceSubrange(range, with: sector)
      } else if present == nil {
        all.replaceSubrange(range, with: filled(try pack(UInt64(number) * sector, ParityFormat.sector)))
      }
    }
    let start = Int(offset - UInt64(first) * sector)
    return Array(all[start..<start + Int(end - offset)])
  }

  /// The bytes of several sectors as they are now, filled up with zeros; nil when they cannot be read at once.
  private func run(_ sectors: Range<Int>, _ pack: PackBytes) -> [UInt8]? {
    let count = sectors.count * ParityFormat.sector
    do throws(Errno) {
      let bytes = try pack(UInt64(sectors.lowerBound) * UInt64(ParityFormat.sector), count)
      return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    } catch {
      // One by one then.
      return nil
    }
  }

  private func filled(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: max(ParityFormat.sector - bytes.count, 0))
  }

  private func hasChecksum(_ number: Int, _ bytes: some Collection<UInt8>) -> Bool {
    let sum = bytes.withContiguousStorageIfAvailable { SectorChecksum.of(sector: UnsafeRawBufferPointer($0)) }
    return sum == table.checksums[number]
  }

  /// A sector of the pack, if it is what it was.
  private func sound(_ number: Int, _ pack: PackBytes) -> [UInt8]? {
    let bytes = run(number..<number + 1, pack)
    return bytes.flatMap { hasChecksum(number, $0) ? $0 : nil }
  }

  /// A damaged sector as it was; nil when it cannot be healed.
  private func heal(_ number: Int, _ pack: PackBytes) -> [UInt8]? {
    withCopies(number, pack) ?? fromGroup(number, pack)
  }

  /// A sector with the bytes of all copies in their places.
  private func withCopies(_ number: Int, _ pack: PackBytes) -> [UInt8]? {
    let begin = UInt64(number) * UInt64(ParityFormat.sector)
    let end = min(begin + UInt64(ParityFormat.sector), table.size)
    var bytes: [UInt8]?
    for (piece, place) in zip(table.pieces, places) where piece.kind == .copy && piece.begin < end && piece.end > begin
    {
      let from = max(piece.begin, begin)
      let count = Int(min(piece.end, end) - from)
      // A copy that cannot be read heals nothing.
      guard let copy = try? file.descriptor.bytes(at: place + (from - piece.begin), count: count), copy.count == count
      else { continue }
      var now = bytes ?? run(number..<number + 1, pack) ?? [UInt8](repeating: 0, count: ParityFormat.sector)
      now.replaceSubrange(Int(from - begin)..<Int(from - begin) + count, with: copy)
      bytes = now
    }
    return bytes.flatMap { hasChecksum(number, $0) ? $0 : nil }
  }

  /// A sector as the XOR of all others of its group.
  private func fromGroup(_ number: Int, _ pack: PackBytes) -> [UInt8]? {
    let begin = UInt64(number) * UInt64(ParityFormat.sector)
    for (piece, place) in zip(table.pieces, places)
    where piece.kind == .parity && piece.begin <= begin && piece.end > begin {
      let first = Int(piece.begin / UInt64(ParityFormat.sector))
      let last = first + Int(ParityFormat.sectors(piece.length))
      let group = (number - first) % piece.groups
      let offset = place + UInt64(group * ParityFormat.sector)
      // Parity that cannot be read heals nothing.
      guard var sum = try? file.descriptor.bytes(at: offset, count: ParityFormat.sector),
        sum.count == ParityFormat.sector
      else { continue }
      var isWhole = true
      for other in stride(from: first + group, to: last, by: piece.groups) where other != number {
        guard let bytes = sound(other, pack) ?? withCopies(other, pack) else {
          isWhole = false
          break
        }
        for place in sum.indices { sum[place] ^= bytes[place] }
      }
      if isWhole, hasChecksum(number, sum) { return sum }
    }
    return nil
  }
}
