// Two trees side by side.

import TestSupport
import Testing

@testable import MementoModel

struct TreeDiffTests {
  private let blobs = LooseBlobs()

  /// Each name that differs, as `old > new`.
  private func differences(
    _ diff: TreeDiff<LooseFailure>, _ old: ObjectID?, _ new: ObjectID?
  ) throws -> [String] {
    var folders = [""]
    var found: [String] = []
    try diff.walk(from: old, to: new, label: 0) { (label, before, after) throws(LooseFailure) in
      guard let name = (after ?? before)?.name else { return .pass }
      let path = folders[label] + String(decoding: name, as: UTF8.self)
      found.append("\(before == nil ? "" : path) > \(after == nil ? "" : path)")
      folders.append(path + "/")
      return .enter(folders.count - 1)
    }
    return found
  }

  private var diff: TreeDiff<LooseFailure> { TreeDiff(old: blobs, new: blobs) }

  @Test func namesThatDifferAreMet() throws {
    let old = try blobs.tree([
      .file("a", "1".bytes), .folder("b", blobs.tree([.file("x", "1".bytes), .file("y", "1".bytes)])),
      .file("c", "1".bytes),
    ])
    let new = try blobs.tree([
      .folder("b", blobs.tree([.file("x", "1".bytes), .file("y", "2".bytes)])), .file("c", "1".bytes),
      .file("d", "1".bytes),
    ])
    #expect(try differences(diff, old, new) == ["a > ", "b > b", "b/y > b/y", " > d"])
    #expect(try differences(diff, old, old) == [])
    #expect(try diff.counts(from: old, to: new) == ChangeCounts(added: 1, modified: 1, removed: 1))
    let totals = try diff.totals(from: old, to: new)
    #expect(totals.files == 0 && totals.bytes == 0)
  }

  @Test func equalTreesAreNotRead() throws {
    let missing = ObjectID(hashing: "no tree".bytes)
    let old = try blobs.tree([.file("a", "1".bytes), .folder("b", missing)])
    let new = try blobs.tree([.file("a", "2".bytes), .folder("b", missing)])
    #expect(try differences(diff, old, new) == ["a > a"])
    #expect(blobs.readCounts == [old: 1, new: 1])
  }

  @Test func whatIsNotedIsNotRead() throws {
    let old = ObjectID(hashing: "old".bytes)
    let new = ObjectID(hashing: "new".bytes)
    let noted = NotedDifferences()
    noted.note(TreePair(old: old, new: new), [EntryDifference(old: nil, new: .file("a", "1".bytes))])
    #expect(try differences(TreeDiff(old: blobs, new: blobs, noted: noted), old, new) == [" > a"])
    #expect(blobs.readCounts.isEmpty)
  }

  @Test func aWalkEndsWhenItIsToldTo() throws {
    let entries = (100..<1100).map { TreeEntry.file("\($0 + 1000)", []) }
    let tree = try blobs.tree(entries)
    let cancelled = TreeDiff(old: blobs, new: blobs, isCancelled: { true })
    #expect(throws: LooseFailure.cancelled) { try differences(cancelled, nil, tree) }
    let small = TreeDiff(old: blobs, new: blobs, limit: 999)
    #expect(throws: LooseFailure.damaged(file: "tree", reason: "it has more entries than fit into memory")) {
      try differences(small, nil, tree)
    }
  }

  @Test func onlyWhatLeadsToAPathIsRead() throws {
    let missing = ObjectID(hashing: "no tree".bytes)
    let old = try blobs.tree([.folder("a", blobs.tree([.file("x", "1".bytes)])), .folder("b", missing)])
    let new = try blobs.tree([.folder("a", blobs.tree([.file("x", "22".bytes)]))])
    let comparison = PathComparison(source: blobs, paths: [BytePath("a/x")], isCancelled: { false })
    let changes = try comparison.changes(from: old, to: new, all: true)
    #expect(
      changes == [SizedChange(change: Change(path: BytePath("a/x"), kind: .modified), oldSize: 1, newSize: 2)])
  }
}
