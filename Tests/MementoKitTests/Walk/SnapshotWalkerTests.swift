// A walk tells of each object once, and of everything that it could not read.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// Puts down what it is told.
private struct Recorder: SnapshotVisitor {
  var snapshots: [ObjectID] = []
  var entries: [ObjectID: [[UInt8]]] = [:]
  var trees: [ObjectID] = []
  var lists: [ObjectID] = []
  var chunks: [ObjectID] = []
  var faults: [SnapshotFault] = []
  var hurt: [ObjectID: TreeDamage] = [:]
  /// Chunks that no pack holds.
  var missing: Set<ObjectID> = []
  var stopsAtFaults = false
  var stopsAtTrees = false

  var all: [ObjectID] { snapshots + trees + lists + chunks }

  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    missing.contains(chunk) ? .missing : .there
  }

  mutating func visit(snapshot id: ObjectID, _ record: SnapshotRecord) { snapshots.append(id) }
  mutating func visit(_ entry: TreeEntry, in tree: ObjectID) { entries[tree, default: []].append(entry.name) }
  mutating func visit(tree id: ObjectID, level: UInt8) throws(StoreError) {
    if stopsAtTrees { throw .system(operation: "send", path: "elsewhere", .noSpace) }
    trees.append(id)
  }
  mutating func visit(list id: ObjectID, level: UInt8) { lists.append(id) }
  mutating func visit(chunk id: ObjectID, length: UInt64) { chunks.append(id) }
  mutating func meet(_ fault: SnapshotFault) throws(StoreError) {
    faults.append(fault)
    if stopsAtFaults { throw fault.error }
  }
  mutating func visit(hurtTree id: ObjectID, _ damage: TreeDamage) { hurt[id] = damage }
}

private final class Cancelled: Monitor {
  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}
  var isCancelled: Bool { true }
}

struct SnapshotWalkerTests {
  private let shop: RepositoryFixture
  private let store: Store

  init() throws {
    shop = try RepositoryFixture()
    store = shop.repository.store
  }

  private func walker(_ visitor: Recorder = Recorder()) -> SnapshotWalker<Recorder> {
    SnapshotWalker(store, monitor: SilentMonitor(), visitor: visitor)
  }

  private func id(_ revision: Revision) throws -> ObjectID { try shop.repository.snapshot(revision).id.object }

  /// Two snapshots that share most of what they have, links, a large file, a large folder, and a value.
  private func fill() throws -> [ObjectID] {
    try shop.write("a/b/c/file", "a/other", "top")
    try shop.folder.write("a/large".bytes, Content.random(300_000, seed: 1))
    try shop.folder.write("again".bytes, Content.random(300_000, seed: 1))
    try shop.folder.makeFolder("many".bytes)
    for number in 0..<1000 { try shop.folder.write("many/\(number)".bytes, "\(number % 7)".bytes) }
    try shop.folder.makeHardLink("linked".bytes, to: "top".bytes)
    try shop.save("one")
    try shop.write("a/b/c/more")
    try shop.save("two")
    try shop.repository.saveValues([NamedValue(name: "value", bytes: Content.random(200_000, seed: 2))])
    return [try id("one"), try id("two"), try id("value")]
  }

