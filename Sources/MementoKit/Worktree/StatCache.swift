// What the last save knew about each file, so that unchanged files are not read again. It is derived data: it may be
// deleted at any time, and damage only costs reading. See docs/format.md, "stat cache".
//
// A file counts as unchanged when its inode, size, mode, owner, and times of change and modification are the same, and
// its time of change is before the moment when the cache was begun. The last condition is the racy rule of git: a file
// that changed within that tick may change again without a visible difference.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// What a save knew about one entry.
struct CachedEntry: Sendable {
  var inode: UInt64
  var changed: Timestamp
  /// The offset of the record of a directory; 0 for other entries.
  var record: UInt64
  /// The encoded entry of the tree, as a range of the bytes of the directory's record.
  var encoded: Range<Int>
  var outline: EntryOutline

  /// Below zero when its name comes before another name, zero when it is the same, above zero when it comes after.
  func order(to name: UnsafeBufferPointer<UInt8>, in bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { nameOrder(UnsafeBufferPointer(rebasing: $0[outline.name]), name) }
  }
}

/// What a save knew about one directory.
struct CachedDirectory: Sendable {
  let bytes: [UInt8]
  let identity: FileIdentity
  let tree: ObjectID
  let entryCount: Int
  /// The position of the first entry.
  let start: Int

  /// The inode that the entry of a name had.
  func inode(of name: [UInt8]) -> UInt64? {
    var cursor = Cursor(self)
    return name.withUnsafeBufferPointer { cursor.entry(named: $0)?.inode }
  }

  /// Reads the entries in order.
  struct Cursor {
    private var reader: ByteReader
    private var remaining: Int
    private(set) var current: CachedEntry?

    init(_ directory: CachedDirectory) {
      reader = ByteReader(directory.bytes)
      remaining = directory.entryCount
      // When a record ends too early, there are no entries, and the folder is read.
      try? reader.skip(directory.start)
      advance()
    }

    /// Goes to the next entry.
    mutating func advance() {
      current = nil
      if remaining == 0 { return }
      remaining -= 1
      do throws(FormatError) {
        let inode = try reader.u64()
        let seconds = Int64(bitPattern: try reader.u64())
        let nanoseconds = try reader.u32()
        let record = try reader.u64()
        let start = reader.position
        let outline = try TreeEntryCodec.outline(&reader)
        current = CachedEntry(
          inode: inode, changed: Timestamp(seconds: seconds, nanoseconds: nanoseconds), record: record,
          encoded: start..<reader.position, outline: outline)
      } catch {
        remaining = 0
      }
    }

    /// The entry of a name, if there is one. Callers must ask in the order of the names.
    mutating func entry(named name: UnsafeBufferPointer<UInt8>) -> CachedEntry? {
      while let current {
        let order = current.order(to: name, in: reader.bytes)
        if order == 0 { return current }
        if order > 0 { return nil }
        advance()
      }
      return nil
    }
  }
}

/// The cache as the last save left it. A part that cannot be read is ignored, and the folder is read instead.
final class StatCache: Sendable {
  static let fileName = Array("stat".utf8)
  static let magic = Array("memento stat 1\n\0".utf8)
  static let headerSize = 100
  /// A power cut may lose what was written during this many seconds before it.
  private static let powerCutWindow: Int64 = 60

  private let file: SharedDescriptor
  private let end: UInt64
  /// The offset of the record of the top folder.
  let root: UInt64
  /// The cache can be trusted for entries that changed before this moment.
  let safeBefore: Timestamp
  /// Whether every pack that existed when the cache was written still exists, and the same blocks are bad as then. Then
  /// all content in the cache is stored.
  let coversPacks: Bool
  private let byIdentity = Mutex<[FileIdentity: UInt64]?>(nil)

