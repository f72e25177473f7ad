import Crypto
import MementoObjects
import MementoTime
import Testing

@testable import MementoSeal

struct KeySlotTests {
  /// Quick, and worth nothing.
  static let quick = ScryptParameters(cost: 2, blockSize: 1, parallelism: 1)

  private let master: MasterKey
  private let passphrase: SlotSecret
  private let slot: KeySlot

  init() throws {
    master = try Sample.master()
    passphrase = try .passphrase(Array("correct horse".utf8))
    slot = try KeySlotTests.slot(master, passphrase)
  }

  private static func slot(_ master: MasterKey, _ secret: SlotSecret) throws -> KeySlot {
    try KeySlot(
      wrapping: master, with: secret, label: Array("laptop of Jo".utf8),
      of: try #require(RepositoryID("000102030405060708090a0b0c0d0e0f")), number: "0011223344556677",
      made: Timestamp(seconds: 1_780_322_400, nanoseconds: 0), scrypt: try #require(quick), salt: Sample.salt,
      labelNonce: Sample.counting(from: 64, 12))
  }

  /// The text of slots cannot change unseen.
  @Test func isText() throws {
    #expect(String(decoding: slot.text, as: UTF8.self) == Golden.slot)
    #expect(slot.name.text == "keys/0011223344556677")
  }

  @Test func opensWithItsPassphraseOnly() throws {
    let read = try KeySlot(slot.text, name: slot.name)
    #expect(read == slot)
    #expect(try read.open(with: passphrase).master == master.master)
    #expect(try read.label(master) == Array("laptop of Jo".utf8))
    for wrong in ["correct hors", "correct horse ", "Correct horse", "x"] {
      let error = #expect(throws: SealError.self) { try read.open(with: .passphrase(Array(wrong.utf8))) }
      #expect(error?.kind == .wrongKey)
    }
    let error = #expect(throws: SealError.self) { try read.label(Sample.otherMaster()) }
    #expect(error?.kind == .damaged)
  }

  @Test func opensWithAFileOrARecoveryKey() throws {
    let bytes = Sample.content(32)
    let recovery = SlotSecret.recoveryKey(try #require(RecoveryKey(SymmetricKey(data: bytes))))
    let file = try SlotSecret.keyFile(bytes)
    for (secret, other) in [(recovery, file), (file, recovery)] {
      let slot = try KeySlotTests.slot(master, secret)
      let read = try KeySlot(slot.text, name: slot.name)
      #expect(read.scrypt == nil)
      #expect(try read.open(with: secret).master == master.master)
      #expect(throws: SealError.self) { try read.open(with: other) }
    }
  }

  @Test func newOnesDiffer() throws {
    let slots = try (0..<2).map { _ in
      try KeySlot(
        wrapping: master, with: passphrase, label: [], of: slot.repository, made: slot.made,
        scrypt: try #require(KeySlotTests.quick))
    }
    #expect(slots[0].name != slots[1].name)
    #expect(slots[0].text.suffix(97) != slots[1].text.suffix(97))
    #expect(try slots[0].open(with: passphrase).master == slots[1].open(with: passphrase).master)
  }

  /// All that stands in a slot is authenticated.
  @Test func noFlipChangesIt() throws {
    for index in slot.text.indices {
      for bit in [0, 3, 5] {
        var text = slot.text
        text[index] ^= 1 << bit
        do throws(SealError) {
          _ = try KeySlot(text, name: slot.name).open(with: passphrase)
          Issue.record("byte \(index), bit \(bit)")
        } catch {
          #expect([.damaged, .newer, .wrongKey].contains(error.kind))
        }
      }
    }
    for count in slot.text.indices {
      #expect(throws: SealError.self) { try KeySlot(Array(slot.text[..<count]), name: slot.name) }
    }
  }

  @Test(arguments: [
    "4294967296 8 3", "32768 4096 1", "32768 8 4096", "3 8 1", "32768 8", "", "-1 8 1", "1048576 64 64",
  ])
  func refusesParametersThatCostTooMuch(_ parameters: String) throws {
    let text = Golden.slot.replacing("scrypt 2 1 1", with: "scrypt \(parameters)")
    let error = #expect(throws: SealError.self) { try KeySlot(Array(text.utf8), name: slot.name) }
    #expect(error?.kind == .damaged)
  }

  @Test func saysWhenItIsNewer() {
    for (old, new) in [("memento key 1", "memento key 2"), ("kind passphrase", "kind card")] {
      let text = Golden.slot.replacing(old, with: new)
      let error = #expect(throws: SealError.self) { try KeySlot(Array(text.utf8), name: slot.name) }
      #expect(error?.kind == .newer)
    }
  }

  @Test func isNotThatOfAnotherName() throws {
    let other = try Sample.name("keys/0011223344556678")
    #expect(throws: SealError.self) { try KeySlot(slot.text, name: other) }
  }

  @Test func refusesWhatIsNoSecret() {
    #expect(throws: SealError.self) { try SlotSecret.passphrase([]) }
    #expect(throws: SealError.self) { try SlotSecret.passphrase([UInt8](repeating: 1, count: 65537)) }
    #expect(throws: SealError.self) { try SlotSecret.keyFile([UInt8](repeating: 1, count: 31)) }
    #expect(throws: SealError.self) {
      try KeySlot(
        wrapping: master, with: passphrase, label: [UInt8](repeating: 65, count: 65), of: slot.repository,
        made: slot.made, scrypt: try #require(KeySlotTests.quick))
    }
  }

  /// Neither the label nor anything of a key stands in the text, or in what a key says of itself.
  @Test func keepsItsSecrets() throws {
    let text = String(decoding: slot.text, as: UTF8.self)
    for secret in ["laptop", "Jo", "correct", Sample.hex("laptop".utf8), Sample.hex(Sample.key)] {
      #expect(!text.contains(secret))
    }
    let recovery = try #require(RecoveryKey(SymmetricKey(data: Sample.key)))
    let file = try SlotSecret.keyFile(Sample.key)
    let values: [any Sendable] = [master, passphrase, file, recovery, try Sample.name("a")]
    for value in values.dropLast() {
      var dumped = ""
      dump(value, to: &dumped)
      for said in ["\(value)", String(reflecting: value), dumped] {
        #expect(said.count < 60, "\(said)")
        #expect(!said.contains("correct") && !said.contains("0001") && !said.contains("[0, 1"), "\(said)")
      }
    }
  }
}
