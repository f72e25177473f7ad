// The slots of a repository.

package import MementoObjects

/// Reads, adds and removes slots. It keeps nothing: each call looks at the storage. The storage is the one below
/// `SealedObjects`, or that one, since slots are not sealed.
package struct KeyRing: Sendable {
  /// More slots than this are not looked at.
  package static let maximumCount = 64
  /// From this number on, none is added. So a few that several add at once do no harm.
  package static let maximumAdded = 32

  /// What went wrong: with the storage, or with a slot.
  package enum Failure: Error, Sendable {
    case storage(ObjectError)
    case seal(SealError)
  }

  /// The slots that are there.
  package struct Listing: Sendable {
    /// Those of this repository, the oldest first.
    package var slots: [KeySlot] = []
    /// Slots that are damaged or of a newer version, each with the reason. They hinder nobody.
    package var unreadable: [(name: ObjectName, reason: SealError)] = []
  }

  private let storage: any ObjectStorage
  private let repository: RepositoryID

  package init(_ storage: any ObjectStorage, of repository: RepositoryID) {
    self.storage = storage
    self.repository = repository
  }

  /// All slots. A slot that is removed meanwhile is not among them.
  package func listing() throws(ObjectError) -> Listing {
    var result = Listing()
    for name in try names() {
      guard let text = try text(of: name) else { continue }
      do throws(SealError) {
        let slot = try KeySlot(text, name: name)
        guard slot.repository == repository else { throw SealError(.damaged, "\(name) belongs to another repository") }
        result.slots.append(slot)
      } catch {
        result.unreadable.append((name, error))
      }
    }
    result.slots.sort { ($0.made, $0.number) < ($1.made, $1.number) }
    return result
  }

  /// Opens the repository with the first slot that `secret` opens. Throws `.wrongKey` when it opens none, and `.damaged` when
  /// there is none.
  package func open(with secret: SlotSecret) throws(Failure) -> (master: MasterKey, slot: KeySlot) {
    let found = try stored { () throws(ObjectError) in try listing() }
    if found.slots.isEmpty, found.unreadable.isEmpty {
      throw .seal(SealError(.damaged, "its keys are gone, and nothing else opens it"))
    }
    let candidates = found.slots.filter { $0.kind == secret.kind }
    for slot in candidates {
      do throws(SealError) {
        return (try slot.open(with: secret), slot)
      } catch  where error.kind == .wrongKey {
        continue
      } catch {
        throw .seal(error)
      }
    }
    let reason =
      candidates.isEmpty ? "none of the keys is a \(secret.kind.word)" : "the \(secret.kind.word) is wrong"
    // A slot that cannot be read may be the one that was meant.
    guard let first = found.unreadable.first else { throw .seal(SealError(.wrongKey, reason)) }
    throw .seal(SealError(candidates.isEmpty ? first.reason.kind : .wrongKey, "\(reason), and \(first.reason)"))
  }

  /// Puts a slot.
  package func add(_ slot: KeySlot) throws(ObjectError) {
    try storage.put(ObjectBytes(slot.text), as: slot.name)
  }

  /// Puts a slot, and looks whether it is there and opens the repository. Throws `.damaged` when it does not.
  ///
  /// - Parameters:
  ///   - master: the key that the slot wraps.
  ///   - secret: what the slot was made with.
  package func add(_ slot: KeySlot, of master: MasterKey, openedBy secret: SlotSecret) throws(Failure) {
    try stored { () throws(ObjectError) in try add(slot) }
    let found: [UInt8]? = try stored { () throws(ObjectError) in try text(of: slot.name) }
    do throws(SealError) {
      guard let text = found, try KeySlot(text, name: slot.name).open(with: secret).master == master.master else {
        throw SealError(.damaged, "\(slot.name) is not there as it was put")
      }
    } catch {
      throw .seal(SealError(.damaged, error.reason))
    }
  }

  /// Removes a slot. `kept`: another slot, which the caller knows to open the repository.
  ///
  /// Nobody holds a lock. So `kept` is looked for again after the removal, and if somebody has removed it meanwhile, the
  /// slot is put back. Of two who remove the slots that the other relies upon, at least one sees that. Throws `.unusable`
  /// when the slot stays.
  package func remove(_ slot: KeySlot, keeping kept: KeySlot) throws(Failure) {
    guard kept.name != slot.name, kept.repository == slot.repository else {
      throw .seal(SealError(.unusable, "\(slot.name) is the only key that is known to open the repository"))
    }
    try check(kept)
    try stored { () throws(ObjectError) in try storage.remove(slot.name) }
    do throws(Failure) {
      try check(kept)
    } catch {
      // Also when nobody can say whether it is there.
      try stored { () throws(ObjectError) in try add(slot) }
      throw error
    }
  }

  /// Throws `.unusable` when a slot is not there as it is known.
  private func check(_ slot: KeySlot) throws(Failure) {
    // Reading by name sees what there is, which a listing may not.
    let found: [UInt8]? = try stored { () throws(ObjectError) in try text(of: slot.name) }
    guard found == slot.text else {
      throw .seal(SealError(.unusable, "\(slot.name) was removed meanwhile, and must stay"))
    }
  }

  /// How many slots there are, of all kinds and also those that cannot be read.
  package func count() throws(ObjectError) -> Int { try names().count }

  private func names() throws(ObjectError) -> [ObjectName] {
    var names: [ObjectName] = []
    var page: String?
    for _ in 0..<KeyRing.maximumCount {
      let listed = try storage.list(KeySlot.folder, page: page)
      names += listed.objects.map(\.name)
      guard names.count <= KeyRing.maximumCount else { break }
      guard let next = listed.next else { return names }
      page = next
    }
    throw ObjectError(.damaged, nil, "there are more than \(KeyRing.maximumCount) key slots")
  }

  /// Nil when there is no such object any more. The text of one that is too long is cut, so it is no slot.
  private func text(of name: ObjectName) throws(ObjectError) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: KeySlot.maximumSize + 1, alignment: 1)
    defer { buffer.deallocate() }
    do throws(ObjectError) {
      return Array(buffer.prefix(try storage.read(name, at: 0, into: buffer)))
    } catch  where error.kind == .notFound {
      return nil
    }
  }

  private func stored<Value>(_ body: () throws(ObjectError) -> Value) throws(Failure) -> Value {
    do throws(ObjectError) { return try body() } catch { throw .storage(error) }
  }
}
