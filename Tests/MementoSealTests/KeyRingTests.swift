import MementoObjects
import MementoTime
import Testing

@testable import MementoSeal

struct KeyRingTests {
  private let storage = MemoryObjects(pageSize: 2)
  private let id = RepositoryID()
  private let ring: KeyRing
  private let master = MasterKey()

  init() { ring = KeyRing(storage, of: id) }

  private func secret(_ text: String) throws -> SlotSecret { try .passphrase(Array(text.utf8)) }

  private func slot(_ text: String, made seconds: Int64 = 0, of id: RepositoryID? = nil) throws -> KeySlot {
    try KeySlot(
      wrapping: master, with: secret(text), label: Array(text.utf8), of: id ?? self.id,
      made: Timestamp(seconds: seconds, nanoseconds: 0), scrypt: try #require(KeySlotTests.quick))
  }

  private func kind(_ body: () throws -> Void) -> SealError.Kind? {
    do {
      try body()
      return nil
    } catch KeyRing.Failure.seal(let error) {
      return error.kind
    } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test func withoutSlotsNothingIsSaidOfTheSecret() {
    #expect(kind { _ = try ring.open(with: secret("any")) } == .damaged)
  }

  @Test func anySlotOpens() throws {
    for number in 0..<5 { try ring.add(slot("word \(number)", made: Int64(10 - number))) }
    #expect(try ring.listing().slots.map(\.made.seconds) == [6, 7, 8, 9, 10])
    for number in 0..<5 {
      let (opened, slot) = try ring.open(with: secret("word \(number)"))
      #expect(opened.master == master.master)
      #expect(try slot.label(opened) == Array("word \(number)".utf8))
    }
    #expect(kind { _ = try ring.open(with: secret("word 5")) } == .wrongKey)
    #expect(kind { _ = try ring.open(with: .recoveryKey(RecoveryKey())) } == .wrongKey)
  }

  @Test func aPassphraseIsChangedByANewSlot() throws {
    let old = try slot("old")
    try ring.add(old)
    let new = try slot("new")
    try ring.add(new, of: master, openedBy: secret("new"))
    try ring.remove(old, keeping: new)
    #expect(try ring.open(with: secret("new")).master.master == master.master)
    #expect(kind { _ = try ring.open(with: secret("old")) } == .wrongKey)
    #expect(storage.names.count == 1)
  }

  @Test func theLastSlotStays() throws {
    let (first, second) = (try slot("first"), try slot("second"))
    try ring.add(first)
    try ring.add(second)
    storage[try Sample.name("keys/0000000000000000")] = Array("memento key 2\n".utf8)
    try ring.remove(first, keeping: second)
    #expect(kind { try ring.remove(second, keeping: second) } == .unusable)
    #expect(try ring.listing().slots == [second])
    // The one that should stay is gone already.
    #expect(kind { try ring.remove(second, keeping: first) } == .unusable)
    #expect(try ring.listing().slots == [second])
  }

  /// Two who remove the slots that the other relies upon do not shut out everybody, however their steps mix.
  @Test func oneOfTwoSlotsStays() throws {
    final class Between: ObjectStorage {
      let base: MemoryObjects
      /// What another does right after the removal.
      let other: @Sendable (MemoryObjects) -> Void

      init(_ base: MemoryObjects, _ other: @escaping @Sendable (MemoryObjects) -> Void) {
        self.base = base
        self.other = other
      }

      func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage { try base.list(prefix, page: page) }

      func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try base.size(of: name) }

      func read(
        _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
      ) throws(ObjectError) -> Int { try base.read(name, at: offset, into: buffer) }

      func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) { try base.put(source, as: name) }

      func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
        try base.putIfAbsent(source, as: name)
      }

      func remove(_ name: ObjectName) throws(ObjectError) {
        try base.remove(name)
        other(base)
      }
    }
    let (first, second) = (try slot("first"), try slot("second"))
    try ring.add(first)
    try ring.add(second)
    let racing = KeyRing(Between(storage) { $0[second.name] = nil }, of: id)
    #expect(kind { try racing.remove(first, keeping: second) } == .unusable)
    #expect(try ring.listing().slots == [first])
    #expect(try ring.open(with: secret("first")).master.master == master.master)
  }

  /// A new slot that is not there as it was put is noticed before an old one goes.
  @Test func aSlotIsReadBack() throws {
    let new = try slot("new")
    #expect(kind { try ring.add(new, of: master, openedBy: secret("other")) } == .damaged)
    #expect(kind { try ring.add(new, of: MasterKey(), openedBy: secret("new")) } == .damaged)
    #expect(kind { try ring.add(new, of: master, openedBy: secret("new")) } == nil)
    #expect(try ring.count() == 1)
  }

  @Test func otherSlotsHinderNobody() throws {
    try ring.add(slot("word"))
    try ring.add(slot("word", of: RepositoryID()))
    storage[try Sample.name("keys/0000000000000000")] = Array("memento key 2\n".utf8)
    storage[try Sample.name("keys/0000000000000001")] = [UInt8](repeating: 65, count: 100_000)
    #expect(
      try ring.listing().unreadable.map(\.reason.kind).sorted { "\($0)" < "\($1)" } == [.damaged, .damaged, .newer])
    #expect(try ring.open(with: secret("word")).master.master == master.master)
    #expect(kind { _ = try ring.open(with: secret("other")) } == .wrongKey)
  }

  @Test func aRepositoryOfANewerVersionIsNoWrongKey() throws {
    storage[try Sample.name("keys/0000000000000000")] = Array("memento key 2\n".utf8)
    #expect(kind { _ = try ring.open(with: secret("word")) } == .newer)
  }

  @Test func endlessListingsEnd() throws {
    for number in 0..<200 { storage[try Sample.name("keys/\(number)")] = [] }
    let error = #expect(throws: ObjectError.self) { try ring.listing() }
    #expect(error?.kind == .damaged)
  }
}
