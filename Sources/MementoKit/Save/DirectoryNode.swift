// A directory during the walk: a slot for each entry, which any worker may fill, and a count of missing parts. The
// worker that ends the last part finishes the directory.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// The result for one entry.
struct EntrySlot {
  enum State: UInt8 {
    /// Not recorded: the entry has vanished, could not be read, or is left out.
    case absent
    /// As in the cache. The bytes are in the cached record of the directory.
    case cached
    /// Encoded by this walk. The bytes are in an arena.
    case encoded
  }

  var state = State.absent
  var arena: Int32 = 0
  var start: Int32 = 0
  var length: Int32 = 0
  /// For the stat cache: the offset of the record, if the entry is a directory.
  var record: UInt64 = 0
  var inode: UInt64 = 0
  var changed = Timestamp.distantPast
}

extension EntrySlot {
  /// A slot with the entry as the cache has it.
  init(_ known: CachedEntry, _ status: FileStatus, changed: Timestamp? = nil, record: UInt64 = 0) {
    self.init(
      state: .cached, start: Int32(known.encoded.lowerBound), length: Int32(known.encoded.count), record: record,
      inode: status.inode, changed: changed ?? status.changed)
  }
}

/// `@unchecked Sendable`: one worker writes each slot, before it lowers the count that makes the slot visible to
/// others. `parent` changes only in `deinit`.
final class DirectoryNode: @unchecked Sendable {
  private(set) var parent: DirectoryNode?
  /// The index of its slot in the parent.
  let slot: Int
  let handle: DirectoryHandle
  let status: FileStatus
  /// The offset of its cache record, as the parent's record names it. Nil looks it up by device and inode.
  private let record: UInt64?
  /// Its entry in the cache record of the parent.
  let known: CachedEntry?
  /// Its own cache record; set by `begin`.
  private(set) var cached: CachedDirectory?
  /// Whether what is not in `cached` is new for certain. It is not where the record of the directory, or of one above it,
  /// cannot be read. Set by `begin`.
  private(set) var knowsAll = false
  /// The rules of the parent, or for the top the rules before its own rule files are read.
  let outerFilter: FolderFilter
  /// What the walk records in it although it is ignored.
  let wanted: WantedFolder?
  /// Whether it was listed and has vanished since, so that the parent gets no entry. The walk sets it before its last
  /// part ends.
  var isGone = false
  /// Set when the directory is opened.
  var attributes: [ExtendedAttribute] = []
  private(set) var listing: DirectoryListing?
  /// Its time of change just after it was listed.
  private(set) var listedAt = Timestamp.distantPast
  private var slots = UnsafeMutableBufferPointer<EntrySlot>(start: nil, count: 0)
  private let arenas = Mutex<[[UInt8]]>([])
  /// The number of parts that must end before the directory is finished.
  private let pending = Atomic<Int>(0)
  /// The number of parts that still need the open directory.
  private let users = Atomic<Int>(0)

  init(
    parent: DirectoryNode?, slot: Int, handle: DirectoryHandle, status: FileStatus, record: UInt64?,
    known: CachedEntry?, filter: FolderFilter, wanted: WantedFolder?
  ) {
    outerFilter = filter
    self.wanted = wanted
    self.parent = parent
    self.slot = slot
    self.handle = handle
    self.status = status
    self.record = record
    self.known = known
  }

  deinit {
    slots.deallocate()
    var next = parent
    parent = nil
    while isKnownUniquelyReferenced(&next) {
      let up = next?.parent
      next?.parent = nil
      next = up
    }
  }

  /// Allocates what takes memory. This happens only now, because thousands of folders may wait for their turn.
  func begin(_ listing: DirectoryListing, at changed: Timestamp, _ cache: StatCache?) {
    self.listing = listing
    listedAt = changed
    cached = record.map { cache?.directory(at: $0) } ?? cache?.directory(identified: status.identity)
    // A new directory in one whose record is whole has no record, and nothing in it is known.
    knowsAll = cached != nil || (known == nil && parent?.knowsAll == true)
    slots = .allocate(capacity: listing.count)
    slots.initialize(repeating: EntrySlot())
  }

