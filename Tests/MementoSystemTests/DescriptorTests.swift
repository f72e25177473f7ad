import MementoSystem
import TestSupport
import Testing

struct DescriptorTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 1 << 20, 3_000_001])
  func readsWhatWasWritten(_ count: Int) throws {
    let bytes = Content.random(count, seed: UInt64(count))
    let file = try folder.descriptor.open("file".bytes, .create)
    try file.write(bytes)
    try file.flush()
    try file.finish()
    let back = try folder.descriptor.open("file".bytes, .read).contents()
    #expect(back == bytes)
  }

  @Test func readMovesOnAndEndsWithZero() throws {
    try folder.write("file", "abcdef".bytes)
    let file = try folder.descriptor.open("file".bytes, .read)
    var pieces: [[UInt8]] = []
    while true {
      var count = 0
      let piece = try [UInt8](unsafeUninitializedCapacity: 4) { buffer, initialized in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        initialized = count
      }
      if count == 0 { break }
      pieces.append(piece)
    }
    #expect(pieces == ["abcd".bytes, "ef".bytes])
  }

  @Test func writesAtAnyPlace() throws {
    let file = try folder.descriptor.open("file".bytes, .create)
    try file.write("later".bytes, at: 6)
    try file.write("first".bytes, at: 0)
    let bytes = try file.bytes(at: 0, count: 100)
    #expect(bytes == "first\0later".bytes)
    let middle = try file.bytes(at: 3, count: 5)
    #expect(middle == "st\0la".bytes)
    let behind = try file.bytes(at: 100, count: 5)
    #expect(behind.isEmpty)
    #expect(throws: Errno.invalid) { try file.write("x".bytes, at: .max) }
    #expect(throws: Errno.invalid) { _ = try file.bytes(at: .max, count: 1) }
    #expect(throws: Errno.invalid) { try file.truncate(to: .max) }
  }

  @Test func contentsKeepToTheirLimit() throws {
    try folder.write("file", Content.text(5000, seed: 1))
    let file = try folder.descriptor.open("file".bytes, .read)
    let count = try file.contents(limit: 5000).count
    #expect(count == 5000)
    #expect(throws: Errno.rangeError) { _ = try file.contents(limit: 4999) }
  }

  #if os(Linux)
    @Test func contentsKeepToTheirLimitWhenTheSizeIsNotKnown() throws {
      // Files of /proc have bytes and say that their size is 0.
      let file = try Descriptor.open("/proc/self/status".bytes, .read)
      let bytes = try file.contents()
      #expect(bytes.count > 100)
      #expect(throws: Errno.rangeError) { _ = try file.contents(limit: 100) }
    }
  #endif

  @Test func createIsExclusiveAndPrivate() throws {
    try folder.write("file", "kept".bytes)
    #expect(throws: Errno.exists) { _ = try folder.descriptor.open("file".bytes, .create) }
    #expect(try folder.read("file") == "kept".bytes)
    let status = try folder.status("file")
    #expect(status.permissions == 0o600)
  }

  @Test func anotherWayToAppend() throws {
    for text in ["one ", "two ", "three"] {
      let file = try folder.descriptor.open("log".bytes, .append)
      try file.write(text.bytes)
    }
    #expect(try folder.read("log") == "one two three".bytes)
  }

  @Test func noNameIsCutAtANUL() throws {
    try folder.write("file", "x".bytes)
    let name = "file\0.txt".bytes
    #expect(throws: Errno.invalid) { _ = try folder.descriptor.open(name, .read) }
    #expect(throws: Errno.invalid) { _ = try folder.descriptor.open(name, .create) }
    #expect(throws: Errno.invalid) { _ = try Descriptor.open(folder.path.bytes + [0], .directory) }
    #expect(throws: Errno.invalid) { _ = try folder.descriptor.status(of: name) }
    #expect(throws: Errno.invalid) { try folder.descriptor.removeFile(name) }
    #expect(throws: Errno.invalid) { try folder.descriptor.makeDirectory(name) }
    #expect(throws: Errno.invalid) {
      try folder.descriptor.rename("file".bytes, to: name, in: folder.descriptor)
    }
    #expect(throws: Errno.invalid) { try folder.descriptor.makeSymbolicLink("l".bytes, target: name) }
    #expect(try folder.names() == ["file"])
  }

  @Test func linksAreNotFollowed() throws {
    try folder.write("file", "secret".bytes)
    try folder.descriptor.makeDirectory("real".bytes)
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    try folder.descriptor.makeSymbolicLink("folder".bytes, target: "real".bytes)
    for mode in [OpenMode.read, .readWrite, .append, .readWriteOrCreate] {
      #expect(throws: Errno.loop) { _ = try folder.descriptor.open("link".bytes, mode) }
    }
    #expect(throws: Errno.exists) { _ = try folder.descriptor.open("link".bytes, .create) }
    #expect(throws: Errno.notDirectory) { _ = try folder.descriptor.open("folder".bytes, .directory) }
    let named = try folder.descriptor.open("folder".bytes, .namedDirectory).status()
    #expect(named.isDirectory)
    let content = try folder.descriptor.open("link".bytes, .namedFile).contents()
    #expect(content == "secret".bytes)
  }

  @Test func aFifoDoesNotBlock() throws {
    try folder.descriptor.makeNode("fifo".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    let status = try folder.descriptor.open("fifo".bytes, .read).status()
    #expect(status.kind == .fifo)
    #expect(throws: Errno.noDevice) { _ = try folder.descriptor.open("fifo".bytes, .append) }
    #expect(throws: Errno.invalid) { _ = try folder.descriptor.contents(of: "fifo".bytes) }
  }

  @Test func aDuplicateIsOfTheSameFile() throws {
    let file = try folder.descriptor.open("file".bytes, .create)
    let copy = try file.duplicate()
    #expect(copy.raw != file.raw)
    let identities = (try file.status().identity, try copy.status().identity)
    #expect(identities.0 == identities.1)
  }
}
