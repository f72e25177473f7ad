import MementoSystem
import TestSupport
import Testing

struct AtomicFileTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test(arguments: [true, false])
  func replacesAFile(_ durable: Bool) throws {
    for text in ["old", "new", ""] {
      try folder.descriptor.replaceFile(
        "file".bytes, with: text.bytes, aside: "aside".bytes, durable: durable)
      #expect(try folder.read("file") == text.bytes)
      #expect(try folder.names() == ["file"])
    }
  }

  @Test func setsPermissions() throws {
    try folder.descriptor.replaceFile(
      "a".bytes, with: [], aside: "aside".bytes, durable: false)
    try folder.descriptor.replaceFile(
      "b".bytes, with: [], aside: "aside".bytes, permissions: 0o400, durable: false)
    #expect(try folder.status("a").permissions == 0o600)
    #expect(try folder.status("b").permissions == 0o400)
  }

  @Test func whatWasLeftAsideIsReplaced() throws {
    try folder.write("aside", "from a run that was killed".bytes)
    try folder.descriptor.replaceFile(
      "file".bytes, with: "x".bytes, aside: "aside".bytes, durable: false)
    #expect(try folder.names() == ["file"])
    #expect(try folder.read("file") == "x".bytes)
  }

  @Test func aLinkIsReplacedAndNotFollowed() throws {
    try folder.write("target", "kept".bytes)
    try folder.descriptor.makeSymbolicLink("file".bytes, target: "target".bytes)
    try folder.descriptor.makeSymbolicLink("aside".bytes, target: "target".bytes)
    try folder.descriptor.replaceFile(
      "file".bytes, with: "new".bytes, aside: "aside".bytes, durable: false)
    #expect(try folder.read("target") == "kept".bytes)
    #expect(try folder.read("file") == "new".bytes)
  }

  @Test func aFailureLeavesNothingAside() throws {
    try folder.descriptor.makeDirectory("file".bytes)
    #expect(throws: Errno.isDirectory) {
      try folder.descriptor.replaceFile(
        "file".bytes, with: "x".bytes, aside: "aside".bytes, durable: false)
    }
    #expect(try folder.names() == ["file"])
  }

  @Test func contentsOfANameThatIsNotThere() throws {
    let none = try folder.descriptor.contents(of: "none".bytes)
    #expect(none == nil)
    try folder.write("file", "1234".bytes)
    let four = try folder.descriptor.contents(of: "file".bytes, limit: 4)
    #expect(four == "1234".bytes)
    #expect(throws: Errno.rangeError) {
      _ = try folder.descriptor.contents(of: "file".bytes, limit: 3)
    }
    try folder.descriptor.makeDirectory("folder".bytes)
    #expect(throws: Errno.invalid) { _ = try folder.descriptor.contents(of: "folder".bytes) }
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    #expect(throws: Errno.loop) { _ = try folder.descriptor.contents(of: "link".bytes) }
  }
}
