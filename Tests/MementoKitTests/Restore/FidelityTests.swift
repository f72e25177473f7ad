// Save, change, restore: every kind of file is restored exactly, in place and into a new folder.

import TestSupport
import Testing

@testable import MementoKit

struct FidelityTests {
  /// The changes of a folder between a save and a restore.
  private func ruins(_ shop: RepositoryFixture) -> [(FolderTools) throws -> Void] {
    [
      { try $0.empty() },
      { folder in
        for name in try folder.names() where name != ".memento".bytes {
          try folder.remove(name)
          try folder.write(name, "something else".bytes)
        }
      },
      { folder in
        for name in try folder.names() where name != ".memento".bytes {
          try folder.remove(name)
          try folder.makeFolder(name)
          try folder.write(name + "/inner".bytes, [])
        }
      },
      { folder in
        for name in try folder.names() where name != ".memento".bytes {
          try folder.remove(name)
          try folder.makeLink(name, to: shop.outside.path)
        }
      },
    ]
  }

  @Test(arguments: FidelitySample.all)
  func comesBackExactly(_ sample: FidelitySample) throws {
    if sample.needsRoot, !isSuperuser { return print("skipped: \(sample) can only be made by root") }
    let shop = try RepositoryFixture()
    do {
      try sample.make(shop.folder)
    } catch let failure as ToolFailure {
      return print("skipped: \(sample): \(failure)")
    }
    let before = try shop.state
    let canary = try Manifest(shop.outside)
    let saved = try shop.save("a")
    #expect(saved.snapshot.isComplete)
    #expect(saved.problems == [])
    #expect(try shop.state.differences(from: before) == [])
    let (copy, extracted) = try shop.extract("a", to: "copy")
    #expect(extracted.problems == [])
    #expect(try Manifest(copy).differences(from: before) == [])
    for ruin in ruins(shop) {
      try ruin(shop.folder)
      let restored = try shop.restore("a")
      #expect(restored.problems == [])
      #expect(try shop.state.differences(from: before) == [])
    }
    #expect(try Manifest(shop.outside).differences(from: canary) == [])
    // Nothing differs now, so the restore changes nothing.
    let settled = try shop.state
    let again = try shop.restore("a")
    #expect([again.created, again.replaced, again.removed, again.metadata] == [0, 0, 0, 0])
    #expect(try shop.state.touched(since: settled) == [])
    // A snapshot of the copy has the same tree.
    let other = try Repository.create(folder: BytePath(copy.path), options: RepositoryFixture.quick)
    _ = try other.save(SaveOptions(name: "copy"))
    let record = try SnapshotRecord.read(other.snapshot("copy").id.object, from: other.store)
    #expect(record.tree == (try shop.tree("a")))
    #expect(try shop.repository.verify(readData: true).damage == [])
  }
}
