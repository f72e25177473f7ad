// A directory while it is walked: a slot for each entry, filled by whichever worker gets to it, and a count of what is
// still missing. The worker that fills the last slot finishes the directory.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// What became of one entry.
struct EntrySlot {
  enum State: UInt8 {
    /// Not recorded: it vanished, could not be read, or is left out.
    case absent
    /// As the cache has it; `range` lies in the cached record.
    case cached
    /// Encoded anew; `range` lies in an arena.
    case encoded
  }

  var state = State.absent
  var arena: Int32 = 0
  var start: Int32 = 0
  var length: Int32 = 0
  /// For the stat cache: where the record of a directory lies.
  var record: UInt64 = 0
  var inode: UInt64 = 0
  var changed = Timestamp.distantPast
}

extension EntrySlot {
  /// As the cache has it.
  init(_ known: CachedEntry, _ status: FileStatus, changed: Timestamp? = nil, record: UInt64 = 0) {
    self.init(
      state: .cached, start: Int32(known.encoded.lowerBound), length: Int32(known.encoded.count), record: record,
      inode: status.inode, changed: changed ?? status.changed)
  }
}

/// `@unchecked Sendable`: slots are written by one worker each, before the count that publishes them goes down; `parent`
/// changes only in `deinit`.
final class DirectoryNode: @unchecked Sendable {
  private(set) var parent: DirectoryNode?
  /// Index of its slot in the parent.
  let slot: Int
  let handle: DirectoryHandle
  let status: FileStatus
  /// Where the cache has it, by the record above; nil: it is asked by device and inode.
  private let record: UInt64?
  /// What the cache has of it in the record above.
  let known: CachedEntry?
  /// What the cache knows of it; from `begin` on.
  private(set) var cached: CachedDirectory?
  /// What is ignored in the folder that holds it, or for the top, before its own rules are read.
  let outerFilter: FolderFilter
  /// What is recorded in it although it is ignored.
  let wanted: WantedFolder?
  /// It was listed and is there no more: it has no entry in its parent. Set by the walk, before its last part ends.
  var isGone = false
  /// Set when the directory is opened.
  var attributes: [ExtendedAttribute] = []
  private(set) var listing: DirectoryListing?
  /// When it had changed last after it was listed.
  private(set) var listedAt = Timestamp.distantPast
  private var slots = UnsafeMutableBufferPointer<EntrySlot>(start: nil, count: 0)
  private let arenas = Mutex<[[UInt8]]>([])
  /// What must be done before the directory is done.
  private let pending = Atomic<Int>(0)
  /// What still needs it open.
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

  /// Everything that takes memory comes only now: thousands of folders may wait for their turn.
  func begin(_ listing: DirectoryListing, at changed: Timestamp, _ cache: StatCache?) {
    self.listing = listing
    listedAt = changed
    cached = record.map { cache?.directory(at: $0) } ?? cache?.directory(identified: status.identity)
    slots = .allocate(capacity: listing.count)
    slots.initialize(repeating: EntrySlot())
  }

  /// Records what became of an entry. `index`: its place in the listing. Called by one worker for each slot, before its part
  /// ends.
  func record(_ slot: EntrySlot, at index: Int) {
    slots[index] = slot
  }

  /// Records an entry that is encoded in bytes of its own.
  func record(
    encoded entry: TreeEntry, at index: Int, inode: UInt64, changed: Timestamp, record: UInt64 = 0
  ) {
    var out = ByteWriter()
    TreeEntryCodec.encode(entry, into: &out)
    self.record(encoded: out.bytes, at: index, inode: inode, changed: changed, record: record)
  }

  /// The same for bytes that nothing else points into.
  func record(encoded bytes: [UInt8], at index: Int, inode: UInt64, changed: Timestamp, record: UInt64 = 0) {
    slots[index] = EntrySlot(
      state: .encoded, arena: adopt(bytes), length: Int32(bytes.count), record: record, inode: inode, changed: changed)
  }

  /// Says in which arena the encoded entries of some slots lie.
  func place(_ indexes: [Int], in arena: Int32) {
    for index in indexes { slots[index].arena = arena }
  }

  /// An entry was listed, and is not there. `wasKnown`: the cache has this very file.
  func vanish(_ index: Int, wasKnown: Bool, _ context: SaveContext) {
    guard let listing else { return }
    context.vanish(
      VanishedEntry(
        directory: handle, name: listing.name(at: index), inode: listing.inode(at: index), wasKnown: wasKnown))
  }

  /// Says how many parts must end before the directory does, and how many of them need it open.
  func expect(parts: Int, users count: Int) {
    pending.store(parts, ordering: .releasing)
    users.store(count, ordering: .releasing)
  }

  /// A part has turned out to be two.
  func expectOneMore() {
    pending.add(1, ordering: .relaxed)
  }

  /// A part has ended; true for the last one.
  func partEnded() -> Bool {
    pending.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Something does not need the directory open any more.
  func userEnded() {
    if users.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { handle.finish() }
  }

  /// Keeps encoded entries that slots point into; returns the number of the arena.
  func adopt(_ bytes: [UInt8]) -> Int32 {
    arenas.withLock { arenas in
      arenas.append(bytes)
      return Int32(clamping: arenas.count - 1)
    }
  }

  /// Whether every entry the cache has is there as it has it, and no other.
  var isAsCached: Bool {
    guard let cached else { return false }
    var count = 0
    var end: Int32 = 0
    for slot in slots where slot.state != .absent {
      // In order, so that a name that was listed twice counts once.
      guard slot.state == .cached, slot.start >= end else { return false }
      end = slot.start + slot.length
      count += 1
    }
    return count == cached.entryCount
  }

  /// Calls `body` with the bytes of each recorded entry, in order of the names.
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
