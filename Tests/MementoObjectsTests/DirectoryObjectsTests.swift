// Objects in a folder that holds other things, too.

import MementoObjects
import MementoSystem
import MementoTime
import TestSupport
import Testing

@Suite struct DirectoryObjectsTests {
  private let folder: TemporaryDirectory
  private let storage: DirectoryObjects

  init() throws {
    folder = try TemporaryDirectory()
    storage = DirectoryObjects(path: "\(folder.path)/remote//".bytes)
  }

  private func remote() throws -> Descriptor {
    try folder.descriptor.open("remote".bytes, .directory)
  }

  @Test func whatIsNoObjectIsPassedOver() throws {
    try storage.put([1], as: "packs/one")
    let remote = try remote()
    for name in ["README", ".hidden", "lost+found", "name with spaces", "\u{fffd}", "x_y"] {
      try remote.open(Array(name.utf8), .create).write([1])
    }
    try remote.open([0xff, 0xfe], .create).write([1])
    try remote.makeSymbolicLink("link".bytes, target: "packs/one".bytes)
    try remote.makeSymbolicLink("way".bytes, target: "packs".bytes)
    try remote.makeNode("fifo".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    #expect(try storage.names() == ["packs/one"])
  }

  @Test func nothingIsReachedThroughALink() throws {
    try storage.put([1], as: "packs/one")
    let remote = try remote()
    try folder.write("secret", "secret".bytes)
    try remote.makeSymbolicLink("link".bytes, target: "../secret".bytes)
    try remote.makeSymbolicLink("way".bytes, target: "..".bytes)
    for name in ["link", "way/secret"] {
      #expect(throws: ObjectError.self) { try storage.read(name, count: 10) }
      #expect(throws: ObjectError.self) { try storage.size(of: ObjectName(text: name)) }
    }
    #expect(throws: ObjectError.self) { try storage.put([2], as: "way/secret") }
    #expect(throws: ObjectError.self) { try storage.remove(ObjectName(text: "way/secret")) }
    // A put takes the place of the link and not of what it leads to.
    try storage.put([2], as: "link")
    #expect(try folder.read("secret") == "secret".bytes)
    #expect(try storage.read("link", count: 2) == [2])
  }

  @Test func aFolderIsNotReplaced() throws {
    try storage.put([1], as: "packs/one")
    #expect(throws: ObjectError.self) { try storage.put([2], as: "packs") }
    #expect(throws: ObjectError.self) { try storage.put([2], as: "packs/one/two") }
    #expect(throws: ObjectError.self) { try storage.remove(ObjectName(text: "packs")) }
    #expect(try storage.names() == ["packs/one"])
    #expect(try folder.names("remote") == ["packs"])
  }

  @Test func aReadOfAFifoDoesNotWait() throws {
    try storage.put([1], as: "one")
    try remote().makeNode("fifo".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    #expect(throws: ObjectError.self) { try storage.read("fifo", count: 10) }
  }

  @Test func aFileInThePlaceOfTheFolder() throws {
    try folder.write("remote", [1])
    for body in [{ _ = try storage.names() }, { try storage.put([1], as: "a") }] {
      do {
        try body()
        Issue.record("a file was taken for a folder")
      } catch {
        #expect((error as? ObjectError)?.kind == .noSuchPlace)
      }
    }
  }

  @Test func oldTemporaryFilesOfDeadProcessesGo() throws {
    try storage.put([1], as: "one")
    let remote = SharedDescriptor(try remote())
    let now = try remote.descriptor.status(of: "one".bytes).modified
    let old = Timestamp(seconds: now.seconds - 7200, nanoseconds: 0)
    for name in [".put-dead", ".put-alive", ".put-other"] {
      try remote.descriptor.open(name.bytes, .create).setModified(name == ".put-other" ? now : old)
    }
    // As a put that takes long has it.
    let alive = try remote.descriptor.open(".put-alive".bytes, .readWrite)
    try alive.lockAgainstSweep()
    try DirectoryObjects(path: "\(folder.path)/remote".bytes).put([1], as: "two")
    #expect(try folder.names("remote") == [".put-alive", ".put-other", "one", "two"])
    _ = try alive.status()
  }

  @Test func anEmptyPlaceIsEmpty() throws {
    #expect(try storage.names().isEmpty)
    #expect(!folder.exists("remote"))
  }

  @Test func pathsWithoutAFolder() throws {
    #expect(throws: ObjectError.self) { try DirectoryObjects(path: []).put([1], as: "a") }
    #expect(throws: ObjectError.self) { try DirectoryObjects(path: [0x61, 0, 0x62]).names() }
  }
}
