// Reads an archive entry by entry, in the forms of pax, ustar, GNU and the seventh edition of Unix. The archive may be damaged
// or hostile: every number is checked before anything is done with it, and memory has a limit whatever a header says.

/// An entry, with what of it cannot be taken over.
package struct TarMember: Sendable {
  package var entry: TarEntry
  /// Each as a phrase: "its owner is no number".
  package var problems: [String]
  /// The whole entry cannot be taken over. Its content is passed over.
  package var isUnknown = false
}

/// A part of a content.
package struct TarPart: Equatable, Sendable {
  /// Bytes of the hole before the data.
  package var hole: UInt64 = 0
  /// Bytes of data in the buffer.
  package var count = 0
  /// A hole or the end follows.
  package var endsRun = false
  /// The content ends here.
  package var isLast = false
}

package struct TarReader<Input: TarInput>: ~Copyable {
  private var blocks: BlockInput<Input>
  private var global = PaxFields()
  private var isAtEnd = false
  /// Bytes of the entry that are still to come, and the padding behind them.
  private var stored: UInt64 = 0
  private var padding = 0
  /// The data of the file, in order, and where in it the reader is.
  private var pieces: [SparsePiece] = []
  private var piece = 0
  private var used: UInt64 = 0
  private var position: UInt64 = 0
  private var size: UInt64 = 0

  package init(_ input: consuming Input) {
    blocks = BlockInput(input)
  }

  /// The next entry; nil at the end of the archive. What was not read of the entry before is passed over.
  package mutating func next() throws(TarError) -> TarMember? {
    if isAtEnd { return nil }
    var local = global
    var longPath: [UInt8]?
    var longTarget: [UInt8]?
    while true {
      try blocks.skip(stored, padding)
      (stored, padding) = (0, 0)
      let start = blocks.offset
      guard let block = try blocks.header() else {
        isAtEnd = true
        return nil
      }
      guard let declared = TarNumber.parse(block.raw(.size)).flatMap({ UInt64(exactly: $0) }) else {
        throw .damaged(reason: "a size that cannot be", offset: start)
      }
      switch block.kind {
      case UInt8(ascii: "x"), UInt8(ascii: "X"):
        guard local.add(try blocks.content(declared, limit: TarLimit.records)) else {
          throw .damaged(reason: "pax records that cannot be read", offset: start)
        }
      case UInt8(ascii: "g"):
        guard global.add(try blocks.content(declared, limit: TarLimit.records)) else {
          throw .damaged(reason: "pax records that cannot be read", offset: start)
        }
        local = global
      case UInt8(ascii: "L"):
        longPath = Array(try blocks.content(declared, limit: TarLimit.path).prefix { $0 != 0 })
      case UInt8(ascii: "K"):
        longTarget = Array(try blocks.content(declared, limit: TarLimit.path).prefix { $0 != 0 })
      case UInt8(ascii: "V"):
        (stored, padding) = (declared, TarBlock.padding(after: declared))
      default:
        if let failure = local.failure { throw .damaged(reason: failure, offset: start) }
        local.path = local.path ?? longPath
        local.target = local.target ?? longTarget
        return try member(block, local, declared, start)
      }
    }
  }

  private mutating func member(
    _ block: TarBlock, _ pax: PaxFields, _ declared: UInt64, _ start: UInt64
  ) throws(TarError) -> TarMember {
    let header = HeaderFields(block, pax)
    var member = TarMember(entry: header.entry, problems: pax.problems + header.problems, isUnknown: header.isUnknown)
    if header.hasContent {
      stored = pax.size ?? declared
      padding = TarBlock.padding(after: stored)
    }
    pieces = []
    (piece, used, position, size) = (0, 0, 0, 0)
    guard header.isFile else { return member }
    do throws(SparseError) {
      try readMap(block, pax)
    } catch {
      switch error {
      case .archive(let error): throw error
      case .map(let reason): throw .damaged(reason: reason, offset: start)
      }
    }
    member.entry.size = size
    return member
  }

  /// Finds out where the data of a file are.
  private mutating func readMap(_ block: TarBlock, _ pax: PaxFields) throws(SparseError) {
    if block.kind == UInt8(ascii: "S") {
      var map = OldSparseMap(block)
      while map.isContinued {
        do throws(TarError) { map.add(try blocks.block()) } catch { throw .archive(error) }
        if map.numbers.count > 2 * TarLimit.pieces { throw .map("a file with more than \(TarLimit.pieces) pieces") }
      }
      guard let realSize = map.realSize, !map.isDamaged else { throw .map("a map of a file that cannot be read") }
      return try take(map.numbers, realSize)
    }
    if pax.sparseMajor == 1, let realSize = pax.realSize { return try take(try textMap(), realSize) }
    if let numbers = pax.sparseNumbers, let realSize = pax.realSize { return try take(numbers, realSize) }
    size = stored
    if stored > 0 { pieces = [SparsePiece(offset: 0, length: stored)] }
  }

  /// The map of the form 1.0: numbers in lines before the data.
  private mutating func textMap() throws(SparseError) -> [UInt64] {
    var numbers: [UInt64] = []
    var line: [UInt8] = []
    var wanted: UInt64?
    while wanted.map({ UInt64(numbers.count) < $0 }) ?? true {
      guard stored >= UInt64(TarBlock.size) else { throw .map("a map that is longer than its file") }
      let block: [UInt8]
      do throws(TarError) { block = try blocks.block() } catch { throw .archive(error) }
      stored -= UInt64(TarBlock.size)
      for byte in block {
        if byte != UInt8(ascii: "\n") {
          line.append(byte)
          if line.count > 20, wanted.map({ UInt64(numbers.count) < $0 }) ?? true { throw .map("a map that is none") }
          continue
        }
        if let wanted, UInt64(numbers.count) == wanted { break }
        guard let number = PaxRecord.number(line) else { throw .map("a map that is none") }
        line.removeAll(keepingCapacity: true)
        if wanted != nil {
          numbers.append(number)
        } else {
          guard number <= UInt64(TarLimit.pieces) else { throw .map("a file with more than \(TarLimit.pieces) pieces") }
          wanted = 2 * number
        }
      }
    }
    return numbers
  }

  private mutating func take(_ numbers: [UInt64], _ realSize: UInt64) throws(SparseError) {
    guard numbers.count % 2 == 0, realSize <= UInt64(Int64.max) else { throw .map("a map of a file that cannot be") }
    var end: UInt64 = 0
    var data: UInt64 = 0
    for index in stride(from: 0, to: numbers.count, by: 2) {
      let (offset, length) = (numbers[index], numbers[index + 1])
      // No sum overflows: all are below the size of the file.
      guard offset >= end, offset <= realSize, length <= realSize - offset else {
        throw .map("a map whose parts do not follow each other")
      }
      end = offset + length
      data += length
      if length == 0 { continue }
      if let last = pieces.last, last.offset + last.length == offset {
        pieces[pieces.count - 1].length += length
      } else {
        pieces.append(SparsePiece(offset: offset, length: length))
      }
    }
    guard data == stored else { throw .map("a map that does not say what follows it") }
    size = realSize
  }

  /// Reads the next part of the content. Reads no more after the one that is last.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(TarError) -> TarPart {
    var part = TarPart()
    guard piece < pieces.count else {
      part.hole = size - position
      position = size
      (part.endsRun, part.isLast) = (true, true)
      return part
    }
    let run = pieces[piece]
    part.hole = run.offset + used - position
    let wanted = Int(clamping: min(run.length - used, UInt64(buffer.count)))
    part.count = try blocks.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    used += UInt64(part.count)
    stored -= UInt64(part.count)
    position = run.offset + used
    if used == run.length {
      piece += 1
      used = 0
      part.endsRun = true
      part.isLast = position == size
    }
    return part
  }

  /// Reads to the end of the input, so that a compressed one checks its sums.
  package mutating func finish() throws(TarError) {
    try blocks.drain()
  }
}

private enum SparseError: Error {
  case archive(TarError)
  case map(String)
}
