// Tells which steps of the history left some paths as they were. In most steps of a long history nothing changed there, and to
// look a path up is much less work than to compare two trees.

internal import MementoStore
internal import MementoSystem

struct PathProbe: Sendable {
  /// What is known of a step.
  struct Finding: Sendable {
    /// Its record; nil when that cannot be read.
    var record: SnapshotRecord?
    /// Whether something differs at or below the paths. Nil where something cannot be read: whoever compares says what is
    /// wrong.
    var differs: Bool?
  }

  /// So many steps in a row are one task: a state is the newer one of a step and the older one of the next.
  private static let row = 16

  let paths: [BytePath]
  /// The same, without slashes at either end.
  private let names: [[UInt8]]
  private let keys: [TouchedPaths.Key]
  private let store: Store
  private let saved: SavedChanges
  private let isCancelled: @Sendable () -> Bool

  /// `saved`: what is known of the changes of saves.
  init(_ paths: [BytePath], in store: Store, _ saved: SavedChanges, isCancelled: @escaping @Sendable () -> Bool) {
    self.paths = paths
    names = paths.map { Array($0.components.joined(separator: [UInt8(ascii: "/")])) }
    keys = names.map { TouchedPaths.Key($0) }
    self.store = store
    self.saved = saved
    self.isCancelled = isCancelled
  }

  /// Looks at steps, the newest first, on all cores. Of most saves it is noted which paths they changed. Of others, the record
  /// mostly says that they left the paths alone; of the rest it looks the paths up in the trees before and after, at once,
  /// since these lie in the same block as the record. Throws when cancelled.
  func look(at steps: [HistoryStep]) throws(StoreError) -> [Finding] {
    let found = ParallelRows.map(steps.count, rowsOf: PathProbe.row) { numbers in
      let row = ProbedRow(self)
      return numbers.map { isCancelled() ? Finding() : row.look(at: steps[$0]) }
    }
    if isCancelled() { throw .cancelled }
    return found
  }

  /// What one task knows of the states it has looked at last.
  private final class ProbedRow {
    /// A step needs the states before and after it.
    private static let most = 2

    private let probe: PathProbe
    private var records: [StoredSnapshot] = []
    private var entries: [(tree: ObjectID, entries: [TreeEntry?])] = []

    init(_ probe: PathProbe) {
      self.probe = probe
    }

    func look(at step: HistoryStep) -> Finding {
      var finding = Finding()
      do throws(StoreError) {
        finding.differs = try noted(step)
        if finding.differs == false { return finding }
        let record = try record(step.snapshot)
        finding.record = record
        if finding.differs == nil { finding.differs = try differs(step, record) }
      } catch {
        return finding
      }
      return finding
    }

    /// Whether the paths are among those that the step changed, if these are noted.
    private func noted(_ step: HistoryStep) throws(StoreError) -> Bool? {
      // gc may have removed what was before. Then all that is there counts as new.
      guard let parent = probe.saved.parent(of: step.snapshot), step.before == nil || step.before == parent,
        try probe.store.index.contains(parent)
      else { return nil }
      return probe.saved.differs(step.snapshot, at: probe.names)
    }

    private func differs(_ step: HistoryStep, _ record: SnapshotRecord) throws(StoreError) -> Bool {
      let before = step.before ?? record.parent
      // gc may have removed what was before. Then all that is there counts as new.
      let earlier = try before.flatMap { (id) throws(StoreError) in try probe.store.index.contains(id) ? id : nil }
      // What a record says is about its parent.
      if earlier != nil, earlier == record.parent, let touched = record.touched,
        !probe.keys.contains(where: touched.mayHave)
      {
        return false
      }
      let old = try earlier.flatMap { (id) throws(StoreError) in try self.record(id).tree }
      if old == record.tree { return false }
      for (after, before) in zip(try entries(in: record.tree), try entries(in: old)) where before != after {
        if try isChange(before, after) { return true }
      }
      return false
    }

    private func record(_ id: ObjectID) throws(StoreError) -> SnapshotRecord {
      if let known = records.first(where: { $0.id == id }) { return known.record }
      let record = try SnapshotRecord.read(id, from: probe.store)
      if records.count == ProbedRow.most { records.removeFirst() }
      records.append(StoredSnapshot(id, record))
      return record
    }

    /// The entries of the paths in a tree; a nil tree has none.
    private func entries(in tree: ObjectID?) throws(StoreError) -> [TreeEntry?] {
      guard let tree else { return probe.paths.map { _ in nil } }
      if let known = entries.first(where: { $0.tree == tree }) { return known.entries }
      let found = try probe.paths.map { (path) throws(StoreError) in try TreePath.entry(path, in: tree, probe.store) }
      if entries.count == ProbedRow.most { entries.removeFirst() }
      entries.append((tree, found))
      return found
    }

    /// Whether a comparison has a change at the path of two entries, or below it: of a folder, what is in it counts, and not
    /// its own times.
    private func isChange(_ before: TreeEntry?, _ after: TreeEntry?) throws(StoreError) -> Bool {
      if ChangeKind(before, after) != nil { return true }
      var isFound = false
      try TreeDiff(old: probe.store, new: probe.store, isCancelled: probe.isCancelled).walk(
        from: before?.tree, to: after?.tree, label: 0
      ) { (_, before, after) throws(StoreError) -> TreeStep in
        isFound = ChangeKind(before, after) != nil
        return isFound ? .stop : .enter(0)
      }
      return isFound
    }
  }
}
