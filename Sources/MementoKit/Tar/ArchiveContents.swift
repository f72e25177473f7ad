// The contents of an archive as a source that can be saved like any other: cut, hashed and compressed by several workers, who
// read in turn.

internal import MementoSystem
internal import MementoTar

/// `@unchecked Sendable`: one worker at a time reads, and nobody asks for the next entry before the content is saved.
final class ArchiveContents: ByteSource, @unchecked Sendable {
  private var reader: TarReader<ArchiveInput>
  /// Why reading has failed: a source can only say that the system has failed.
  private(set) var failure: TarError?
  /// What was read and not used.
  private var rest: [UInt8] = []
  private var endsRun = false
  private var isLast = false

  init(_ input: ArchiveInput) {
    reader = TarReader(input)
  }

  /// The next entry; nil at the end, when all of the input was read.
  func next() throws(TarError) -> TarMember? {
    rest.removeAll(keepingCapacity: true)
    (endsRun, isLast) = (false, false)
    if let member = try reader.next() { return member }
    try reader.finish()
    return nil
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> SourceBytes {
    buffer.copyBytes(from: rest)
    var filled = rest.count
    var hole: UInt64 = 0
    do throws(TarError) {
      while !endsRun, filled < buffer.count {
        let part = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        hole += part.hole
        filled += part.count
        (endsRun, isLast) = (part.endsRun, part.isLast)
      }
    } catch {
      failure = error
      throw .badMessage
    }
    return SourceBytes(
      hole: hole, bytes: UnsafeRawBufferPointer(rebasing: buffer[..<filled]), endsRun: endsRun, isLast: isLast)
  }

  func use(_ count: Int, of bytes: UnsafeRawBufferPointer) {
    rest.removeAll(keepingCapacity: true)
    rest.append(contentsOf: bytes[count...])
    // The next read goes on behind the hole that ended this run.
    if rest.isEmpty, !isLast { endsRun = false }
  }
}
