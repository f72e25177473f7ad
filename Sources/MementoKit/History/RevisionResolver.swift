// What a text names: NAME, NAME~N, @, @~N, or the first digits of an id.

internal import MementoStore
internal import MementoSystem

struct RevisionResolver {
  private let repository: Repository
  private let refs: Refs

  init(_ repository: Repository, _ refs: Refs) {
    self.repository = repository
    self.refs = refs
  }

  /// The snapshot and its record.
  func resolve(_ revision: String) throws(RepositoryError) -> (ObjectID, SnapshotRecord) {
    let id = try identify(revision)
    guard let found = try repository.record(of: id) else { throw unknown(revision) }
    return (found.id, found.record)
  }

  private func identify(_ revision: String) throws(RepositoryError) -> ObjectID {
    if let id = refs[revision] { return id }
    let (base, steps) = try split(revision)
    if base == "@" { return try position(back: steps, revision) }
    if let id = refs[base] { return try earlier(id, steps, revision) }
    if steps == 0, base.utf8.count >= 4, base.utf8.allSatisfy({ hexValue($0) != nil }) {
      return try byPrefix(base.lowercased())
    }
    throw unknown(revision)
  }

  /// `BASE~N` is N steps back; without ~, none.
  private func split(_ revision: String) throws(RepositoryError) -> (base: String, steps: Int) {
    guard let tilde = revision.lastIndex(of: "~") else { return (revision, 0) }
    let number = revision[revision.index(after: tilde)...]
    guard let steps = number.isEmpty ? 1 : Int(number), steps >= 0 else { throw unknown(revision) }
    return (String(revision[..<tilde]), steps)
  }

  /// The timeline, and before its first step the parents of snapshots.
  private func position(back steps: Int, _ revision: String) throws(RepositoryError) -> ObjectID {
    guard let position = refs.timeline.position else {
      throw RepositoryError(.noSuchState, "nothing has been saved yet, so \"\(revision)\" names nothing")
    }
    if steps <= position { return refs.timeline.steps[position - steps].snapshot }
    var id = refs.timeline.steps[0].snapshot
    for _ in 0..<steps - position {
      guard let record = try repository.record(of: id)?.record, let parent = record.parent,
        repository.store.index.place(of: parent) != nil
      else { throw unknown(revision) }
      id = parent
    }
    return id
  }

  /// What a name meant before.
  private func earlier(_ current: ObjectID, _ steps: Int, _ revision: String) throws(RepositoryError) -> ObjectID {
    var id = current
    for _ in 0..<steps {
      guard let record = try repository.record(of: id)?.record, let before = record.replaces,
        repository.store.index.place(of: before) != nil
      else { throw unknown(revision) }
      id = before
    }
    return id
  }

  private func byPrefix(_ prefix: String) throws(RepositoryError) -> ObjectID {
    if let id = ObjectID(hex: prefix), repository.store.index.place(of: id) != nil { return id }
    var found = refs.roots.filter { $0.description.hasPrefix(prefix) }
    if found.isEmpty {
      let journal = Journal(repository.store.folder).entries().compactMap(\.snapshot)
      found = Set(
        journal.filter { $0.description.hasPrefix(prefix) && repository.store.index.place(of: $0) != nil })
    }
    guard let first = found.first else { throw unknown(prefix) }
    if found.count > 1 {
      let list = found.map { String($0.description.prefix(prefix.count + 4)) }.sorted().prefix(5)
      throw RepositoryError(
        .ambiguous, "\"\(prefix)\" is the beginning of \(found.count) ids: \(list.joined(separator: ", "))",
        advice: "give more digits")
    }
    return first
  }

  private func unknown(_ revision: String) -> RepositoryError {
    RepositoryError(
      .noSuchState, "there is no state \"\(revision)\"",
      advice: "`memento list` shows the states, `memento log` the history")
  }
}