  /// Opens the cache of a folder. Nil when there is none, when it is damaged, or when it belongs to another folder.
  /// `badBlocks`: identifies the blocks that cannot be relied upon; it is in the list like a pack.
  init?(
    _ worktree: WorktreeStorage, of root: FileIdentity, presentPacks: Set<ObjectID>?, badBlocks: ObjectID? = nil
  ) {
    let status: FileStatus
    let header: [UInt8]
    do throws(Errno) {
      file = SharedDescriptor(try worktree.openStatCache())
      status = try file.descriptor.status()
      header = status.isRegular ? try file.descriptor.bytes(at: 0, count: StatCache.headerSize) : []
    } catch {
      return nil
    }
    do throws(FormatError) {
      var reader = ByteReader(header)
      guard try reader.take(StatCache.magic.count) == StatCache.magic else { throw .truncated }
      let device = try reader.u64()
      let inode = try reader.u64()
      let seconds = Int64(bitPattern: try reader.u64())
      let nanoseconds = try reader.u32()
      let packCount = Int(try reader.u32())
      let boot = try reader.id()
      let rootRecord = try reader.u64()
      let packsOffset = try reader.u64()
      let sum = crc32(header[..<reader.position])
      guard try reader.u32() == sum else {
        throw FormatError("its checksum does not match")
      }
      guard device == root.device, inode == root.inode else { throw FormatError("it is another folder's") }
      let length = packCount * 8 + 4
      guard length <= status.size, let list = StatCache.bytes(of: file.descriptor, at: packsOffset, count: length)
      else {
        throw .truncated
      }
      var packs = ByteReader(list)
      var covers = true
      if let presentPacks {
        var present = Set(presentPacks.map(\.words.0))
        if let badBlocks { present.insert(badBlocks.words.0) }
        covers = badBlocks == nil
        var areAllThere = true
        var merged: MergedPacks?
        for _ in 0..<packCount {
          let pack = try packs.u64()
          if pack == badBlocks?.words.0 { covers = true }
          if present.contains(pack) || !areAllThere { continue }
          let known = merged ?? worktree.mergedPacks()
          merged = known
          areAllThere = known.present(pack, among: present) != nil
        }
        covers = covers && areAllThere
      } else {
        try packs.skip(packCount * 8)
      }
      guard try packs.u32() == crc32(list.dropLast(4)) else { throw FormatError("its checksum does not match") }
      coversPacks = covers
      let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      // When the system does not identify its boots, two boots count as different.
      let isSameStart = !Clock.bootIdentity().isEmpty && boot == StatCache.bootID()
      safeBefore = isSameStart ? time : time.adding(seconds: -StatCache.powerCutWindow)
      self.root = rootRecord
    } catch {
      return nil
    }
    end = status.size
  }

  /// What the present walk has written so far. All of it can be trusted.
  init(writtenTo file: consuming Descriptor, end: UInt64, root: UInt64) {
    self.file = SharedDescriptor(file)
    self.end = end
    self.root = root
    safeBefore = Timestamp(seconds: .max, nanoseconds: 0)
    coversPacks = true
  }

  /// The tree of the folder in the cache.
  var tree: ObjectID? { directory(at: root)?.tree }

  static func bootID() -> ObjectID { ObjectID(hashing: Clock.bootIdentity()) }

  /// The record at an offset that the parent's record names; nil when it is damaged.
  func directory(at offset: UInt64) -> CachedDirectory? {
    guard offset >= UInt64(StatCache.headerSize), offset < end else { return nil }
    let head: [UInt8]
    do throws(Errno) { head = try file.descriptor.bytes(at: offset, count: 2048) } catch { return nil }
    return directory(at: offset, head)
  }

  /// `head`: the first bytes at `offset`, mostly the whole record.
  private func directory(at offset: UInt64, _ head: [UInt8]) -> CachedDirectory? {
    var bytes: [UInt8] = []
    do throws(FormatError) {
      var reader = ByteReader(head)
      let length = Int(try reader.u32())
      let sum = try reader.u32()
      guard UInt64(length) + 8 <= end - offset, length <= StatCacheWriter.largestRecord else { return nil }
      if head.count >= 8 + length {
        bytes = Array(head[8..<8 + length])
      } else if let rest = StatCache.bytes(of: file.descriptor, at: offset + 8, count: length) {
        bytes = rest
      } else {
        return nil
      }
      guard crc32(bytes) == sum else { return nil }
      var body = ByteReader(bytes)
      let identity = FileIdentity(device: try body.u64(), inode: try body.u64())
      let tree = try body.id()
      let count = try body.count(atMost: bytes.count)
      return CachedDirectory(bytes: bytes, identity: identity, tree: tree, entryCount: count, start: body.position)
    } catch {
      return nil
    }
  }

  /// So many bytes; nil when they are not there or cannot be read. The folder is read then.
  private static func bytes(of file: borrowing Descriptor, at offset: UInt64, count: Int) -> [UInt8]? {
    guard let bytes = try? file.bytes(at: offset, count: count), bytes.count == count else { return nil }
    return bytes
  }

  /// The record of a directory that has moved, found by device and inode. The first call reads the whole cache.
  func directory(identified identity: FileIdentity) -> CachedDirectory? {
    let offset = byIdentity.withLock { map -> UInt64? in
      if map == nil { map = allDirectories() }
      return map?[identity]
    }
    return offset.flatMap { directory(at: $0) }
  }

  private func allDirectories() -> [FileIdentity: UInt64] {
    var result: [FileIdentity: UInt64] = [:]
    var pending = [root]
    while let offset = pending.popLast() {
      guard let directory = directory(at: offset) else { continue }
      result[directory.identity] = offset
      var cursor = CachedDirectory.Cursor(directory)
      while let entry = cursor.current {
        // A folder's record is written before that of its parent, so there is no cycle.
        if entry.record != 0, entry.record < offset { pending.append(entry.record) }
        cursor.advance()
      }
    }
    return result
  }
}
