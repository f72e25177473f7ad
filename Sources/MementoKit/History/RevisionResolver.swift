// Finds the snapshot that a text names: NAME, REMOTE/NAME, NAME~N, NAME@{DATE}, @, @~N, @{DATE}, or the first digits of an id.

internal import MementoStore
internal import MementoSystem

struct RevisionResolver {
  private let repository: Repository
  private let refs: Refs
  private let records: RecordReader

  init(_ repository: Repository, _ refs: Refs) {
    self.repository = repository
    self.refs = refs
    records = RecordReader(repository)
  }

  /// The snapshot that a text names.
  func resolve(_ revision: Revision) throws(RepositoryError) -> StoredSnapshot {
    let id = try identify(revision.text)
    if refs.keeps(id) { return StoredSnapshot(id, try records.record(id)) }
    // Nothing keeps this id: gc may have removed it, and the digits may be the id of another blob.
    guard try repository.isStored(id) else { throw gone(revision.text, id) }
    guard try isSnapshot(id) else { throw noSnapshot(id) }
    return StoredSnapshot(id, try records.record(id))
  }

  private func identify(_ revision: String) throws(RepositoryError) -> ObjectID {
    if let id = refs[revision] { return id }
    if let found = try RemoteNames(repository).snapshot(revision) { return found.snapshot }
    if let (base, date) = RevisionResolver.splitDate(revision) { return try meaning(of: base, at: date, revision) }
    let (base, steps) = try split(revision)
    if base == "@" { return try position(back: steps, revision) }
    if refs[base] != nil {
      guard let id = try NameHistory.snapshot(of: base, back: steps, repository, refs, records) else {
        throw unknown(revision)
      }
      return id
    }
    if steps == 0, base.utf8.count >= 4, base.utf8.allSatisfy({ hexValue($0) != nil }) {
      return try byPrefix(Array(base.utf8))
    }
    throw unknown(revision)
  }

  // MARK: Steps

  /// Splits `BASE~N` into the base and the steps back. Without `~`, the steps are 0.
  private func split(_ revision: String) throws(RepositoryError) -> (base: String, steps: Int) {
    guard let tilde = revision.utf8.lastIndex(of: UInt8(ascii: "~")) else { return (revision, 0) }
    let number = revision.utf8[revision.utf8.index(after: tilde)...]
    guard let base = String(revision.utf8[..<tilde]),
      let steps = number.isEmpty ? 1 : String(number).flatMap({ Int($0) }), steps >= 0
    else { throw unknown(revision) }
    return (base, steps)
  }

  /// Goes back along the timeline, and beyond its oldest step along the parents of snapshots.
  private func position(back steps: Int, _ revision: String) throws(RepositoryError) -> ObjectID {
    guard let position = refs.timeline.position else { throw nothingSaved(revision) }
    if steps <= position { return refs.timeline.steps[position - steps].snapshot }
    var id = refs.timeline.steps[0].snapshot
    for _ in 0..<steps - position {
      guard let parent = try records.kept(id)?.parent else { throw unknown(revision) }
      id = parent
    }
    return id
  }

  // MARK: Dates

  /// Splits `BASE@{DATE}`. No name contains `@{`.
  private static func splitDate(_ revision: String) -> (base: String, date: String)? {
    let bytes = Array(revision.utf8)
    guard bytes.last == UInt8(ascii: "}"),
      let at = bytes.indices.dropLast().first(where: {
        bytes[$0] == UInt8(ascii: "@") && bytes[$0 + 1] == UInt8(ascii: "{")
      })
    else { return nil }
    return (
      String(decoding: bytes[..<at], as: UTF8.self),
      String(decoding: bytes[(at + 2)..<(bytes.count - 1)], as: UTF8.self)
    )
  }

