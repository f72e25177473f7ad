// Checks the store: every snapshot, tree and list, that every chunk is there, and if asked that every byte is right. Says
// which states and paths are hurt. Changes nothing.

internal import MementoStore
internal import MementoSystem

struct Verification {
  let repository: Repository
  let monitor: any Monitor

  private var store: Store { repository.store }

  /// Waits for nobody who finds the store whole. While somebody restores or collects garbage it is looked at without the
  /// lock; what is hurt then counts only if it still is when they have ended.
  func run(readData: Bool) throws(RepositoryError) -> VerifyReport {
    if let lock = try repository.lockForReadingNow() {
      let report = try check(readData: readData)
      _ = consume lock
      return report
    }
    if let report = try? check(readData: readData), report.damage.isEmpty { return report }
    if monitor.isCancelled { throw .cancelled }
    let lock = try repository.lockForReading()
    let report = try check(readData: readData)
    _ = consume lock
    return report
  }

  private func check(readData: Bool) throws(RepositoryError) -> VerifyReport {
    let refs = try repository.readRefs()
    monitor.begin(.verifying)
    var report = VerifyReport(packs: 0, blobs: 0, snapshots: 0, bytesRead: 0, damage: [])
    store.index.reconcile(again: true)
    for problem in store.index.problems { report.damage.append(damage(problem)) }
    var bad = Set<ObjectID>()
    for id in store.index.presentPacks().sorted() {
      report.packs += 1
      let pack: PackContents
      do throws(StoreError) {
        pack = try store.index.contents(of: id)
      } catch {
        // What lies in it may still be found by the index; the pack alone does not say any more what it holds.
        let found = damage(error)
        if !report.damage.contains(found) { report.damage.append(found) }
        continue
      }
      report.blobs += pack.contents.blobs.count
      if readData { try read(pack, into: &report, &bad) }
    }
    var names: [ObjectID: [String]] = [:]
    for state in refs.states { names[state.snapshot, default: []].append(state.name) }
    var walker = SnapshotCheck(store: store, bad: bad)
    for root in refs.roots.sorted() {
      if monitor.isCancelled { throw .cancelled }
      report.snapshots += 1
      for finding in walker.check(root) {
        let states = names[root] ?? ["snapshot \(root.short)"]
        report.damage.append(VerifyReport.Damage(message: finding.message, states: states, path: finding.path))
      }
    }
    return report
  }

  /// Reads every blob of a pack and compares it with its id.
  private func read(
    _ pack: PackContents, into report: inout VerifyReport, _ bad: inout Set<ObjectID>
  ) throws(RepositoryError) {
    var reader = store.blobReader()
    for (id, place) in store.index.placements(of: pack) {
      if monitor.isCancelled { throw .cancelled }
      do throws(StoreError) {
        _ = try reader.withBlob(id, at: place) { (bytes) in bytes.count }
        report.bytesRead += UInt64(place.length)
        monitor.advance(files: 0, bytes: UInt64(place.length))
      } catch {
        // Another pack may hold it whole.
        if (try? reader.read(id)) == nil { bad.insert(id) }
        report.damage.append(damage(error))
      }
    }
    monitor.advance(files: 1, bytes: 0)
  }

  private func damage(_ error: StoreError) -> VerifyReport.Damage {
    VerifyReport.Damage(message: RepositoryError(error).message, states: [], path: nil)
  }
}

/// Walks one snapshot after the other; what was found whole is not looked at twice.
private struct SnapshotCheck {
  private let store: Store
  private let bad: Set<ObjectID>
  /// Chunks and lists.
  private var good = BlobSet()
  /// Trees that are whole with all that is below them.
  private var goodTrees = BlobSet()

  init(store: Store, bad: Set<ObjectID>) {
    self.store = store
    self.bad = bad
  }

  /// What is hurt in a snapshot, by path.
  mutating func check(_ id: ObjectID) -> [(path: BytePath?, message: String)] {
    let record: SnapshotRecord
    do throws(StoreError) {
      record = try SnapshotRecord.read(id, from: store)
    } catch {
      return [(nil, RepositoryError(error).message)]
    }
    var findings: [(path: BytePath?, message: String)] = []
    for list in [record.links, record.unrecorded] {
      if let list, let message = check(list.content, size: list.size) { findings.append((nil, message)) }
    }
    switch record.body {
    case .value(let value):
      if let message = check(value.content, size: value.size) { findings.append((nil, message)) }
    case .tree(let tree, _):
      findings += check(tree: tree)
    }
    return findings
  }

  private mutating func check(tree root: ObjectID) -> [(path: BytePath?, message: String)] {
    var findings: [(path: BytePath?, message: String)] = []
    // `before`: how many findings there were when a tree was entered; set for one that has been, with all below it.
    var pending: [(path: BytePath, tree: ObjectID, before: Int?)] = [(BytePath(""), root, nil)]
    var visited: Set<ObjectID> = []
    while let (path, tree, before) = pending.popLast() {
      if let before {
        if findings.count == before, !bad.contains(tree) { _ = goodTrees.insert(tree) }
        continue
      }
      if goodTrees.contains(tree) || !visited.insert(tree).inserted { continue }
      pending.append((path, tree, findings.count))
      var reader = TreeReader(tree, in: store)
      do throws(StoreError) {
        while let entry = try reader.next() {
          switch entry.content {
          case .directory(let below):
            pending.append((path.appending(entry.name), below, nil))
          case .file(let size, let content):
            if let message = check(content, size: size) { findings.append((path.appending(entry.name), message)) }
          default: break
          }
        }
      } catch {
        findings.append((path.bytes.isEmpty ? nil : path, RepositoryError(error).message))
      }
    }
    return findings
  }

  private mutating func check(_ content: FileContent, size: UInt64) -> String? {
    if content.level == 0 || good.contains(content.id) { return nil }
    var reader = ChunkListReader(content, size: size, in: store)
    do throws(StoreError) {
      while let piece = try reader.next() {
        guard let id = piece.id, !good.contains(id) else { continue }
        if bad.contains(id) { return "chunk \(id.short) is damaged" }
        guard let place = store.index.place(of: id) else { return "chunk \(id.short) is missing" }
        guard UInt64(place.length) == piece.length else { return "chunk \(id.short) has the wrong length" }
        _ = good.insert(id)
      }
    } catch {
      return RepositoryError(error).message
    }
    _ = good.insert(content.id)
    return nil
  }
}
