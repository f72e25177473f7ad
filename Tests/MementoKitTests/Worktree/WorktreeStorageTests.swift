// What memento keeps about the working folder in the store's folder.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct WorktreeStorageTests {
  let shop: RepositoryFixture
  let worktree: WorktreeStorage

  init() throws {
    shop = try RepositoryFixture()
    worktree = shop.repository.worktree
  }

  @Test func aMissingCacheFolderComesBack() throws {
    try shop.storeFolder.remove("cache".bytes)
    try shop.folder.write("file".bytes, "x".bytes)
    _ = try shop.reopened().save(SaveOptions(name: "one"))
    #expect(try shop.storeFolder.folder("cache").names().map { String(decoding: $0, as: UTF8.self) } == ["stat"])
  }

  @Test func aLinkInPlaceOfTheCacheFolderIsNotFollowed() throws {
    try shop.storeFolder.remove("cache".bytes)
    try shop.storeFolder.makeLink("cache".bytes, to: "../../outside".bytes)
    #expect(code { try shop.reopened() } == .damaged)
  }

  @Test func smallFilesAreReplacedAsAWhole() throws {
    let name = "rules".bytes
    for text in ["one", "two"] {
      try worktree.replace(name, with: text.bytes, "rules")
      let found = try worktree.contents(of: name, limit: 100)
      #expect(found == text.bytes)
    }
    #expect(throws: Errno.rangeError) { _ = try worktree.contents(of: name, limit: 2) }
    try worktree.remove(name)
    try worktree.remove(name)
    let none = try worktree.contents(of: name, limit: 100)
    #expect(none == nil)
    #expect(try shop.storeFolder.folder("tmp").names().isEmpty)
  }

  @Test func stagingFoldersAreNamedAndNothingElse() throws {
    for name in ["restore-1", "other"] { try shop.storeFolder.makeFolder("tmp/\(name)".bytes) }
    #expect(try worktree.stagingNames() == ["restore-1"])
  }

  @Test func theStatCacheCanBeDropped() throws {
    try shop.folder.write("file".bytes, "x".bytes)
    try shop.save("one")
    let names = shop.storeFolder.folder("cache")
    #expect(try names.names().count == 1)
    try names.write("stat-0123abcd".bytes, "x".bytes)
    try names.write("status".bytes, "x".bytes)
    worktree.dropStatCaches()
    worktree.dropStatCaches()
    #expect(try names.names() == ["status".bytes])
  }
}
