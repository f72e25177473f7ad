// What the last save knew of each file, so that an unchanged one is not read again. Derived: it may be deleted at any
// time, and damage costs nothing but reading. See docs/format.md, "stat cache".
//
// A file is taken as unchanged when inode, size, mode, owner, times of change and modification are the same and the time
// of change lies before the moment the cache was begun (the racy rule of git: what changed in the same tick may change
// again without a trace).

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// What a save knew of one entry.
struct CachedEntry: Sendable {
  var inode: UInt64
  var changed: Timestamp
  /// Where the record of a directory lies; 0 for other entries.
  var record: UInt64
  /// The entry as it stands in a tree, in the bytes of the directory's record.
  var encoded: Range<Int>
  var outline: EntryOutline

  /// Whether its name comes before another (below zero), is the same (zero) or comes after it.
  func order(to name: UnsafeBufferPointer<UInt8>, in bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { nameOrder(UnsafeBufferPointer(rebasing: $0[outline.name]), name) }
  }
}

/// What a save knew of one directory.
struct CachedDirectory: Sendable {
  let bytes: [UInt8]
  let identity: FileIdentity
  let tree: ObjectID
  let entryCount: Int
  /// Where the entries begin.
  let start: Int

  /// The inode that the entry of a name had.
  func inode(of name: [UInt8]) -> UInt64? {
    var cursor = Cursor(self)
    return name.withUnsafeBufferPointer { cursor.entry(named: $0)?.inode }
  }

  /// The entries in order.
  struct Cursor {
    private var reader: ByteReader
    private var remaining: Int
    private(set) var current: CachedEntry?

    init(_ directory: CachedDirectory) {
      reader = ByteReader(directory.bytes)
      remaining = directory.entryCount
      // A record that ends too early has no entries, and its folder is read.
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

    /// The entry of a name, if there is one. Names are asked for in order.
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

/// The cache as the last save left it. Whatever of it cannot be read is not believed: then the folder is read.
final class StatCache: Sendable {
  static let fileName = Array("stat".utf8)
  static let magic = Array("memento stat 1\n\0".utf8)
  static let headerSize = 100
  /// After a power cut the kernel may have lost what was written this many seconds before.
  private static let powerCutWindow: Int64 = 60

  private let file: SharedDescriptor
  private let end: UInt64
  /// Where the record of the folder itself lies.
  let root: UInt64
  /// Entries that changed before this moment are vouched for.
  let safeBefore: Timestamp
  /// Every pack that was there is there still: what the cache knows is stored, is stored.
  let coversPacks: Bool
  private let byIdentity = Mutex<[FileIdentity: UInt64]?>(nil)

  /// Opens the cache of a folder; nil when there is none, or it is damaged or another folder's.
  init?(_ worktree: WorktreeStorage, of root: FileIdentity, presentPacks: Set<ObjectID>?) {
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
        let present = Set(presentPacks.map(\.words.0))
        for _ in 0..<packCount where !present.contains(try packs.u64()) { covers = false }
      } else {
        try packs.skip(packCount * 8)
      }
      guard try packs.u32() == crc32(list.dropLast(4)) else { throw FormatError("its checksum does not match") }
      coversPacks = covers
      let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      // Two starts of which nothing is known are not the same one.
      let isSameStart = !Clock.bootIdentity().isEmpty && boot == StatCache.bootID()
      safeBefore = isSameStart ? time : time.adding(seconds: -StatCache.powerCutWindow)
      self.root = rootRecord
    } catch {
      return nil
    }
    end = status.size
  }

  /// What a walk of this very process has written so far; all of it is vouched for.
  init(writtenTo file: consuming Descriptor, end: UInt64, root: UInt64) {
    self.file = SharedDescriptor(file)
    self.end = end
    self.root = root
    safeBefore = Timestamp(seconds: .max, nanoseconds: 0)
    coversPacks = true
  }

  /// The tree of the folder as the cache has it.
  var tree: ObjectID? { directory(at: root)?.tree }

  static func bootID() -> ObjectID { ObjectID(hashing: Clock.bootIdentity()) }

  /// The record at a place that the record above it named; nil when it is damaged.
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
      guard UInt64(length) <= end - offset, length <= StatCacheWriter.largestRecord else { return nil }
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

  /// The record of a directory that has another path now: asked by device and inode. The first question reads the whole
  /// cache once.
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
        // Records of folders below were written before this one: no cycle.
        if entry.record != 0, entry.record < offset { pending.append(entry.record) }
        cursor.advance()
      }
    }
    return result
  }
}
