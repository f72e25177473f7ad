import MementoSystem
import TestSupport
import Testing

struct DirectoryOperationsTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func renameReplaces() throws {
    try folder.write("a", "new".bytes)
    try folder.write("b", "old".bytes)
    try folder.descriptor.rename("a".bytes, to: "b".bytes, in: folder.descriptor)
    #expect(try folder.names() == ["b"])
    #expect(try folder.read("b") == "new".bytes)
  }

  @Test func renameCanRefuseToReplace() throws {
    try folder.write("a", "new".bytes)
    try folder.write("b", "old".bytes)
    #expect(throws: Errno.exists) {
      try folder.descriptor.rename("a".bytes, to: "b".bytes, in: folder.descriptor, .noReplace)
    }
    #expect(try folder.read("a") == "new".bytes)
    #expect(try folder.read("b") == "old".bytes)
    try folder.descriptor.rename("a".bytes, to: "c".bytes, in: folder.descriptor, .noReplace)
    #expect(try folder.names() == ["b", "c"])
  }

  @Test func renameCanExchangeAFileAndAFolder() throws {
    try folder.write("file", "content".bytes)
    try folder.descriptor.makeDirectory("folder".bytes)
    try folder.write("folder/inside", "x".bytes)
    try folder.descriptor.rename("file".bytes, to: "folder".bytes, in: folder.descriptor, .exchange)
    #expect(try folder.read("folder") == "content".bytes)
    #expect(try folder.names("file") == ["inside"])
    #expect(throws: Errno.notFound) {
      try folder.descriptor.rename("file".bytes, to: "none".bytes, in: folder.descriptor, .exchange)
    }
  }

  @Test func renameMovesBetweenFolders() throws {
    let other = try TemporaryDirectory()
    try folder.write("a", "x".bytes)
    try folder.descriptor.rename("a".bytes, to: "b".bytes, in: other.descriptor)
    #expect(try folder.names().isEmpty)
    #expect(try other.read("b") == "x".bytes)
  }

  @Test func aHardLinkIsTheSameFile() throws {
    try folder.write("a", "x".bytes)
    try folder.descriptor.link("a".bytes, to: "b".bytes, in: folder.descriptor)
    let (a, b) = (try folder.status("a"), try folder.status("b"))
    #expect(a.identity == b.identity)
    #expect(a.linkCount == 2)
  }

  @Test func aHardLinkToALinkIsNotFollowed() throws {
    try folder.write("file", "x".bytes)
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    try folder.descriptor.link("link".bytes, to: "second".bytes, in: folder.descriptor)
    #expect(try folder.status("second").kind == .symbolicLink)
    #expect(try folder.status("file").linkCount == 1)
  }

  static let targets: [[UInt8]] = [
    "file".bytes, "../../..".bytes, "/nowhere/at all".bytes, [0xff, 0xfe, 0x0a, 0x1b], "..".bytes,
    [UInt8](repeating: 0x61, count: 255), [UInt8](repeating: 0x62, count: 256),
    [UInt8](repeating: 0x63, count: 1024), [UInt8](repeating: 0x64, count: 4095),
  ]

  @Test(arguments: targets)
  func aLinkKeepsItsTarget(_ target: [UInt8]) throws {
    try folder.descriptor.makeSymbolicLink("link".bytes, target: target)
    let found = try folder.descriptor.readSymbolicLink("link".bytes)
    #expect(found == target)
    let status = try folder.status("link")
    #expect(status.kind == .symbolicLink)
    #expect(status.size == UInt64(target.count))
  }

  @Test func whatIsNoLinkHasNoTarget() throws {
    try folder.write("file", [])
    #expect(throws: Errno.invalid) { _ = try folder.descriptor.readSymbolicLink("file".bytes) }
    #expect(throws: Errno.exists) {
      try folder.descriptor.makeSymbolicLink("file".bytes, target: "x".bytes)
    }
  }

  @Test func makesAFifo() throws {
    try folder.descriptor.makeNode("fifo".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    let status = try folder.status("fifo")
    #expect(status.kind == .fifo)
    #expect(status.permissions == 0o600)
  }

  @Test(arguments: [FileKind.regular, .directory, .symbolicLink, .socket])
  func makesNothingElseAsANode(_ kind: FileKind) throws {
    #expect(throws: Errno.invalid) {
      try folder.descriptor.makeNode("node".bytes, kind: kind, permissions: 0o600, major: 0, minor: 0)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test func removesFilesAndFoldersApart() throws {
    try folder.write("file", [])
    try folder.descriptor.makeDirectory("empty".bytes)
    try folder.descriptor.makeDirectory("full".bytes)
    try folder.write("full/file", [])
    #expect(throws: Errno.self) { try folder.descriptor.removeFile("empty".bytes) }
    #expect(throws: Errno.notDirectory) { try folder.descriptor.removeDirectory("file".bytes) }
    #expect(throws: Errno.notEmpty) { try folder.descriptor.removeDirectory("full".bytes) }
    #expect(throws: Errno.exists) { try folder.descriptor.makeDirectory("full".bytes) }
    try folder.descriptor.removeFile("file".bytes)
    try folder.descriptor.removeDirectory("empty".bytes)
    #expect(try folder.names() == ["full"])
  }

  @Test func existsSeesDanglingLinks() throws {
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "none".bytes)
    #expect(folder.exists("link"))
    #expect(!folder.exists("none"))
  }
}
