import MementoStore
import MementoSystem
import TestSupport
import Testing

struct StoreTests {
  @Test func aNewStoreIsPrivate() throws {
    let fixture = try StoreFixture()
    let root = fixture.directory
    #expect(
      try root.names() == [
        ".gitignore", "backup", "cache", "config", "folder.lock", "index", "lock", "packs", "packs.lock", "refs", "tmp",
      ])
    for folder in ["cache", "index", "packs", "tmp"] {
      #expect(try root.status(folder).permissions == 0o700)
      #expect(try root.names(folder).isEmpty)
    }
    for file in [".gitignore", "backup/config", "config", "refs"] {
      #expect(try root.status(file).permissions == 0o600)
    }
    #expect(try root.read(".gitignore") == "# A memento store: it is not part of what git keeps.\n*\n".bytes)
    var config = Config()
    config.parity = .none
    #expect(try Config(root.read("config")) == config)
    #expect(try fixture.open().refs.read() == Refs())
  }

  @Test func keepsItsConfig() throws {
    let fixture = try StoreFixture {
      $0.compression = .zlib(level: 3)
      $0.otherLines = [ConfigLine(key: "folder", value: "/some where")]
    }
    let config = try fixture.open().config
    #expect(config.compression == .zlib(level: 3))
    #expect(config.otherLines.map(\.value) == ["/some where"])
  }

  @Test(arguments: ["format = 2\n", "format = 1\nrequires = encryption\n"])
  func aLaterFormatIsRefusedAndNothingWritten(_ config: String) throws {
    let fixture = try StoreFixture()
    let root = fixture.directory
    for folder in ["cache", "index", "tmp"] { try root.descriptor.removeDirectory(folder.bytes) }
    try root.write("config", config.bytes)
    let before = try root.names()
    let changed = try root.descriptor.status().changed
    #expect(outcome { try fixture.open() } == .newerFormat)
    #expect(try root.names() == before)
    let after = try root.descriptor.status().changed
    #expect(after == changed)
  }

  @Test func whatIsDerivedComesBack() throws {
    let fixture = try StoreFixture()
    let id = try fixture.open().put(["x".bytes])[0]
    for folder in ["index", "tmp"] {
      try fixture.empty(folder)
      try fixture.directory.descriptor.removeDirectory(folder.bytes)
    }
    #expect(try fixture.open().read(id) == "x".bytes)
    for folder in ["index", "tmp"] {
      #expect(try fixture.directory.status(folder).permissions == 0o700)
    }
  }

  @Test func whatIsNotDerivedIsMissed() throws {
    let fixture = try StoreFixture()
    try fixture.directory.descriptor.removeDirectory("packs".bytes)
    #expect(outcome { try fixture.open() } == .damaged)
    let other = try StoreFixture()
    try other.directory.descriptor.removeFile("config".bytes)
    #expect(outcome { try other.open() } == .damaged)
    #expect(outcome { try Store(opening: TemporaryDirectory().descriptor.duplicate()) } == .damaged)
  }

  @Test(arguments: ["packs", "index", "tmp", "config"])
  func linksInsideAreNotFollowed(_ name: String) throws {
    let fixture = try StoreFixture()
    try fixture.directory.rename(name, to: "elsewhere")
    try fixture.directory.descriptor.makeSymbolicLink(name.bytes, target: "elsewhere".bytes)
    #expect(outcome { try fixture.open() } == .damaged)
  }

  @Test func aFifoDoesNotBlock() throws {
    let fixture = try StoreFixture()
    try fixture.directory.descriptor.removeFile("config".bytes)
    try fixture.directory.descriptor.makeNode(
      "config".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    #expect(outcome { try fixture.open() } == .damaged)
  }

  @Test func aMissingBlobIsNamed() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let id = ObjectID(hashing: "none".bytes)
    do {
      _ = try store.read(id)
      Issue.record("it was found")
    } catch {
      guard case .missing(let missed) = error else { throw error }
      #expect(missed == id)
    }
  }
}
