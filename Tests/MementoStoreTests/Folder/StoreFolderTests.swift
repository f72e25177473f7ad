import MementoStore
import MementoSystem
import TestSupport
import Testing

struct StoreFolderTests {
  let fixture: StoreFixture
  let folder: StoreFolder

  init() throws {
    fixture = try StoreFixture()
    folder = try fixture.folder()
  }

  @Test func orphansGo() throws {
    let root = fixture.directory
    #expect(try !folder.hasLeftovers)
    try root.write("tmp/pack-1", "x".bytes)
    try root.write("tmp/\u{1b}\n", [])
    try root.write("outside", "kept".bytes)
    try root.descriptor.makeSymbolicLink("tmp/link".bytes, target: "../outside".bytes)
    try root.descriptor.makeNode("tmp/fifo".bytes, kind: .fifo, permissions: 0, major: 0, minor: 0)
    try root.descriptor.makeDirectory("tmp/restore-1".bytes)
    try root.descriptor.makeDirectory("tmp/restore-1/d3".bytes)
    for name in ["0", "old-1", "old-1-2"] { try root.write("tmp/restore-1/\(name)", "x".bytes) }
    #expect(try folder.hasLeftovers)
    folder.removeAbandoned()
    #expect(try fixture.files("tmp").isEmpty)
    #expect(try !folder.hasLeftovers)
    #expect(try root.read("outside") == "kept".bytes)
  }

  /// A staging folder with a list may hold old files of the user. A folder of another name is not a staging folder. A
  /// sweep leaves both alone.
  @Test(arguments: ["restore-1/list", "restore-1/secret", "restore-1/d1/0", "other/0"])
  func whatNobodyHasLookedAtStays(_ path: String) throws {
    let root = fixture.directory
    var parent = "tmp"
    for name in path.split(separator: "/").dropLast() {
      parent += "/\(name)"
      try root.descriptor.makeDirectory(parent.bytes)
    }
    try root.write("tmp/\(path)", "x".bytes)
    folder.removeAbandoned()
    #expect(try root.read("tmp/\(path)") == "x".bytes)
  }

  @Test func filesInUseStay() throws {
    let file = try fixture.directory.descriptor.open("tmp/pack-1".bytes, .create)
    try file.lockAgainstSweep()
    try fixture.directory.write("tmp/pack-2", [])
    folder.removeAbandoned()
    #expect(try fixture.files("tmp") == ["pack-1"])
    try file.finish()
    folder.removeAbandoned()
    #expect(try fixture.files("tmp").isEmpty)
  }

  @Test func aPackUnderConstructionStays() throws {
    let store = try fixture.open()
    let writer = try store.packWriter()
    let id = try store.add(["x".bytes], to: writer)[0]
    folder.removeAbandoned()
    try writer.finish()
    #expect(try fixture.open().read(id) == "x".bytes)
  }

  @Test func theStagingFolderOfAPendingRestoreStays() throws {
    for name in ["restore-1", "restore-2"] {
      try fixture.directory.descriptor.makeDirectory("tmp/\(name)".bytes)
      try fixture.directory.write("tmp/\(name)/0", "x".bytes)
    }
    folder.removeAbandoned(keeping: ["restore-2".bytes])
    #expect(try fixture.files("tmp") == ["restore-2"])
    #expect(try fixture.directory.read("tmp/restore-2/0") == "x".bytes)
  }

  @Test func temporaryNamesDiffer() throws {
    let names = (0..<100).map { _ in folder.temporaryName("pack") }
    #expect(Set(names).count == 100)
    #expect(names.allSatisfy { $0.starts(with: "pack-".utf8) && !$0.contains(UInt8(ascii: "/")) })
    #expect(try fixture.folder().temporaryName("pack") != names[0])
  }
}
