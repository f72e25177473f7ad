// The differences that a walk notes must equal those that a comparison of the trees finds.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// A source that fails every read.
private struct NoSource: BlobSource {
  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    throw .damaged(file: "tree", reason: "it was read")
  }
}

struct NotedDifferencesTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for number in 0..<60 { try shop.write("a\(number % 7)/b\(number % 3)/file \(number)") }
  }

  private func differences(_ diff: TreeDiff<StoreError>, _ old: ObjectID?, _ new: ObjectID) throws -> [String] {
    var folders = [""]
    var found: [String] = []
    try diff.walk(from: old, to: new, label: 0) { (label, before, after) throws(StoreError) in
      guard let name = before?.name ?? after?.name else { return .pass }
      let path = folders[label] + String(decoding: name, as: UTF8.self)
      found.append("\(path): \(String(describing: before)) -> \(String(describing: after))")
      folders.append(path + "/")
      return .enter(folders.count - 1)
    }
    return found
  }

  private func walked() throws -> (walk: FolderWalk, tree: ObjectID) {
    let walk = try FolderWalk(try shop.reopened(), monitor: SilentMonitor(), storing: false)
    return (walk, try walk.run().tree)
  }

  @Test func noTreeIsReadForAChangeSinceTheLastSave() throws {
    try shop.save("before")
    try shop.folder.write("a1/b1/file 1".bytes, "changed".bytes)
    try shop.write("a2/new")
    try shop.folder.remove("a3/b0/file 3".bytes)
    let (walk, now) = try walked()
    let old = try shop.tree("before")
    let noted = try differences(
      TreeDiff(old: NoSource(), new: NoSource(), noted: walk.diff.noted, monitor: SilentMonitor()), old, now)
    #expect(
      noted
        == (try differences(TreeDiff(old: shop.repository.store, new: walk.source, monitor: SilentMonitor()), old, now))
    )
    #expect(noted.count == 8, "three names, and the five folders they lie in: \(noted)")
  }

  @Test func whatIsNotedIsWhatTheTreesSay() throws {
    var random = SplitMix64(seed: 17)
    try shop.save("0")
    for round in 1...40 {
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let number = Int.random(in: 0..<60, using: &random)
        let path = "a\(number % 7)/b\(number % 3)/file \(number)"
        try? shop.folder.remove(path.bytes)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try? shop.folder.write(path.bytes, "round \(round)".bytes)
        case 1: try shop.folder.makeLink(path.bytes, to: "x".bytes)
        case 2:
          try shop.folder.makeFolder(path.bytes)
          try shop.folder.write((path + "/inner").bytes, [])
        case 3: try shop.folder.write(path.bytes, path.bytes, mode: 0o600)
        default: break
        }
      }
      // Sometimes the cache belongs to another snapshot than the compared one.
      let old = try shop.tree("\(Int.random(in: max(0, round - 3)..<round, using: &random))")
      let (walk, now) = try walked()
      #expect(
        try differences(walk.diff, old, now)
          == differences(TreeDiff(old: shop.repository.store, new: walk.source, monitor: SilentMonitor()), old, now))
      try shop.save("\(round)")
    }
  }

  /// The cache avoids most reads. Without it, every file is read.
  @Test func statusIsTheSameWithoutTheCache() throws {
    var random = SplitMix64(seed: 23)
    Clock.sleep(seconds: 0.02)
    try shop.save("0")
    for round in 1...25 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let number = Int.random(in: 0..<60, using: &random)
        let path = "a\(number % 7)/b\(number % 3)/file \(number)"
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try? shop.folder.write(path.bytes, [])
        case 1: try? shop.folder.write(path.bytes, Content.random(path.count, seed: UInt64(round)))
        case 2: try? shop.folder.write(path.bytes, "round \(round)".bytes)
        case 3: try? shop.folder.remove(path.bytes)
        case 4: try? shop.folder.write((path + " new").bytes, "new".bytes)
        case 5: try? shop.folder.rename("a1".bytes, to: "a0/was a1".bytes)
        case 6: try? shop.folder.rename("a0/was a1".bytes, to: "a1".bytes)
        default: try shop.write(path)
        }
      }
      let changes = try shop.reopened().status().changes
      let cache = try shop.storeFolder.read("cache/stat".bytes)
      try shop.storeFolder.remove("cache/stat".bytes)
      #expect(try shop.reopened().status().changes == changes)
      try shop.storeFolder.write("cache/stat".bytes, cache)
      if round % 3 == 0 { try shop.save() }
      // Sometimes the cache does not belong to the position.
      if round % 7 == 0 {
        _ = try shop.reopened().undo()
        #expect(try shop.reopened().status().changes.isEmpty)
      }
    }
  }
}
