// The bytes of an archive on their way in: read and unpacked. The first bytes say how it is compressed.

internal import MementoStore
internal import MementoSystem
internal import MementoTar

/// One thread at a time uses it.
final class ArchiveInput: TarInput {
  private static let size = 1 << 18
  private static let signs: [(bytes: [UInt8], form: StreamForm)] = [
    ([0x1f, 0x8b], .gzip), ([0x28, 0xb5, 0x2f, 0xfd], .zstd),
  ]
  /// What others make and this program does not unpack.
  private static let foreignSigns: [(bytes: [UInt8], name: String)] = [
    (Array("BZh".utf8), "bzip2"), ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz"), (Array("LZIP".utf8), "lzip"),
    ([0x1f, 0x9d], "compress"), ([0x04, 0x22, 0x4d, 0x18], "lz4"), (Array("PK\u{3}\u{4}".utf8), "zip"),
  ]

  private let input: StreamInput
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArchiveInput.size, alignment: 64)
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  private var decompressor: StreamDecompressor?
  /// Bytes that were read, compressed as they are.
  private(set) var bytesRead: UInt64 = 0

  /// Reads the first bytes. Throws `.damagedArchive` for a compression that is not known here.
  init(_ descriptor: Int32) throws(RepositoryError) {
    input = StreamInput(descriptor)
    do throws(TarError) {
      while end < 6, !isAtEnd { try fill() }
    } catch {
      throw RepositoryError(error)
    }
    let head = UnsafeRawBufferPointer(rebasing: buffer[..<end])
    if let sign = ArchiveInput.foreignSigns.first(where: { head.starts(with: $0.bytes) }) {
      throw RepositoryError(
        .damagedArchive, "it is compressed with \(sign.name), which memento does not unpack",
        reason: .foreignCompression)
    }
    guard let sign = ArchiveInput.signs.first(where: { head.starts(with: $0.bytes) }) else { return }
    guard let decompressor = StreamDecompressor(sign.form) else {
      throw RepositoryError(.system, "there is no memory for unpacking")
    }
    self.decompressor = decompressor
  }

  deinit {
    buffer.deallocate()
  }

  /// Appends to the buffer, which has room.
  private func fill() throws(TarError) {
    do throws(Errno) {
      let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
      end += count
      bytesRead += UInt64(count)
      isAtEnd = count == 0
    } catch {
      throw .input(reason: "\(error)", systemError: error.code)
    }
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(TarError) -> Int {
    while true {
      if start == end, !isAtEnd {
        (start, end) = (0, 0)
        try fill()
      }
      let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      guard let decompressor else {
        let count = min(rest.count, target.count)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
        start += count
        return count
      }
      guard let step = decompressor.unpack(rest, into: target) else {
        throw .damaged(reason: "what is compressed cannot be unpacked", offset: bytesRead - UInt64(rest.count))
      }
      start += step.used
      if step.made > 0 { return step.made }
      if isAtEnd, step.used == 0 {
        if decompressor.isWhole { return 0 }
        throw .cutOff
      }
    }
  }
}

extension RepositoryError {
  init(_ error: TarError) {
    switch error {
    case .notArchive: self.init(.damagedArchive, "it is not a tar archive")
    case .cutOff: self.init(.damagedArchive, "the archive ends too soon", reason: .cutOffArchive)
    case .damaged(let reason, let offset):
      self.init(.damagedArchive, "the archive is damaged at byte \(offset): \(reason)")
    case .input(let reason, let systemError):
      self.init(.system, "cannot read the archive: \(reason)", systemError: systemError)
    }
  }
}