  private func meaning(of base: String, at date: String, _ revision: String) throws(RepositoryError) -> ObjectID {
    guard let time = repository.dates.time(date, .end)?.timestamp else {
      throw RepositoryError(
        .noSuchState, "\"\(revision)\" names nothing: \"\(date)\" is not a date", reason: .unreadableDate,
        revision: Revision(revision))
    }
    if base.isEmpty || base == "@" {
      if refs.timeline.position == nil { throw nothingSaved(revision) }
      let positions = PositionHistory(repository: repository, refs: refs, records: records)
      if let id = try positions.snapshot(at: time) { return id }
      throw RepositoryError(
        .noSuchState, "the history does not go back to \(date)", reason: .beforeHistory)
    }
    if let id = try NameHistory.snapshot(of: base, at: time, repository, refs, records) { return id }
    if refs[base] == nil { throw unknown(revision) }
    throw RepositoryError(
      .noSuchState, "there was no state \"\(base)\" at that time (\(date))", reason: .beforeHistory)
  }

  // MARK: Digits

  private func byPrefix(_ digits: [UInt8]) throws(RepositoryError) -> ObjectID {
    if let id = ObjectID(digits) {
      if refs.keeps(id) { return id }
      if try repository.isStored(id) { return id }
      throw noSnapshot(id)
    }
    var found = refs.roots.filter { $0.begins(with: digits) }
    if found.isEmpty { found = try written(digits) }
    if found.isEmpty { found = Set(try RemoteNames(repository).snapshots(beginningWith: digits).keys) }
    let prefix = String(decoding: digits, as: UTF8.self).lowercased()
    guard let first = found.first else { throw unknown(prefix) }
    if found.count > 1 {
      let list = found.map { String($0.description.prefix(prefix.count + 4)) }.sorted().prefix(5)
      throw RepositoryError(
        .ambiguous, "\"\(prefix)\" is the beginning of \(found.count) ids: \(list.joined(separator: ", "))")
    }
    return first
  }

  /// Finds ids in the journal, for stored snapshots that are neither a state nor on the timeline.
  private func written(_ digits: [UInt8]) throws(RepositoryError) -> Set<ObjectID> {
    let word = [UInt8(ascii: " ")] + Array(String(decoding: digits, as: UTF8.self).lowercased().utf8)
    return try translating { () throws(StoreError) in
      var journal = try Journal(repository.store.folder).newestFirst()
      var found: Set<ObjectID> = []
      while let line = try journal.next(where: { RevisionResolver.hasWord($0, beginningWith: word) }) {
        guard let id = line.snapshot, id.begins(with: digits), !found.contains(id),
          try repository.store.index.contains(id)
        else { continue }
        found.insert(id)
      }
      return found
    }
  }

  private static func hasWord(_ line: ArraySlice<UInt8>, beginningWith word: [UInt8]) -> Bool {
    var start = line.startIndex
    while let space = line[start...].firstIndex(of: word[0]) {
      if line[space...].starts(with: word) { return true }
      start = space + 1
    }
    return false
  }

  /// Whether a stored blob is a snapshot. The caller may have given the hash of a file, for example.
  private func isSnapshot(_ id: ObjectID) throws(RepositoryError) -> Bool {
    let bytes = try translating { () throws(StoreError) in try repository.store.read(id) }
    return SnapshotRecord.isRecord(bytes)
  }

  // MARK: Failures

  private func unknown(_ revision: String) -> RepositoryError {
    var error = RepositoryError(
      .noSuchState, "there is no state \"\(revision)\"", reason: .unknownRevision, revision: Revision(revision))
    error.similar = Spelling.nearest(to: revision, among: refs.states.lazy.map(\.name))
    return error
  }

  private func noSnapshot(_ id: ObjectID) -> RepositoryError {
    RepositoryError(.noSuchState, "there is no snapshot \(id.short)", reason: .unknownSnapshot)
  }

  private func nothingSaved(_ revision: String) -> RepositoryError {
    RepositoryError(
      .noSuchState, "nothing has been saved yet, so \"\(revision)\" names nothing", reason: .nothingSaved,
      revision: Revision(revision))
  }

  private func gone(_ revision: String, _ id: ObjectID) -> RepositoryError {
    RepositoryError(
      .noSuchState, "\"\(revision)\" was the snapshot \(id.short), which is not kept any more",
      reason: .collectedSnapshot, revision: Revision(revision))
  }
}
