// The encoded entries of a directory that one worker has gathered. They go to the directory in pieces: a slot finds its
// entry by a 32-bit offset, and the link targets of one directory may have more bytes than that.

internal import MementoStore
internal import MementoSystem

struct EntryArena {
  /// The size in bytes at which a piece is handed over. One entry has far fewer than 2^31 bytes: a kernel limits names,
  /// targets and the list of attributes to 64 KiB each.
  static let pieceSize = 1 << 20

  private let node: DirectoryNode
  private var encoded: ByteWriter
  private var slots: [Int] = []

  /// `capacity`: the number of bytes to expect.
  init(_ node: DirectoryNode, capacity: Int = 0) {
    self.node = node
    encoded = ByteWriter(capacity: capacity)
  }

  /// Encodes an entry and fills its slot. `changed`: the time of change that the stat cache may rely on.
  mutating func append(_ entry: TreeEntry, slot: Int, inode: UInt64, changed: Timestamp) {
    let start = encoded.bytes.count
    TreeEntryCodec.encode(entry, into: &encoded)
    node.record(
      EntrySlot(
        state: .encoded, start: Int32(start), length: Int32(encoded.bytes.count - start), inode: inode,
        changed: changed),
      at: slot)
    slots.append(slot)
    if encoded.bytes.count >= EntryArena.pieceSize { handOver() }
  }

  /// Hands the entries to the directory, which can read them afterwards.
  mutating func handOver() {
    if slots.isEmpty { return }
    let arena = node.adopt(encoded.bytes)
    node.place(slots, in: arena)
    encoded = ByteWriter()
    slots = []
  }
}