  @Test func everyObjectIsVisitedOnce() throws {
    let roots = try fill()
    var walker = walker()
    for root in roots + roots { #expect(try walker.walk(root).isWhole) }
    let found = walker.visitor
    #expect(Set(found.snapshots) == Set(roots) && found.snapshots.count == roots.count)
    for kind in [found.trees, found.lists, found.chunks] {
      #expect(!kind.isEmpty && Set(kind).count == kind.count)
    }
    #expect(found.entries.values.allSatisfy { Set($0).count == $0.count })
    #expect(found.faults.isEmpty && found.hurt.isEmpty)
    // All that is stored, and nothing else.
    var stored: Set<ObjectID> = []
    for pack in try store.index.presentPacks() {
      stored.formUnion(try store.index.contents(of: pack).contents.blobs.map(\.id))
    }
    #expect(Set(found.all) == stored)
    #expect(walker.blobs.count == stored.count && stored.allSatisfy { walker.blobs.contains($0) })
  }

  @Test func whatCannotBeReadIsSaid() throws {
    _ = try fill()
    let lost = ObjectID(hashing: "lost".bytes)
    // A record, a tree, a list and a chunk that are nowhere.
    var records = walker()
    #expect(try !records.walk(lost).isWhole)
    #expect(records.visitor.faults.count == 1 && records.visitor.snapshots.isEmpty)
    let good = TreeEntry.file("good", "good".bytes)
    try shop.plant(data: ["good".bytes])
    let inner = try shop.plant(meta: [RepositoryFixture.tree([TreeEntry.folder("gone", lost).encoded, good.encoded])])[
      0]
    let outer = try shop.plant(meta: [RepositoryFixture.tree([TreeEntry.folder("inner", inner).encoded])])[0]
    try shop.plant(tree: outer, as: "trees")
    var trees = walker()
    let findings = try trees.walk(try id("trees"))
    #expect(findings.hurtTree == outer && findings.faults.isEmpty && !findings.isWhole)
    #expect(trees.visitor.faults.count == 1)
    #expect(Set(trees.visitor.hurt.keys) == [lost, inner, outer])
    #expect(trees.visitor.hurt[inner]?.below.map(\.tree) == [lost])
    // The rest was walked all the same.
    #expect(trees.visitor.chunks == [ObjectID(hashing: "good".bytes)])
    var chunks = walker(Recorder(missing: [ObjectID(hashing: "good".bytes)]))
    #expect(try chunks.walk(try id("trees")).hurtTree == outer)
    #expect(chunks.visitor.faults.count == 2 && chunks.visitor.chunks.isEmpty)
    #expect(
      chunks.visitor.hurt[inner]?.here.map(\.message) == ["chunk \(ObjectID(hashing: "good".bytes).short) is missing"])
    #expect(!chunks.blobs.contains(ObjectID(hashing: "good".bytes)))
  }

  @Test func aVisitorCanEndTheWalk() throws {
    let roots = try fill()
    let missing = try #require(walkedChunks(roots).first)
    var stopping = walker(Recorder(missing: [missing], stopsAtFaults: true))
    #expect(outcome { for root in roots { _ = try stopping.walk(root) } } == .damaged)
    // What the visitor throws is no fault of the tree.
    var failing = walker(Recorder(stopsAtTrees: true))
    #expect(outcome { _ = try failing.walk(roots[0]) } == .other)
    #expect(failing.visitor.faults.isEmpty)
  }

  private func walkedChunks(_ roots: [ObjectID]) throws -> [ObjectID] {
    var walker = walker()
    for root in roots { _ = try walker.walk(root) }
    return walker.visitor.chunks
  }

  private enum End { case done, damaged, cancelled, other }

  private func outcome(_ body: () throws -> Void) -> End {
    do {
      try body()
      return .done
    } catch let error as StoreError {
      if case .cancelled = error { return .cancelled }
      return error.isDamage ? .damaged : .other
    } catch {
      return .other
    }
  }

  @Test func itHearsThatItIsCancelled() throws {
    let roots = try fill()
    var walker = SnapshotWalker(store, monitor: Cancelled(), visitor: Recorder())
    #expect(outcome { _ = try walker.walk(roots[0]) } == .cancelled)
    #expect(walker.visitor.faults.isEmpty)
  }

  /// Folders in folders: no function calls itself for each of them.
  @Test func depthIsNoLimit() throws {
    var blobs = [RepositoryFixture.tree([])]
    for _ in 0..<5_000 {
      blobs.append(RepositoryFixture.tree([TreeEntry.folder("a", ObjectID(hashing: blobs[blobs.count - 1])).encoded]))
    }
    let tree = try #require(try shop.plant(meta: blobs).last)
    try shop.plant(tree: tree, as: "deep")
    var walker = walker()
    #expect(try walker.walk(try id("deep")).isWhole)
    #expect(walker.visitor.trees.count == 5_001)
  }
}
