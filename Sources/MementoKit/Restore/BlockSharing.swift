// Lets a file that is made outside of the working folder share the blocks of the one inside, where the file system can do
// that. A file with the same path, size and time is tried; the copy is compared chunk by chunk with what the snapshot says,
// so nothing depends on the time, and on nobody who writes meanwhile.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class BlockSharing: Sendable {
  /// Smaller files are unpacked with their neighbours at least as fast, and take little space.
  static let smallest: UInt64 = 16 << 10

  private let folder: SharedDescriptor
  private let destination: SharedDescriptor
  private let cloning: FileCloning
  /// Nil until the first file was tried.
  private let isPossible = Mutex<Bool?>(nil)
  /// The folder that was looked into last, and its path: files come folder by folder.
  private let last = Mutex<(path: [UInt8], folder: SharedDescriptor)?>(nil)

  /// `folder`: the working folder. `destination`: a folder on the file system that new files are made on.
  init(_ folder: SharedDescriptor, into destination: SharedDescriptor, _ cloning: FileCloning) {
    self.folder = folder
    self.destination = destination
    self.cloning = cloning
  }

  /// Nil for a repository whose folder cannot be used.
  convenience init?(of repository: Repository, into destination: SharedDescriptor) {
    guard case .attached(let folder, _) = repository.access else { return nil }
    self.init(folder.shared, into: destination, repository.cloning)
  }

  /// Whether the folder has a file that looks like this one, and whose blocks can be shared.
  func mayHave(_ entry: TreeEntry, at path: BytePath) -> Bool {
    if isPossible.withLock({ $0 }) == false { return false }
    guard case .file(let size, let content) = entry.content, content.level > 0, size >= BlockSharing.smallest else {
      return false
    }
    do throws(Errno) {
      let (above, name) = try place(of: path)
      guard let status = try above.descriptor.statusIfPresent(of: name), status.isRegular, status.size == size,
        status.modified == entry.metadata.modified
      else { return false }
      if let known = isPossible.withLock({ $0 }) { return known }
      let result = cloning.isPossible(destination.descriptor, try above.descriptor.open(name, .read))
      isPossible.withLock { $0 = result }
      return result
    } catch {
      // The content comes from the store then.
      return false
    }
  }

  /// Makes the empty `file` share the blocks of the file in the folder. Returns whether it has the content of the entry now;
  /// if not, it may have any other.
  func give(
    _ file: borrowing Descriptor, _ entry: TreeEntry, at path: BytePath, in store: Store, _ progress: WriteProgress
  ) throws(RepositoryError) -> Bool {
    guard case .file(let size, let content) = entry.content else { return false }
    do throws(Errno) {
      let (above, name) = try place(of: path)
      try cloning.clone(file, try above.descriptor.open(name, .read))
      // A hole that the snapshot does not have is not as it was.
      guard try file.status().size == size, try file.nextHole(from: 0) == size else { return false }
    } catch {
      return false  // as above
    }
    var reader = ChunkListReader(content, size: size, in: store)
    var offset: UInt64 = 0
    while let piece = try translating(reading: path, { () throws(StoreError) in try reader.next() }) {
      try progress.check()
      guard let id = piece.id, piece.length <= UInt64(PackFormat.largestBlock) else { return false }
      do throws(Errno) {
        let bytes = try file.bytes(at: offset, count: Int(piece.length))
        guard ObjectID(hashing: bytes) == id else { return false }
      } catch {
        return false  // as above
      }
      offset += piece.length
    }
    return offset == size
  }

  private func place(of path: BytePath) throws(Errno) -> (above: SharedDescriptor, name: [UInt8]) {
    var names = path.components
    guard let name = names.popLast() else { throw .invalid }
    let above = path.parent.bytes
    if let last = last.withLock({ $0 }), last.path == above { return (last.folder, name) }
    var directory = folder
    for name in names { directory = SharedDescriptor(try directory.descriptor.open(name, .directory)) }
    let found = directory
    last.withLock { $0 = (above, found) }
    return (found, name)
  }
}
