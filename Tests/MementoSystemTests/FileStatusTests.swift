import MementoSystem
import TestSupport
import Testing

struct FileStatusTests {
  @Test func tellsKindsApart() throws {
    let folder = try TemporaryDirectory()
    try folder.write("file", "12345".bytes)
    try folder.descriptor.makeDirectory("folder".bytes, permissions: 0o700)
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    try folder.descriptor.makeNode("fifo".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    let kinds = try ["file", "folder", "link", "fifo"].map { name in
      try folder.descriptor.status(of: name.bytes).kind
    }
    #expect(kinds == [.regular, .directory, .symbolicLink, .fifo])
    let file = try folder.status("file")
    #expect(file.size == 5)
    #expect(file.isRegular && !file.isDirectory)
    #expect(file.user == Host.effectiveUser)
    let inner = try folder.status("folder")
    #expect(inner.isDirectory && !inner.isRegular)
    #expect(inner.permissions == 0o700)
    #expect(inner.identity != file.identity)
    #expect(inner.device == file.device)
  }

  @Test func tellsTheNumbersOfADevice() throws {
    let devices = try Descriptor.open("/dev".bytes, .namedDirectory)
    let status = try devices.status(of: "null".bytes)
    #expect(status.kind == .characterDevice)
    #if os(Linux)
      #expect(status.deviceNumber == (1, 3))
    #endif
  }

  @Test func everyBitPatternIsAKindOrNone() throws {
    let folder = try TemporaryDirectory()
    var status = try folder.descriptor.status()
    let kinds = (0..<16).map { type -> FileKind? in
      status.mode = UInt32(type) << 12 | 0o7777
      return status.kind
    }
    let expected: [FileKind?] = [
      nil, .fifo, .characterDevice, nil, .directory, nil, .blockDevice, nil, .regular, nil, .symbolicLink, nil,
      .socket, nil, nil, nil,
    ]
    #expect(kinds == expected)
    #expect(status.permissions == 0o7777)
  }

  @Test func timesAreOrdered() {
    let times = [
      Timestamp.distantPast, Timestamp(seconds: -1, nanoseconds: 0), Timestamp(seconds: -1, nanoseconds: 1),
      Timestamp(seconds: 0, nanoseconds: 0), Timestamp(seconds: 0, nanoseconds: 999_999_999),
      Timestamp(seconds: 1, nanoseconds: 0),
    ]
    #expect(times.reversed().sorted() == times)
  }

  @Test(arguments: [
    (Int64(5), Int64(3), Int64(8)), (5, -8, -3), (.max, 1, .max), (.min, -1, .min), (.max, -1, .max - 1),
  ])
  func addingStopsAtTheEnds(_ start: Int64, _ delta: Int64, _ end: Int64) {
    let time = Timestamp(seconds: start, nanoseconds: 7).adding(seconds: delta)
    #expect(time == Timestamp(seconds: end, nanoseconds: 7))
  }
}
