// Checks each file in the staging folder: is it saved, or is it the only copy? A file that cannot be checked is kept.

internal import MementoStore
internal import MementoSystem

struct StagingReview {
  enum Verdict {
    case absent
    /// A snapshot has it, or `--discard` allows to drop it.
    case known
    case unknown
  }

  let folder: SharedDescriptor
  /// The source of chunk lists.
  let lists: any MetaSource
  /// When the walk began. A file that was modified later may have changed after it was read, within one tick of the
  /// clock. Its time then proves nothing.
  let begun: Timestamp

  /// Whether a file that was swapped out is the one that the walk has seen. Needs one system call in most cases.
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

  /// The same for a file that may be an old or a new one: it is also known when its content is that of one of the
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

  /// Whether a file, link, fifo or device has the content of an entry. False when the list of its chunks is missing or
  /// damaged, so that the file is kept.
  private func holds(_ name: [UInt8], _ status: FileStatus, _ entry: TreeEntry) throws(Errno) -> Bool {
    guard status.kind == entry.content.kind else { return false }
    switch entry.content {
    case .file(let size, let content):
      guard status.size == size else { return false }
      let file = try folder.descriptor.open(name, .read)
      // Nobody else can use the name. If it means another file all the same, that file is kept.
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

  /// Whether a range of a file is all zeros. Skips holes.
  private func isZero(_ file: borrowing Descriptor, _ range: Range<UInt64>) throws(Errno) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      do throws(Errno) {
        guard let data = try file.nextData(from: offset), data < range.upperBound else { return true }
        offset = max(offset, data)
      } catch {
        // This file system does not report holes, so all bytes are read.
        guard error == .invalid || error == .notSupported else { throw error }
      }
      let bytes = try file.bytes(at: offset, count: Int(min(range.upperBound - offset, 1 << 20)))
      guard !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) else { return false }
      offset += UInt64(bytes.count)
    }
    return true
  }

  /// The greatest length of a blob in bytes.
  private static let longestPiece = 33_554_432
}
