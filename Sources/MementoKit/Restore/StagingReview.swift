// Looks at what lies in the staging folder: is it saved, or the only copy of something? Whatever cannot be looked at is
// kept.

internal import MementoStore
internal import MementoSystem

struct StagingReview {
  enum Verdict {
    case absent
    /// It is in a snapshot, or what `--discard` was asked to drop.
    case known
    case unknown
  }

  let folder: SharedDescriptor
  /// Where lists of chunks are read.
  let lists: any MetaSource
  /// When the walk began. A file that was modified since may have been changed after it was read, in the same tick of the
  /// clock: its time tells nothing.
  let begun: Timestamp

  /// Whether a file that was swapped out is the one that the walk saw. One call in most cases.
  func verdict(_ name: [UInt8], seenAs old: TreeEntry?) throws(Errno) -> Verdict {
    let status: FileStatus
    do throws(Errno) {
      status = try folder.descriptor.status(of: name)
    } catch {
      if error == .notFound { return .absent }
      throw error
    }
    guard let old, !status.isDirectory, old.matches(status) else { return .unknown }
    if !status.isRegular || status.modified < begun { return .known }
    return try holds(name, status, old) ? .known : .unknown
  }

  /// The same for a file of which nobody knows whether it was swapped out: its content may also be that of one of the
  /// `entries`.
  func verdict(
    _ name: [UInt8], seenAs old: TreeEntry?, orContentOf entries: [TreeEntry]
  ) throws(Errno) -> Verdict {
    let verdict = try verdict(name, seenAs: old)
    guard case .unknown = verdict else { return verdict }
    let status = try folder.descriptor.status(of: name)
    for entry in entries + [old].compactMap({ $0 }) where try holds(name, status, entry) { return .known }
    return .unknown
  }

  /// Whether the content of a file, link, fifo or device is that of an entry. A list that is not in the store, or damaged,
  /// is a reason to keep the file.
  private func holds(_ name: [UInt8], _ status: FileStatus, _ entry: TreeEntry) throws(Errno) -> Bool {
    guard status.kind == entry.content.kind else { return false }
    switch entry.content {
    case .file(let size, let content):
      guard status.size == size else { return false }
      let file = try folder.descriptor.open(name, .read)
      // Nobody else reaches the name; but what is not a file any more is kept.
      guard try file.status().identity == status.identity else { return false }
      return try holds(file, size: size, content)
    case .symbolicLink(let target): return try folder.descriptor.readSymbolicLink(name) == target
    case .fifo: return true
    case .characterDevice(let major, let minor), .blockDevice(let major, let minor):
      return status.deviceNumber == (major, minor)
    case .directory: return false
    }
  }

  private func holds(
    _ file: borrowing Descriptor, size: UInt64, _ content: FileContent
  ) throws(Errno) -> Bool {
    var pieces = ChunkListReader(content, size: size, in: lists)
    var offset: UInt64 = 0
    while true {
      let piece: ContentPiece
      do throws(StoreError) {
        guard let next = try pieces.next() else { return offset == size }
        piece = next
      } catch {
        return false
      }
      let end = offset + piece.length
      if let id = piece.id {
        guard let count = Int(exactly: piece.length), count <= StagingReview.longestPiece else { return false }
        let bytes = try file.bytes(at: offset, count: count)
        guard bytes.count == count, ObjectID(hashing: bytes) == id else { return false }
      } else {
        guard try isZero(file, offset..<end) else { return false }
      }
      offset = end
    }
  }

  /// Whether a stretch of a file is all zeros; holes are passed over.
  private func isZero(_ file: borrowing Descriptor, _ range: Range<UInt64>) throws(Errno) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      do throws(Errno) {
        guard let data = try file.nextData(from: offset), data < range.upperBound else { return true }
        offset = max(offset, data)
      } catch {
        // A file system that knows no holes: everything is read.
        guard error == .invalid || error == .notSupported else { throw error }
      }
      let bytes = try file.bytes(at: offset, count: Int(min(range.upperBound - offset, 1 << 20)))
      guard !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) else { return false }
      offset += UInt64(bytes.count)
    }
    return true
  }

  /// A blob has no more bytes.
  private static let longestPiece = 33_554_432
}
