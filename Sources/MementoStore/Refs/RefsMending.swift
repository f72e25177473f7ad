// Second copies of `refs`, and what a repair does with them when `refs` are lost or damaged.

package import MementoSystem

/// From where the names came back.
package enum RefsSource: Equatable, Sendable {
  /// `refs` are whole; the list of states that they name came from `backup/`. No name is lost.
  case list
  /// From `backup/`: what they were after the last command, or shortly before it.
  case backup
  /// From `refs.prev`: what they were before the last command.
  case previous
}

extension RefsFile {
  private var backup: StoreBackup { StoreBackup(folder) }

  /// Keeps copies of these `refs`, which have just been written, as far as copies can be written.
  func backUp(_ refs: Refs, _ bytes: [UInt8], holding turn: borrowing RefsTurn) {
    backup.keep(refs: bytes, holding: turn)
    if let file = refs.states.file { backup.keep(refs.states.list, named: file) }
  }

  /// Keeps copies where there are none, for a store that had to be repaired or is older than they are.
  package func backUp(waiting wait: LockWait) throws(StoreError) {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      let refs = try read()
      backUp(refs, RefsCodec.encode(refs), holding: turn)
    }
  }

  /// Where `refs`, or the list of states that they name, are damaged or missing: puts the newest copy in their place, and
  /// keeps the damaged file in `damaged/`. Nil when there was nothing to do. Throws what is wrong with `refs` when no copy
  /// is any better.
  package func mend(waiting wait: LockWait) throws(StoreError) -> RefsSource? {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in try mend(holding: turn) }
  }

  private func mend(holding turn: borrowing RefsTurn) throws(StoreError) -> RefsSource? {
    // A medium that cannot be read is asked twice.
    guard problem() != nil, let problem = problem() else { return nil }
    guard problem.isDamage else { throw problem }
    // Copies are kept of a file in the folder.
    guard storage is LocalRefs else { throw problem }
    if try mendList() { return .list }
    let before = try copy(contents(of: StoreFolder.previousRefsName))
    let copied = try copy(backup.refs())
    // After a power cut, what --no-sync has written may be lost.
    let flushed = try copy(refsBeforeUnsynced())
    guard let newest = copied ?? before ?? flushed else { throw problem }
    let isNewer = copied != nil && newest.generation >= before?.generation ?? 0
    let chosen = isNewer ? newest : before ?? newest
    try putBackList(of: chosen)
    try SetAside(folder).keep(StoreFolder.refsName, from: folder.root, "refs")
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
      _ = try read()
      return nil
    } catch {
      return error
    }
  }

  /// Where `refs` are whole and their list is not: puts back its copy. False when that is not the case, or not possible.
  private func mendList() throws(StoreError) -> Bool {
    guard let refs = try copy(contents(of: StoreFolder.refsName)) else { return false }
    try putBackList(of: refs)
    return true
  }

  /// Nil for what is no `refs`, or names a list of which there is no good copy.
  private func copy(_ bytes: [UInt8]?) throws(StoreError) -> Refs? {
    guard let bytes else { return nil }
    do throws(StoreError) {
      return try RefsCodec.decode(bytes) { (id) throws(StoreError) in try anyList(id) }
    } catch {
      // Of a later version, too: nothing is put in the place of that.
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// A list of states, or its copy.
  private func anyList(_ id: ObjectID) throws(StoreError) -> StateList {
    if let list = try goodList(id) { return list }
    if let list = try backup.list(id) { return list }
    throw .missing(id)
  }

  /// Nil when it is missing or damaged.
  private func goodList(_ id: ObjectID) throws(StoreError) -> StateList? {
    do throws(StoreError) {
      return try lists.read(id)
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  private func putBackList(of refs: Refs) throws(StoreError) {
    guard let file = refs.states.file, try goodList(file) == nil else { return }
    try lists.setAside(file)
    _ = try onFile("write", "states") { () throws(Errno) in try lists.write(refs.states.list) }
  }

  /// Nil where there is nothing that can be read as a file.
  private func contents(of name: [UInt8]) throws(StoreError) -> [UInt8]? {
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
