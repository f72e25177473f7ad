// The states between a good and a bad one, in the order of the history.

internal import MementoStore

/// What a bisection searches.
public struct BisectRange: Sendable {
  /// In which order the states came.
  public struct Order: Hashable, Sendable, CustomStringConvertible {
    private enum Word: String {
      case parents
      case time
    }

    private let word: Word

    /// The order as a word.
    public var description: String { word.rawValue }

    /// Each state was made from the one before it: GOOD is a parent of BAD, or a parent of a parent and so on.
    public static let parents = Order(word: .parents)
    /// All states of the folder that are known, by the time at which they were made.
    public static let time = Order(word: .time)
  }

  /// The order of the states.
  public let order: Order
  /// From the good to the bad one. Of equal states in a row only the first is listed.
  public let states: [LogEntry]
  /// How many equal ones are left out.
  public let equal: Int
  private let contents: [Int]

  fileprivate init(_ order: Order, _ states: [LogEntry], equal: Int, contents: [Int]) {
    self.order = order
    self.states = states
    self.equal = equal
    self.contents = contents
  }

  /// A search in it.
  public var search: BisectSearch { BisectSearch(contents: contents) }
}

struct BisectRangeReader {
  private struct Content: Hashable {
    let tree: ObjectID
    let links: ObjectID?

    init?(_ record: SnapshotRecord) {
      guard let tree = record.tree else { return nil }
      self.tree = tree
      links = record.links?.content.id
    }
  }

  let repository: Repository

  func run(from good: Revision, to bad: Revision) throws(RepositoryError) -> BisectRange {
    let refs = try repository.readRefs()
    let resolver = RevisionResolver(repository, refs)
    let ends = (try folder(good, resolver), try folder(bad, resolver))
    if Content(ends.0.record) == Content(ends.1.record) {
      throw RepositoryError(
        .invalidArgument, "\"\(good)\" and \"\(bad)\" are the same: nothing changed between them", reason: .equalEnds,
        revision: bad)
    }
    if let line = try parents(of: ends.1, upTo: ends.0) { return range(.parents, line, refs) }
    guard ends.0.record.time < ends.1.record.time else {
      throw RepositoryError(
        .invalidArgument, "\"\(good)\" is not older than \"\(bad)\"", reason: .reversedEnds, revision: good)
    }
    return range(.time, try between(ends.0, ends.1), refs)
  }

  private func folder(_ revision: Revision, _ resolver: RevisionResolver) throws(RepositoryError) -> StoredSnapshot {
    let found = try resolver.resolve(revision)
    if found.record.tree != nil { return found }
    throw RepositoryError(
      .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueNeedsNoFolder, revision: revision)
  }

  /// The snapshots from `first` to `last`, each the parent of the next; nil when `first` is no ancestor of `last`.
  private func parents(
    of last: StoredSnapshot, upTo first: StoredSnapshot
  ) throws(RepositoryError) -> [StoredSnapshot]? {
    var line = [last]
    var next = last.record.parent
    while let id = next {
      if id == first.id { return [first] + line.reversed() }
      guard try repository.isStored(id), let parent = try repository.record(of: id) else { return nil }
      line.append(parent)
      next = parent.record.parent
    }
    return nil
  }

  /// All folders that were made between two snapshots, with these.
  private func between(
    _ first: StoredSnapshot, _ last: StoredSnapshot
  ) throws(RepositoryError) -> [StoredSnapshot] {
    var found: [StoredSnapshot] = []
    for state in try KnownStates(repository: repository).all(isUnique: true) {
      let id = state.snapshot.id.object
      guard id != first.id, id != last.id, let stored = try repository.record(of: id), stored.record.tree != nil,
        stored.record.time >= first.record.time, stored.record.time <= last.record.time
      else { continue }
      found.append(stored)
    }
    // The list is from the newest to the oldest one; what was made at the same time stays in its order.
    found = Array(found.reversed()).enumerated()
      .sorted { ($0.element.record.time, $0.offset) < ($1.element.record.time, $1.offset) }.map(\.element)
    return [first] + found + [last]
  }

  private func range(_ order: BisectRange.Order, _ line: [StoredSnapshot], _ refs: Refs) -> BisectRange {
    let names = refs.states.names(of: line.map(\.id))
    var numbers: [Content: Int] = [:]
    var states: [LogEntry] = []
    var contents: [Int] = []
    for stored in line {
      guard let content = Content(stored.record) else { continue }
      let number = numbers[content] ?? numbers.count
      numbers[content] = number
      if number == contents.last { continue }
      contents.append(number)
      states.append(
        LogEntry(
          operation: .save, time: SnapshotTime(stored.record.time),
          isCurrent: stored.id == refs.timeline.current?.snapshot, names: names[stored.id] ?? [],
          snapshot: Snapshot(stored)))
    }
    return BisectRange(order, states, equal: line.count - states.count, contents: contents)
  }
}

extension Repository {
  /// The states between a good and a bad one, in the order of the history: the line of parents that leads from one to the
  /// other, or, where none does, all known states between the two by time. Throws `.invalidArgument` when the two are
  /// equal, and when the good one is not the older one.
  public func bisectRange(from good: Revision, to bad: Revision) throws(RepositoryError) -> BisectRange {
    try withoutWaiting { () throws(RepositoryError) in
      try BisectRangeReader(repository: self).run(from: good, to: bad)
    }
  }
}
