// The blocks of an archive.

struct BlockInput<Input: TarInput> {
  private var input: Input
  /// Bytes that were read.
  private(set) var offset: UInt64 = 0
  private var scratch = [UInt8](repeating: 0, count: 1 << 16)

  init(_ input: Input) {
    self.input = input
  }

  /// Reads some bytes, at least one of those wanted. Throws at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(TarError) -> Int {
    let count = try input.read(into: buffer)
    guard count > 0 else { throw .cutOff }
    offset += UInt64(count)
    return count
  }

  /// The next header with a right checksum; nil at the mark that ends the archive.
  mutating func header() throws(TarError) -> TarBlock? {
    let start = offset
    guard let bytes = try blockIfAny() else { throw start == 0 ? .notArchive : .cutOff }
    let block = TarBlock(bytes)
    // Two blocks of zeros are the end. Very old programs write one.
    if block.isZero { return nil }
    guard block.isSealed else {
      throw start == 0 ? .notArchive : .damaged(reason: "a header with a wrong checksum", offset: start)
    }
    return block
  }

  mutating func block() throws(TarError) -> [UInt8] {
    guard let block = try blockIfAny() else { throw .cutOff }
    return block
  }

  /// Nil at the end of the input. Less than a block is cut off.
  private mutating func blockIfAny() throws(TarError) -> [UInt8]? {
    let start = offset
    var block = [UInt8](repeating: 0, count: TarBlock.size)
    var filled = 0
    while filled < block.count {
      var failure: TarError?
      let count = block.withUnsafeMutableBytes { bytes in
        do throws(TarError) {
          return try input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
      if count == 0 {
        if filled == 0 { return nil }
        throw start == 0 ? .notArchive : .cutOff
      }
      filled += count
      offset += UInt64(count)
    }
    return block
  }

  /// All of a small content, with its padding. Memory is taken as the bytes come.
  mutating func content(_ size: UInt64, limit: Int) throws(TarError) -> [UInt8] {
    guard size <= UInt64(limit) else {
      throw .damaged(reason: "a header of \(size) bytes, where \(limit) are the most", offset: offset)
    }
    var bytes: [UInt8] = []
    let whole = (Int(size) + TarBlock.size - 1) / TarBlock.size
    for _ in 0..<whole { bytes += try block() }
    bytes.removeLast(bytes.count - Int(size))
    return bytes
  }

  mutating func skip(_ size: UInt64, _ padding: Int) throws(TarError) {
    var left = size
    while left > 0 { left -= UInt64(try skipSome(Int(clamping: min(left, UInt64(scratch.count))))) }
    var rest = padding
    while rest > 0 { rest -= try skipSome(rest) }
  }

  private mutating func skipSome(_ count: Int) throws(TarError) -> Int {
    let done = try readScratch(count)
    guard done > 0 else { throw .cutOff }
    offset += UInt64(done)
    return done
  }

  mutating func drain() throws(TarError) {
    while try readScratch(scratch.count) > 0 {}
  }

  private mutating func readScratch(_ count: Int) throws(TarError) -> Int {
    var failure: TarError?
    let done = scratch.withUnsafeMutableBytes { bytes in
      do throws(TarError) {
        return try input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return done
  }
}