  /// Records the result for an entry. `index`: its place in the listing. One worker calls this for each slot, before
  /// its part ends.
  func record(_ slot: EntrySlot, at index: Int) {
    slots[index] = slot
  }

  /// Records an entry, encoded in bytes of its own.
  func record(
    encoded entry: TreeEntry, at index: Int, inode: UInt64, changed: Timestamp, record: UInt64 = 0
  ) {
    var out = ByteWriter()
    TreeEntryCodec.encode(entry, into: &out)
    self.record(encoded: out.bytes, at: index, inode: inode, changed: changed, record: record)
  }

  /// Records an encoded entry. No other slot may use these bytes.
  func record(encoded bytes: [UInt8], at index: Int, inode: UInt64, changed: Timestamp, record: UInt64 = 0) {
    slots[index] = EntrySlot(
      state: .encoded, arena: adopt(bytes), length: Int32(bytes.count), record: record, inode: inode, changed: changed)
  }

  /// Sets the arena that has the encoded entries of some slots.
  func place(_ indexes: [Int], in arena: Int32) {
    for index in indexes { slots[index].arena = arena }
  }

  /// Notes that a listed entry does not exist any more. `wasKnown`: the cache has this file.
  func vanish(_ index: Int, wasKnown: Bool, _ context: SaveContext) {
    guard let listing else { return }
    context.vanish(
      VanishedEntry(
        directory: handle, name: listing.name(at: index), inode: listing.inode(at: index), wasKnown: wasKnown))
  }

  /// Sets how many parts must end before the directory is finished, and how many of them need it open.
  func expect(parts: Int, users count: Int) {
    pending.store(parts, ordering: .releasing)
    users.store(count, ordering: .releasing)
  }

  /// Adds a part, because one part has become two.
  func expectOneMore() {
    pending.add(1, ordering: .relaxed)
  }

  /// Ends a part. Returns true for the last one.
  func partEnded() -> Bool {
    pending.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Ends a part's use of the open directory. The last one closes it.
  func userEnded() {
    if users.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { handle.finish() }
  }

  /// Keeps encoded entries for the slots. Returns the number of the arena.
  func adopt(_ bytes: [UInt8]) -> Int32 {
    arenas.withLock { arenas in
      arenas.append(bytes)
      return Int32(clamping: arenas.count - 1)
    }
  }

  /// Whether the directory has exactly the entries of the cache, all unchanged.
  var isAsCached: Bool {
    guard let cached else { return false }
    var count = 0
    var end: Int32 = 0
    for slot in slots where slot.state != .absent {
      // Entries must be in order, so that a name that was listed twice counts once.
      guard slot.state == .cached, slot.start >= end else { return false }
      end = slot.start + slot.length
      count += 1
    }
    return count == cached.entryCount
  }

  /// Calls `body` with the bytes of each recorded entry, in the order of the names.
  func forEachEntry(
    _ body: (EntrySlot, _ name: UnsafeBufferPointer<UInt8>, _ encoded: UnsafeRawBufferPointer) throws(StoreError)
      -> Void
  ) throws(StoreError) {
    guard let listing else { return }
    let arenas = arenas.withLock { $0 }
    try listing.withNames { (names) throws(StoreError) in
      for index in 0..<slots.count {
        let slot = slots[index]
        let range = Int(slot.start)..<Int(slot.start) + Int(slot.length)
        switch slot.state {
        case .absent: continue
        case .cached:
          guard let cached else { continue }
          try cached.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
            try body(slot, names[index], UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
          }
        case .encoded:
          try arenas[Int(slot.arena)].withUnsafeBufferPointer { (bytes) throws(StoreError) in
            try body(slot, names[index], UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
          }
        }
      }
    }
  }
}
