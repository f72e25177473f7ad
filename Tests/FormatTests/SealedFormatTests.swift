// The examples of sealed objects in docs/format.md, and what another implementation makes of sealed objects.

import Crypto
import MementoObjects
import MementoSeal
import MementoSystem
import TestSupport
import Testing

struct SealedFormatTests {
  private let document: FormatDocument
  private let directory: TemporaryDirectory
  private let master: MasterKey

  init() throws {
    document = try FormatDocument()
    directory = try TemporaryDirectory()
    let bytes: [UInt8] = Array(0..<32)
    master = try #require(MasterKey(SymmetricKey(data: bytes)))
  }

  private func name(_ text: String) throws -> ObjectName { try #require(ObjectName(text)) }

  /// Writes an object below the folder `remote`.
  private func put(_ bytes: [UInt8], as name: String) throws {
    let parts = "remote/\(name)".split(separator: "/")
    for count in 1..<parts.count { makeFolder(parts[..<count].joined(separator: "/")) }
    try directory.write("remote/\(name)", bytes)
  }

  /// What cannot be made is missing when the object is written.
  private func makeFolder(_ path: String) {
    try? directory.descriptor.makeDirectory(path.bytes)
  }

  /// The marker and the slot of the document, and the passphrase in a file.
  private func fill() throws {
    try put(document.text("marker"), as: "format/000102030405060708090a0b0c0d0e0f")
    try put(document.text("slot"), as: "keys/0011223344556677")
    try directory.write("secret", "correct horse\n".bytes)
  }

  private func unseal(withModules: Bool) throws -> (output: String, status: Int32) {
    try directory.write("cryptography.py", withModules ? [] : "raise ImportError".bytes)
    let path = withModules ? "" : "PYTHONPATH=\(Command.quoted(directory.path)) "
    let (output, status) = Command.run(
      "\(path)python3 \(Command.quoted(Project.reader)) remote unseal secret plain", in: directory.path)
    return (String(decoding: output, as: UTF8.self), status)
  }

  // MARK: The document

  @Test func theMarkerIsOne() throws {
    let id = try #require(RepositoryID("000102030405060708090a0b0c0d0e0f"))
    let marker = RepositoryMarker(id: id, isSealed: true)
    let shown: [UInt8] = try document.text("marker")
    #expect(marker.text == shown)
  }

  @Test func theSlotOpens() throws {
    let slot = try KeySlot(document.text("slot"), name: name("keys/0011223344556677"))
    let opened = try slot.open(with: .passphrase("correct horse".bytes))
    #expect(opened.master == master.master)
    let label: [UInt8] = try slot.label(opened)
    #expect(label == "laptop of Jo".bytes)
  }

  @Test func theNameIsTheOneThatIsShown() throws {
    let digits = String(repeating: "3f", count: 31)
    let pack = try name("packs/0a/0a\(digits)")
    let shown: String? = try document.lines("sealed-name").first
    let stored: String? = SealedName(master).stored(pack)?.text
    #expect(stored == shown)
  }

  @Test func theObjectIsTheOneThatIsShown() throws {
    let bytes = try document.bytes("sealed")
    let name = try name("refs/a/1")
    let salt: [UInt8] = Array(32..<64)
    let sealer = try Sealer(ObjectBytes("memento".bytes), as: name, master, salt: salt)
    let made: [UInt8] = try sealed(sealer)
    #expect(made == bytes)
  }

  private func sealed(_ sealer: Sealer) throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(sealer.size), alignment: 16)
    defer { buffer.deallocate() }
    try sealer.read(into: buffer, at: 0)
    return Array(buffer)
  }

  // MARK: The other reader

  @Test(.enabled(if: Command.exists("python3"), "python3 is missing"), arguments: [true, false])
  func pythonReadsTheDocument(_ withModules: Bool) throws {
    try fill()
    try put(document.bytes("sealed"), as: "refs/a/1")
    let unsealed = try unseal(withModules: withModules)
    #expect(unsealed.output.isEmpty)
    #expect(unsealed.status == 0)
    let object: [UInt8] = try directory.read("plain/refs/a/1")
    #expect(object == "memento".bytes)
    let marker = String(decoding: try directory.read("plain/format/000102030405060708090a0b0c0d0e0f"), as: UTF8.self)
    #expect(marker.contains("contents plain"))
  }

  /// What Swift has sealed, of all sorts of sizes. Plain Python takes a second for a few segments, so it gets less.
  @Test(.enabled(if: Command.exists("python3"), "python3 is missing"), arguments: [true, false])
  func pythonReadsWhatIsSealedHere(_ withModules: Bool) throws {
    try fill()
    let names = SealedName(master)
    let sizes = withModules ? [0, 1, 2, 100, 65535, 65536, 65537, 300_000] : [0, 1, 100, 65537]
    for size in sizes {
      let id = digits(size)
      let plain = try name("packs/\(id.prefix(2))/\(id)")
      let stored = try #require(names.stored(plain))
      let sealer = try Sealer(ObjectBytes(Content.random(size, seed: UInt64(size))), as: stored, master)
      try put(sealed(sealer), as: stored.text)
    }
    let unsealed = try unseal(withModules: withModules)
    #expect(unsealed.output.isEmpty)
    #expect(unsealed.status == 0)
    for size in sizes {
      let id = digits(size)
      let plain: [UInt8] = try directory.read("plain/packs/\(id.prefix(2))/\(id)")
      #expect(plain == Content.random(size, seed: UInt64(size)))
    }
  }

  @Test(.enabled(if: Command.exists("python3"), "python3 is missing"), arguments: [true, false])
  func pythonFindsChanges(_ withModules: Bool) throws {
    try fill()
    var bytes = try document.bytes("sealed")
    bytes[75] ^= 1
    try put(bytes, as: "refs/a/1")
    let changed = try unseal(withModules: withModules)
    #expect(changed.output == "memento-read: refs/a/1 was changed, or the key is another\n")
    #expect(changed.status == 1)
  }

  @Test(.enabled(if: Command.exists("python3"), "python3 is missing"))
  func pythonRefusesAnotherPassphrase() throws {
    try fill()
    try directory.write("secret", "correct hors\n".bytes)
    let refused = try unseal(withModules: true)
    #expect(refused.output == "memento-read: no key slot is opened by this secret\n")
    #expect(refused.status == 1)
  }

  /// 64 digits that look like an id.
  private func digits(_ number: Int) -> String {
    let text = String(number)
    let zeros = String(repeating: "0", count: 8 - text.utf8.count)
    let start = String(repeating: "5e", count: 28)
    return "\(start)\(zeros)\(text)"
  }
}
