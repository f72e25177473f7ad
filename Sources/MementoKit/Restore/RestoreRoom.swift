// Checks whether the snapshot fits on the disk. Lists and trees that refer to others again and again can describe more
// than any disk holds, in a few bytes. The check finds such a file or tree before it is written.

internal import MementoStore
internal import MementoSystem

struct RestoreRoom {
  /// The least space that a file or folder takes on a disk, in bytes: a name and an inode.
  private static let smallestEntry: UInt64 = 256
  /// One chunk, or hole, for so many bytes of memory is accepted: they do not wait there, but a few lists can stand for more
  /// than can be gone through.
  private static let memoryOfPiece: UInt64 = 256
  /// So many are accepted anyway: as many as 4 TiB have.
  private static let acceptedPieces: UInt64 = 1 << 26

  private let store: Store
  /// The size of the file system in bytes; nil where it is not known.
  private let disk: UInt64?
  private let mostPieces = max(Host.memory() / memoryOfPiece, acceptedPieces)
  /// The bytes that were free when the restore began; nil where nobody knows what its files will take.
  private let free: UInt64?
  private var lists = ChunkListTotals()
  /// The bytes of all that was added, without holes.
  private(set) var data: UInt64 = 0
  private var pieces: UInt64 = 0

  init(_ store: Store, in root: SharedDescriptor) {
    self.store = store
    // Where the size is not known, the restore finds a full disk when it writes.
    let size = try? root.descriptor.fileSystemSize()
    disk = size == 0 ? nil : size
    free = (try? root.descriptor.freeSpace()) ?? nil  // as above
  }

  /// Adds an entry that will be written. Throws when there is no room for it.
  mutating func add(_ entry: TreeEntry, path: () -> BytePath) throws(RepositoryError) {
    guard case .file(let size, let content) = entry.content, content.level > 0 else { return }
    let total = try translating(reading: path()) { () throws(StoreError) in
      let total = try lists.total(of: content, size: size, in: store)
      guard total.length == size else { throw StoreError.damagedList(content.id, ChunkListFormat.wrongTotal) }
      return total
    }
    let (sum, overflow) = data.addingReportingOverflow(total.data)
    data = overflow ? .max : sum
    // Each number is less than 2^63, so the sum cannot overflow.
    pieces += min(total.pieces, 1 << 62)
    if let disk, data > disk {
      throw RestoreRoom.tooMuch("with \(path()) it is \(data) bytes, and the file system has \(disk) in all", path())
    }
    if pieces > mostPieces {
      throw RestoreRoom.tooMuch("\(path()) is made of \(pieces) pieces, more than can be restored", path())
    }
  }

  /// Throws when all that was added takes more than is free.
  func checkFree() throws(RepositoryError) {
    if let free, data > free {
      throw RestoreRoom.tooMuch("it takes \(data) bytes, and \(free) are free", nil, reason: .noSpaceForRestore)
    }
  }

  /// Whether so many bytes are more than is free.
  func isTight(_ bytes: UInt64) -> Bool { free.map { bytes > $0 } ?? false }

  /// The chunks added so far have been handed on, so they no longer count as waiting.
  mutating func release() {
    pieces = 0
  }

  /// Throws when a tree has more files and folders than the file system can hold.
  func check(_ tree: ObjectID, _ source: any MetaSource) throws(RepositoryError) {
    let entries = try translating { () throws(StoreError) in
      var totals = TreeTotals(source)
      return try totals.total(of: tree).entries
    }
    if let disk, entries > disk / RestoreRoom.smallestEntry {
      throw RestoreRoom.tooMuch("it has \(entries) files and folders, more than the file system can hold", nil)
    }
  }

  private static func tooMuch(
    _ text: String, _ path: BytePath?, reason: RepositoryError.Reason = .tooSmallDestination
  ) -> RepositoryError {
    RepositoryError(
      .system, "the snapshot cannot be restored here: \(text)", reason: reason, path: path,
      systemError: Errno.noSpace.code)
  }
}

/// Counts the entries of a tree that are new in the folder. At a large number it counts the whole tree at once, because
/// a few trees that refer to each other can stand for more than any disk holds.
struct NewEntries {
  private static let many = 1 << 15
  private let room: RestoreRoom
  private let tree: ObjectID
  private let source: any MetaSource
  private var count = 0

  init(_ room: RestoreRoom, of tree: ObjectID, in source: any MetaSource) {
    self.room = room
    self.tree = tree
    self.source = source
  }

  /// Counts one more entry. Throws when the tree has more entries than the file system can hold.
  mutating func add() throws(RepositoryError) {
    count += 1
    if count == NewEntries.many { try room.check(tree, source) }
  }
}
