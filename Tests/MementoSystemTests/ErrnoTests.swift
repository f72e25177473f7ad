import MementoSystem
import TestSupport
import Testing

struct ErrnoTests {
  @Test(arguments: [
    (Errno.notFound, "No such file or directory"),
    (.exists, "File exists"),
    (.notDirectory, "Not a directory"),
    (.noSpace, "No space left on device"),
    (.readOnly, "Read-only file system"),
    (.permissionDenied, "Permission denied"),
  ])
  func saysWhatTheLibrarySays(_ error: Errno, _ message: String) {
    #expect(error.message == message)
    #expect("\(error)" == message)
  }

  @Test func anUnknownNumberHasAMessage() {
    #expect(Errno(99_999).message.contains("99999"))
  }

  @Test func retryingReturnsTheResult() throws {
    var calls = 0
    let result = try retrying { () -> Int in
      calls += 1
      return 7
    }
    #expect(result == 7)
    #expect(calls == 1)
  }

  @Test func aFailedCallLeavesItsNumber() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: Errno.notFound) { try folder.descriptor.removeFile("none".bytes) }
    #expect(throws: Errno.notDirectory) {
      try folder.write("file", [])
      _ = try folder.status("file/below")
    }
    #expect(throws: Errno.nameTooLong) {
      try folder.descriptor.makeDirectory([UInt8](repeating: 0x61, count: 256))
    }
  }
}
