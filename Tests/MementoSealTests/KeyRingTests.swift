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
    try ring.replace(old, by: slot("new"))
    #expect(try ring.open(with: secret("new")).master.master == master.master)
    #expect(kind { _ = try ring.open(with: secret("old")) } == .wrongKey)
    #expect(storage.names.count == 1)
  }

  @Test func theLastSlotStays() throws {
    let (first, second) = (try slot("first"), try slot("second"))
    try ring.add(first)
    try ring.add(second)
    storage[try Sample.name("keys/0000000000000000")] = Array("memento key 2\n".utf8)
    try ring.remove(first)
    #expect(kind { try ring.remove(second) } == .unusable)
    #expect(try ring.listing().slots == [second])
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
