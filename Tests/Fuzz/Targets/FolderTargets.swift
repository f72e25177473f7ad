// What a store keeps about its folder: the stat cache, rules, staging lists, the keys of the config.

import MementoSystem
import TestSupport

@testable import MementoKit
@testable import MementoModel
@testable import MementoStore

extension FuzzTarget {
  static let folderTargets = [
    FuzzTarget(making: "cache", cache), FuzzTarget("rules", runRules), FuzzTarget(making: "staging", staging),
    FuzzTarget("folder-config", runFolderConfig),
  ]

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
