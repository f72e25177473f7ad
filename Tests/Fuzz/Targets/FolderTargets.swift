// What a store keeps about its folder: the stat cache, rules, staging lists, the keys of the config, the mark of gc.

import MementoSystem
import TestSupport

@testable import MementoKit
@testable import MementoModel
@testable import MementoStore

extension FuzzTarget {
  static let folderTargets = [
    FuzzTarget(making: "cache", cache), FuzzTarget("rules", runRules), FuzzTarget(making: "staging", staging),
    FuzzTarget("folder-config", runFolderConfig), FuzzTarget("mark", runMark),
    FuzzTarget("changes", runChanges),
  ]

  /// Entries as they are, and the input as the paths of one with a right checksum.
  private static let runChanges: @Sendable ([UInt8]) -> Void = { input in
    guard input.count < SavedChanges.largestEntry - 2 * ObjectID.size else { return }
    let id = ObjectID(hashing: input)
    guard let empty = SavedChanges.entry(id, since: id, []) else { fatalError("an entry without paths is too long") }
    var entry = ByteWriter()
    entry.append(empty.prefix(8))
    let rest = empty.suffix(2 * ObjectID.size) + input
    entry.u32(UInt32(rest.count))
    entry.u32(crc32(rest))
    entry.append(rest)
    for bytes in [
      SavedChanges.magic + input, SavedChanges.magic + entry.bytes, SavedChanges.magic + input + entry.bytes,
    ] {
      let changes = SavedChanges(bytes)
      _ = changes.differs(id, at: [[0x61], Array(input.prefix(3))])
      let kept = SavedChanges(SavedChanges.content(of: bytes, most: .max) { _ in true })
      promise(kept.parent(of: id) == changes.parent(of: id), "an entry that is kept otherwise")
    }
    promise(SavedChanges(SavedChanges.magic + entry.bytes).parent(of: id) == id, "an entry that is not found")
  }

  /// A cache with a right header. The input is one record, which is its own parent and child.
  private static let cache: @Sendable () throws -> ([UInt8]) -> Void = {
    let directory = try TemporaryDirectory()
    let repository = try Repository.create(folder: BytePath(directory.path))
    return { runCache($0, directory, repository) }
  }

  private static func runCache(_ input: [UInt8], _ directory: TemporaryDirectory, _ repository: Repository) {
    guard input.count < 1 << 16 else { return }
    let identity = FileIdentity(device: 1, inode: 2)
    var out = ByteWriter()
    out.append(StatCache.magic)
    out.u64(identity.device)
    out.u64(identity.inode)
    out.u64(0)
    out.u32(0)
    out.u32(0)
    out.id(StatCache.bootID())
    out.u64(UInt64(StatCache.headerSize))
    out.u64(UInt64(StatCache.headerSize + 8 + input.count))
    out.u32(crc32(out.bytes))
    out.u32(UInt32(input.count))
    out.u32(crc32(input))
    out.append(input)
    out.u32(crc32([UInt8]()))
    put(out.bytes, directory, ".memento/cache/stat")
    guard let cache = StatCache(repository.worktree, of: identity, presentPacks: []) else {
      fatalError("a cache that is not opened")
    }
    _ = cache.directory(identified: FileIdentity(device: 3, inode: 4))
    guard let directory = cache.directory(at: cache.root) else { return }
    var cursor = CachedDirectory.Cursor(directory)
    var count = 0
    while let entry = cursor.current {
      promise(entry.encoded.upperBound <= directory.bytes.count, "an entry outside of its record")
      count += 1
      cursor.advance()
    }
    promise(count <= directory.bytes.count, "more entries than bytes")
    _ = directory.inode(of: [1])
  }

  private static let runRules: @Sendable ([UInt8]) -> Void = { input in
    _ = PersistedRules.decode(input)
    guard let sets = PersistedRules.decode(Array("memento rules 1\n".utf8) + input) else { return }
    let encoded = PersistedRules.encode(sets)
    guard let again = PersistedRules.decode(encoded) else { fatalError("rules that are written and cannot be read") }
    promise(PersistedRules.encode(again) == encoded, "rules that are encoded otherwise")
  }

  /// One piece with a right checksum.
  private static let staging: @Sendable () throws -> ([UInt8]) -> Void = {
    let directory = try TemporaryDirectory()
    return { runStaging($0, directory) }
  }

  private static func runStaging(_ input: [UInt8], _ directory: TemporaryDirectory) {
    guard input.count < 1 << 16 else { return }
    var out = ByteWriter()
    out.append(Array("memento staging 1\n".utf8))
    out.u32(UInt32(input.count))
    out.u32(crc32(input))
    out.append(input)
    out.u32(0)
    out.u32(0)
    put(out.bytes, directory, "list")
    do throws(Errno) {
      _ = try StagingList.read(from: directory.descriptor)
    } catch {
      promise(error == .badMessage, "a list that cannot be read: \(error)")
    }
  }

  /// A collection in pieces, with right checksums. The input is the phase and all numbers, and what follows them.
  private static let runMark: @Sendable ([UInt8]) -> Void = { input in
    _ = SpreadCollection(input)
    let numbers = SpreadCollection.headerSize - SpreadCollection.magic.count - 8 - 4
    guard input.count >= numbers, input.count < 1 << 16 else { return }
    var out = ByteWriter()
    out.append(SpreadCollection.magic)
    out.append(input[..<numbers])
    out.u64(0)
    out.u32(crc32(out.bytes))
    let header = SpreadCollection.header(out.bytes)
    out.append(input[numbers...])
    out.id(ObjectID(hashing: out.bytes))
    guard var found = SpreadCollection(out.bytes) else { return }
    promise(found.header == header, "two headers of one file")
    promise(found.encoded() == out.bytes, "a collection that comes back otherwise")
    // What is marked later lies beside what was marked before.
    for id in found.todo + found.packs {
      let isNew = !found.whole.contains(id)
      let count = found.whole.count
      let isInserted = found.whole.insert(id, VersionPlace(.none, 0))
      promise(isInserted == isNew && found.whole.contains(id), "an id that is marked and is not")
      promise(found.whole.count == count + (isNew ? 1 : 0), "ids that are miscounted")
    }
    let encoded = found.encoded()
    promise(SpreadCollection(encoded)?.encoded() == encoded, "a collection that is written and cannot be read")
  }

  private static let runFolderConfig: @Sendable ([UInt8]) -> Void = { input in
    guard let config = try? Config(Array("format = 1\n".utf8) + input) else { return }
    _ = FolderConfig(config)
  }

  private static func put(_ bytes: [UInt8], _ directory: TemporaryDirectory, _ path: String) {
    do {
      try directory.write(path, bytes)
    } catch {
      fatalError("cannot write \(path): \(error)")
    }
  }
}
