// Packs and refs in memory: storage for a store that is not a folder.

import MementoStore
import MementoSystem
import Synchronization

final class MemoryPacks: PackStorage {
  private struct State: Sendable {
    var packs: [ObjectID: [UInt8]] = [:]
    var aside: [ObjectID: [UInt8]] = [:]
    var reads = 0
  }

  private let state = Mutex(State())
  /// Which read fails: counted from now on; 0 or less for none.
  let failingRead = Mutex(0)

  /// The same packs, as a storage of their own.
  func copy() -> MemoryPacks {
    let copy = MemoryPacks()
    let packs = state.withLock { $0.packs }
    copy.state.withLock { $0.packs = packs }
    return copy
  }

  var count: Int { state.withLock { $0.packs.count } }
  var bytes: Int { state.withLock { $0.packs.values.reduce(0) { $0 + $1.count } } }
  var reads: Int { state.withLock { $0.reads } }

  func modified() -> Timestamp? { nil }

  func list(withSizes: Bool) throws(StoreError) -> [ListedPack] {
    state.withLock { $0.packs.map { ListedPack(id: $0.key, size: withSizes ? UInt64($0.value.count) : nil) } }
  }

  private func pack(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    guard let bytes = state.withLock({ $0.packs[id] }) else {
      throw .damaged(file: "packs/\(id)", reason: "it is missing")
    }
    return bytes
  }

  func size(of pack: ObjectID) throws(StoreError) -> UInt64 {
    UInt64(try self.pack(pack).count)
  }

  func open(_ pack: ObjectID) throws(StoreError) -> PackReader {
    PackReader(Ranges(bytes: try self.pack(pack), storage: self))
  }

  func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError) {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try file.file.descriptor.contents()
    } catch {
      throw .system(operation: "read", path: "tmp/", error)
    }
    keep(bytes, as: pack)
  }

  func keep(_ bytes: [UInt8], as pack: ObjectID) {
    state.withLock { $0.packs[pack] = bytes }
  }

  func remove(_ packs: [ObjectID]) throws(StoreError) {
    state.withLock { state in
      for pack in packs { state.packs[pack] = nil }
    }
  }

  func setAside(_ packs: [ObjectID]) throws(StoreError) {
    state.withLock { state in
      for pack in packs { state.aside[pack] = state.packs.removeValue(forKey: pack) }
    }
  }

  func flush() throws(StoreError) {}

  private struct Ranges: PackRanges {
    let bytes: [UInt8]
    let storage: MemoryPacks

    func size() throws(Errno) -> UInt64 { UInt64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
      storage.state.withLock { $0.reads += 1 }
      let isFailing = storage.failingRead.withLock { number in
        number -= 1
        return number == 0
      }
      if isFailing { throw .input }
      guard offset < UInt64(bytes.count) else { return 0 }
      let rest = bytes[Int(offset)...].prefix(buffer.count)
      buffer.copyBytes(from: rest)
      return rest.count
    }
  }
}

/// Has no lock. A caller that tries to replace an old version must start over.
final class MemoryRefs: RefsStorage {
  private struct State: Sendable {
    var bytes: [UInt8] = []
    var version: UInt8 = 0
  }

  private let state = Mutex(State())
  /// Called once before the next commit.
  let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  /// The same refs, as a storage of their own.
  func copy() -> MemoryRefs {
    let copy = MemoryRefs()
    let now = state.withLock { $0 }
    copy.state.withLock { $0 = now }
    return copy
  }

  private static func version(_ state: State) -> RefsVersion { RefsVersion([state.version]) }

  func read(ifOtherThan known: RefsVersion?) throws(StoreError) -> StoredRefs? {
    let (bytes, version) = state.withLock { ($0.bytes, MemoryRefs.version($0)) }
    return version == known ? nil : StoredRefs(bytes: bytes, version: version)
  }

  func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion? {
    try beforeCommit()
    let interrupt = interruption.withLock { interruption in
      defer { interruption = nil }
      return interruption
    }
    interrupt?()
    return state.withLock { state in
      if let version, version != MemoryRefs.version(state) { return nil }
      state.bytes = bytes
      state.version &+= 1
      return MemoryRefs.version(state)
    }
  }
}

/// Packs of another storage, of which some cannot be opened.
final class FailingPacks: PackStorage {
  private struct State: Sendable {
    var opens = 0
    var failures = 0
  }

  private let base: MemoryPacks
  private let error: Errno
  /// Whether an opening fails: its number, from 1 on, and the pack.
  private let fails: @Sendable (Int, ObjectID) -> Bool
  private let state = Mutex(State())

  init(_ base: MemoryPacks, _ error: Errno, where fails: @escaping @Sendable (_ number: Int, _ pack: ObjectID) -> Bool)
  {
    self.base = base
    self.error = error
    self.fails = fails
  }

  var failures: Int { state.withLock { $0.failures } }

  func open(_ pack: ObjectID) throws(StoreError) -> PackReader {
    let hasFailed = state.withLock { state in
      state.opens += 1
      if !fails(state.opens, pack) { return false }
      state.failures += 1
      return true
    }
    if hasFailed { throw .system(operation: "open", path: "packs/\(pack.short)….pack", error) }
    return try base.open(pack)
  }

  func modified() -> Timestamp? { base.modified() }
  func list(withSizes: Bool) throws(StoreError) -> [ListedPack] { try base.list(withSizes: withSizes) }
  func size(of pack: ObjectID) throws(StoreError) -> UInt64 { try base.size(of: pack) }
  func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError) {
    try base.put(file, as: pack, isFlushed: isFlushed)
  }
  func remove(_ packs: [ObjectID]) throws(StoreError) { try base.remove(packs) }
  func setAside(_ packs: [ObjectID]) throws(StoreError) { try base.setAside(packs) }
  func flush() throws(StoreError) { try base.flush() }
}
