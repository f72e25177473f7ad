import MementoSystem
import TestSupport
import Testing

struct TemporaryFileTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func make(_ name: String = "aside") throws -> TemporaryFile {
    try TemporaryFile(
      making: name.bytes, in: SharedDescriptor(folder.descriptor.duplicate()), ownedLike: folder.descriptor)
  }

  private func replace(_ name: String, with text: String, durable: Bool = false) throws {
    let file = try make()
    try file.write(text.bytes)
    try file.place(as: name.bytes, in: folder.descriptor, durable: durable)
  }

  @Test(arguments: [true, false])
  func replacesAFile(_ durable: Bool) throws {
    for text in ["old", "new", ""] {
      try replace("file", with: text, durable: durable)
      #expect(try folder.read("file") == text.bytes)
      #expect(try folder.names() == ["file"])
    }
    #expect(try folder.status("file").permissions == 0o600)
  }

  @Test func takesThePlaceOfAFile() throws {
    try folder.write("file", "old".bytes)
    let file = try make()
    try file.write("new".bytes)
    try file.replace("file".bytes, in: folder.descriptor)
    #expect(try folder.read("file") == "new".bytes)
    #expect(try folder.names() == ["file"])
  }

  @Test func takesNoPlaceWhereNothingIs() throws {
    #expect(throws: Errno.notFound) {
      let file = try make()
      try file.replace("file".bytes, in: folder.descriptor)
    }
    #expect(try folder.names() == [])
  }

  @Test func aTakenNameIsLeftAlone() throws {
    try folder.write("aside", "of somebody else".bytes)
    #expect(throws: Errno.exists) { _ = try make() }
    #expect(try folder.read("aside") == "of somebody else".bytes)
  }

  @Test func aFileThatIsThereIsKept() throws {
    try folder.write("file", "first".bytes)
    #expect(throws: Errno.exists) {
      let file = try make()
      try file.place(as: "file".bytes, in: folder.descriptor, .noReplace)
    }
    #expect(try folder.read("file") == "first".bytes)
    #expect(try folder.names() == ["file"])
  }

  @Test func aLinkIsReplacedAndNotFollowed() throws {
    try folder.write("target", "kept".bytes)
    try folder.descriptor.makeSymbolicLink("file".bytes, target: "target".bytes)
    try replace("file", with: "new")
    #expect(try folder.read("target") == "kept".bytes)
    #expect(try folder.read("file") == "new".bytes)
  }

  @Test func aFailureLeavesNothingAside() throws {
    try folder.descriptor.makeDirectory("file".bytes)
    #expect(throws: Errno.isDirectory) { try replace("file", with: "x") }
    #expect(try folder.names() == ["file"])
  }

  @Test func aDroppedFileLeavesNothing() throws {
    do {
      let file = try make()
      try file.write("x".bytes)
      #expect(try folder.names() == ["aside"])
    }
    #expect(try folder.names().isEmpty)
  }

  @Test func aFileInUseIsLocked() throws {
    let file = try make()
    #expect(try folder.descriptor.open("aside".bytes, .read).isLockedByOther())
    _ = consume file
  }

  @Test func theOpenFileOutlivesItsTemporaryName() throws {
    let file = try make()
    let shared = file.file
    try file.write("1234".bytes)
    try file.place(as: "file".bytes, in: folder.descriptor)
    let bytes = try shared.descriptor.bytes(at: 1, count: 2)
    #expect(bytes == "23".bytes)
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
