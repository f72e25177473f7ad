// Archives that others have made.

import MementoTar
import MementoTime

extension FuzzTarget {
  static let archiveTargets = [FuzzTarget("tar", runTar), FuzzTarget("tar-sealed", runSealedTar)]

  /// A content may declare holes of any length, so only so many parts of it are read.
  private static let budget = 10_000

  private static let runTar: @Sendable ([UInt8]) -> Void = { input in read(input) }

  /// The same with right checksums: no mutation of a header gets past a wrong one.
  private static let runSealedTar: @Sendable ([UInt8]) -> Void = { input in
    var bytes = input
    for start in stride(from: 0, to: bytes.count - bytes.count % TarBlock.size, by: TarBlock.size) {
      var block = TarBlock(Array(bytes[start..<start + TarBlock.size]))
      if block.isZero { continue }
      block.seal()
      bytes.replaceSubrange(start..<start + TarBlock.size, with: block.bytes)
    }
    read(bytes)
  }

  private static func read(_ input: [UInt8]) {
    guard input.count < 1 << 20 else { return }
    var reader = TarReader(MemoryInput(input))
    var buffer = [UInt8](repeating: 0, count: 4096)
    do throws(TarError) {
      while let member = try reader.next() {
        promise(member.entry.permissions <= 0o7777, "a mode that cannot be")
        promise(member.entry.modified.isValid, "a time that cannot be")
        promise(member.entry.kind == .file || member.entry.size == 0, "a size without a content")
        if member.entry.kind != .file || member.isUnknown { continue }
        var total: UInt64 = 0
        var isLast = false
        for _ in 0..<budget where !isLast {
          let part = try buffer.withUnsafeMutableBytes { (bytes) -> Result<TarPart, TarError> in
            do throws(TarError) { return .success(try reader.read(into: bytes)) } catch { return .failure(error) }
          }.get()
          total += part.hole + UInt64(part.count)
          isLast = part.isLast
        }
        promise(!isLast || total == member.entry.size, "a content of another length than its entry")
      }
      try reader.finish()
    } catch {}
  }
}

/// Bytes in memory, a few at a time.
private struct MemoryInput: TarInput {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(TarError) -> Int {
    let count = min(700, buffer.count, bytes.count - place)
    buffer.copyBytes(from: bytes[place..<place + count])
    place += count
    return count
  }
}
