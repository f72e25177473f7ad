// Follows snapshots down to their chunks, and says by path what of them is hurt.

internal import MementoStore

/// Walks one snapshot after the other; what was found whole is not looked at twice.
struct SnapshotCheck {
  /// What is hurt, and where.
  struct Finding: Hashable {
    /// The file or folder; nil when it is not one of these.
    var path: BytePath?
    var message: String
  }

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
  mutating func check(_ id: ObjectID) -> [Finding] {
    let record: SnapshotRecord
    do throws(StoreError) {
      record = try SnapshotRecord.read(id, from: store)
    } catch {
      return [Finding(message: RepositoryError(error).message)]
    }
    var findings: [Finding] = []
    for list in [record.links, record.unrecorded] {
      if let list, let message = check(list.content, size: list.size) { findings.append(Finding(message: message)) }
    }
    switch record.body {
    case .value(let value):
      if let message = check(value.content, size: value.size) { findings.append(Finding(message: message)) }
    case .tree(let tree, _):
      findings += check(tree: tree)
    }
    return findings
  }

  private mutating func check(tree root: ObjectID) -> [Finding] {
    var findings: [Finding] = []
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
            if let message = check(content, size: size) {
              findings.append(Finding(path: path.appending(entry.name), message: message))
            }
          default: break
          }
        }
      } catch {
        findings.append(Finding(path: path.bytes.isEmpty ? nil : path, message: RepositoryError(error).message))
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
