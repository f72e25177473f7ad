// Checks whether a state may have a name, and names snapshots.

internal import MementoStore
internal import MementoSystem

/// How names in use are spelt, for who checks many new ones: each is found at once.
struct UsedSpellings {
  private var names: [String: String] = [:]

  init(_ states: StateTable) {
    for state in states { names[state.name.lowercased()] = state.name }
  }

  /// Adds a name. Returns another one that looks like it; then it is not added.
  mutating func add(_ name: String) -> String? {
    let folded = name.lowercased()
    if let other = names[folded], !other.utf8.elementsEqual(name.utf8) { return other }
    names[folded] = name
    return nil
  }
}

extension Repository {
  /// Throws when the names in use forbid this name: with `noClobber` the same name, always one that looks like it.
  func checkName(_ name: String, noClobber: Bool, in refs: Refs) throws(RepositoryError) {
    if try isInUse(name, noClobber: noClobber, in: refs) { return }
    try checkBesideRemotes(name)
    try checkSpelling(name, in: refs)
  }

  /// Throws for a new name that would hide a state of a remote.
  private func checkBesideRemotes(_ name: String) throws(RepositoryError) {
    guard let (remote, _) = RemoteName.split(name), try RemoteFolder(self).entryIfKnown(remote) != nil else { return }
    throw RepositoryError(
      .invalidName, "the name \"\(name)\" cannot be used: \"\(remote)\" is a remote", reason: .nameOfRemote)
  }

  /// Checks many names with one pass over those in use. Throws also when two of the new names look alike.
  func checkNames(_ names: [String], noClobber: Bool, in refs: Refs) throws(RepositoryError) {
    var new: [String] = []
    for name in names where try !isInUse(name, noClobber: noClobber, in: refs) { new.append(name) }
    for name in new { try checkBesideRemotes(name) }
    if new.count < 2 {
      if let name = new.first { try checkSpelling(name, in: refs) }
      return
    }
    var spellings = UsedSpellings(refs.states)
    for name in new { try check(name, &spellings) }
  }

  /// The same for a name after the other: `spellings` are those in use, and gets the name.
  func checkName(_ name: String, in refs: Refs, _ spellings: inout UsedSpellings) throws(RepositoryError) {
    if refs[name] != nil { return }
    try checkBesideRemotes(name)
    try check(name, &spellings)
  }

  private func check(_ name: String, _ spellings: inout UsedSpellings) throws(RepositoryError) {
    if let other = spellings.add(name) { throw RepositoryError(name: name, looksLike: other) }
  }

  private func isInUse(_ name: String, noClobber: Bool, in refs: Refs) throws(RepositoryError) -> Bool {
    guard let id = refs[name] else { return false }
    guard noClobber else { return true }
    throw RepositoryError(
      .nameInUse, "the name \"\(name)\" is in use (\(id.short))", reason: .nameIsKept)
  }

  /// Throws for a new name that looks like one in use.
  func checkSpelling(_ name: String, in refs: Refs) throws(RepositoryError) {
    let spelling = StateName.Spelling(name)
    guard let other = refs.states.first(where: { spelling.isConfusable(with: $0.name) })
    else { return }
    throw RepositoryError(name: name, looksLike: other.name)
  }

  /// Gives a saved snapshot its name, and makes the other changes of `refs` in the same step. Returns false and writes
  /// nothing when the name means another snapshot than the one that the record replaces, or when `change` returns
  /// false. Then another save was faster, and this one must not hide it from the history of the name.
  func nameSaved<Use: StoreUse>(
    _ id: ObjectID, _ record: SnapshotRecord, _ options: SaveOptions, holding lock: borrowing StoreLock<Use>,
    _ change: (inout Refs) -> Bool = { _ in true }
  ) throws(RepositoryError) -> Bool {
    try updateRefsIfWanted(holding: lock) { (refs) throws(RepositoryError) in
      if let name = options.name {
        try checkName(name, noClobber: options.noClobber, in: refs)
        guard refs[name] == record.replaces else { return false }
        refs[name] = id
      }
      return change(&refs)
    }
  }
}

extension RepositoryError {
  fileprivate init(name: String, looksLike other: String) {
    self.init(
      .invalidName, "the name \"\(name)\" looks like the state \"\(other)\" that exists",
      reason: .nameLooksAlike)
  }
}
