// Writes the stat cache during a save: one record for each directory, after those of its subdirectories. It is derived
// data, so it is not flushed. A failure costs the cache, never the save.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class StatCacheWriter: Sendable {
  private struct State: ~Copyable, Sendable {
    /// Nil once the cache is in place or discarded.
    var temporary: TemporaryFile?
    var buffer: [UInt8] = []
    var end: UInt64
    var failed = false
  }

  /// The largest record in bytes: slots find the entries in it by 32-bit offsets.
  static let largestRecord = Int(Int32.max)

  private let worktree: WorktreeStorage
  private let file: SharedDescriptor
  private let state: Mutex<State>
  /// Whether the folder is on the file system of this file, so that both have the same clock.
  let sharesClock: Bool
  /// The cache cannot be trusted for entries that change at this moment or later.
  let begun: Timestamp

  /// Nil when the cache cannot be written.
  init?(_ worktree: WorktreeStorage, rootDevice: UInt64) {
    self.worktree = worktree
    guard let temporary = try? worktree.makeStatCache(),
      let status = try? temporary.file.descriptor.status()
    else { return nil }
    // Takes the time from the file, so that it has the clock and granularity of the file system. A store on another
    // file system has another clock. Two seconds are the coarsest granularity known (FAT).
    sharesClock = status.device == rootDevice
    begun = sharesClock ? status.modified : Clock.now().adding(seconds: -2)
    file = temporary.file
    state = Mutex(State(temporary: temporary, end: UInt64(StatCache.headerSize)))
  }

  /// Appends the record of a directory and returns its offset. Returns 0 when the record is too large; the next save
  /// then reads the directory again.
  func append(identity: FileIdentity, tree: ObjectID, entryCount: Int, entries: [UInt8]) -> UInt64 {
    var head = ByteWriter(capacity: 64)
    head.u64(identity.device)
    head.u64(identity.inode)
    head.id(tree)
    head.varint(UInt64(entryCount))
    let length = head.bytes.count + entries.count
    if length > StatCacheWriter.largestRecord { return 0 }
    let sum = head.bytes.withUnsafeBytes { crc32($0, after: 0) }
    var start = ByteWriter(capacity: 8)
    start.u32(UInt32(clamping: length))
    start.u32(entries.withUnsafeBytes { crc32($0, after: sum) })
    return state.withLock { state in
      let offset = state.end
      state.buffer.append(contentsOf: start.bytes)
      state.buffer.append(contentsOf: head.bytes)
      state.buffer.append(contentsOf: entries)
      state.end += UInt64(8 + length)
      if state.buffer.count >= 1 << 20 { flush(&state) }
      return offset
    }
  }

  /// The present time, by the clock of the file system.
  func now() -> Timestamp {
    state.withLock { state in
      do throws(Errno) {
        if sharesClock {
          // The header is written last: a write in its place moves the time of the file.
          try file.descriptor.write([0], at: 0)
          return try file.descriptor.status().modified
        }
      } catch {
        // The other clock then, with the same doubt as for a store elsewhere.
      }
      return Clock.now().adding(seconds: -2)
    }
  }

  /// The cache as far as it is written; nil when it cannot be read back.
  func written(root: UInt64) -> StatCache? {
    state.withLock { state in
      flush(&state)
      guard !state.failed, let copy = try? file.descriptor.duplicate() else { return nil }
      return StatCache(writtenTo: copy, end: state.end, root: root)
    }
  }

  private func flush(_ state: inout State) {
    let start = state.end - UInt64(state.buffer.count)
    do throws(Errno) {
      try file.descriptor.write(state.buffer, at: start)
    } catch {
      state.failed = true
    }
    state.buffer.removeAll(keepingCapacity: true)
  }

  /// Puts the cache in place. `packs`: all present packs, which hold all content that the cache names.
  func finish(of root: FileIdentity, rootRecord: UInt64, packs: [ObjectID]) {
    var list = ByteWriter(capacity: packs.count * 8 + 4)
    for pack in packs { list.u64(pack.words.0) }
    list.u32(crc32(list.bytes))
    let (isWritten, packsOffset) = state.withLock { state in
      let offset = state.end
      state.buffer.append(contentsOf: list.bytes)
      state.end += UInt64(list.bytes.count)
      flush(&state)
      return (!state.failed, offset)
    }
    var header = ByteWriter(capacity: StatCache.headerSize)
    header.append(StatCache.magic)
    header.u64(root.device)
    header.u64(root.inode)
    header.u64(UInt64(bitPattern: begun.seconds))
    header.u32(begun.nanoseconds)
    header.u32(UInt32(packs.count))
    header.id(StatCache.bootID())
    header.u64(rootRecord)
    header.u64(packsOffset)
    header.u32(crc32(header.bytes))
    guard isWritten, let temporary = state.withLock({ $0.temporary.take() }) else { return discard() }
    // A failure only costs reading: the next save uses the old cache, or none.
    do throws(Errno) {
      try file.descriptor.write(header.bytes, at: 0)
      try worktree.placeStatCache(temporary)
    } catch {}
  }

  /// Removes the file. If that fails, the next sweep removes it.
  func discard() {
    _ = state.withLock { $0.temporary.take() }
  }
}
