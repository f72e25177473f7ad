// Second copies of `refs`, and how a repair uses them when `refs` are lost or damaged.

package import MementoSystem

/// Where a repair found the names.
package enum RefsSource: Equatable, Sendable {
  /// `refs` are intact. Their list of states came from `backup/`. No name is lost.
  case list
  /// `backup/`: the names are those after the last command, or shortly before it.
  case backup
  /// `refs.prev`, or the mark `unsynced`: the names are those before the last command, or earlier.
  case previous
}

extension RefsFile {
  private var backup: StoreBackup { StoreBackup(folder) }

  /// Writes copies of these `refs`, which have just been committed.
  func backUp(_ refs: Refs, _ bytes: [UInt8], holding turn: borrowing RefsTurn) {
    // Nobody replaces `refs` meanwhile. Without the time the copy serves repairs alone.
    let modified = storage is LocalRefs ? try? folder.root.status(of: StoreFolder.refsName).modified : nil
    backup.keep(refs: bytes, modified: modified, holding: turn)
    if let file = refs.states.file { backup.keep(refs.states.list, named: file) }
  }

  /// Writes copies of the current `refs`, for a store that was repaired or is older than these copies. Throws when
  /// `refs` cannot be read.
  package func backUp(waiting wait: LockWait) throws(StoreError) {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      let refs = try read()
      // An error does not matter: the store is whole without its second copies.
      backUp(refs, encode(refs), holding: turn)
    }
  }

  /// Repairs `refs`, or the list of states that they name: replaces what is damaged or missing with the newest copy,
  /// and keeps the damaged file in `damaged/`. Returns nil when nothing was damaged. Throws the error of `refs` when no
  /// copy is usable.
  package func mend(waiting wait: LockWait) throws(StoreError) -> RefsSource? {
    // Copies are put back as they are: an older one may not know the fork that is looked from.
    let main = ofMainFolder
    return try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      try main.mend(holding: turn)
    }
  }

  private func mend(holding turn: borrowing RefsTurn) throws(StoreError) -> RefsSource? {
    // Read twice, since a medium may fail only once.
    guard problem() != nil, let problem = problem() else { return nil }
    defer { healed.removeNames() }
    // There are copies only when `refs` are a file in the folder.
    guard storage is LocalRefs else { throw problem }
    if problem.isDamage {
      if try mendList() { return .list }
    } else {
      guard let bytes = try contents(of: StoreFolder.refsName), try copy(of: bytes, after: problem) != nil else {
        throw problem
      }
    }
    let before = try copy(contents(of: StoreFolder.previousRefsName))
    let copied = try copy(backup.refs())
    // After a power cut, both may be lost with what `--no-sync` has written. The mark has older `refs` that were
    // durable.
    let flushed = try copy(refsBeforeUnsynced())
    guard let newest = copied ?? before ?? flushed else { throw problem }
    let isNewer = copied != nil && newest.generation >= before?.generation ?? 0
    let chosen = isNewer ? newest : before ?? newest
    try putBackList(of: chosen)
    try Quarantine(folder).keep(StoreFolder.refsName, from: folder.root, "refs")
    _ = try write(chosen, over: nil, holding: turn)
    return isNewer ? .backup : .previous
  }

  /// `refs` as they were before anything came that was not flushed; nil when there is no such thing.
  private func refsBeforeUnsynced() throws(StoreError) -> [UInt8]? {
    let refs = try contents(of: UnsyncedMark.name).map { UnsyncedMark($0).refs }
    return refs?.isEmpty == false ? refs : nil
  }

  /// Why `refs` cannot be read; nil when they can be.
  private func problem() -> StoreError? {
    do throws(StoreError) {
      _ = try readVersion(healing: false)
      return nil
    } catch {
      return error
    }
  }

  /// Replaces the list of states with its copy, if only the list is damaged. Returns false when `refs` are damaged too,
  /// or there is no valid copy.
  private func mendList() throws(StoreError) -> Bool {
    guard let refs = try copy(contents(of: StoreFolder.refsName)) else { return false }
    try putBackList(of: refs)
    return true
  }

  /// Decodes a copy of `refs`. Nil when it is not valid, or there is neither an intact file nor a copy of its list.
  private func copy(_ bytes: [UInt8]?) throws(StoreError) -> Refs? {
    guard let bytes else { return nil }
    do throws(StoreError) {
      return try RefsCodec.decode(bytes) { (id) throws(StoreError) in try anyList(id) }
    } catch {
      // This also throws for a later version: a repair must not replace that.
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// A list of states, from its file or from its copy. Throws `.missing` when both are damaged or missing.
  private func anyList(_ id: ObjectID) throws(StoreError) -> StateList {
    if let list = try goodList(id) { return list }
    if let list = try backup.list(id) { return list }
    throw .missing(id)
  }

  /// The list in a file. Nil when it is missing or damaged.
  private func goodList(_ id: ObjectID) throws(StoreError) -> StateList? {
    do throws(StoreError) {
      return try lists.read(id)
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// Writes the list of states of these `refs` again, unless its file is intact.
  private func putBackList(of refs: Refs) throws(StoreError) {
    guard let file = refs.states.file, try goodList(file) == nil else { return }
    try lists.setAside(file)
    _ = try onFile("write", "states") { () throws(Errno) in try lists.write(refs.states.list) }
  }

  /// The bytes of a file of the store. Nil when it is missing or is not a readable file.
  func contents(of name: [UInt8]) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      return try openingPart(String(decoding: name, as: UTF8.self)) { () throws(Errno) in
        try folder.root.contents(of: name, limit: LocalRefs.sizeLimit)
      }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }
}
