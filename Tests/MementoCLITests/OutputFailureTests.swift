import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct OutputFailureTests {
  #if os(Linux)
    @Test func aFullDiskIsAnError() throws {
      let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
      defer { close(full) }
      let run = try CommandRun("--help") { $0.standardOutput = full }
      #expect(run.status == 1)
      #expect(run.errors == "memento: cannot write standard output: No space left on device\n")
    }
  #endif

  @Test func aReaderThatLeftIsNotWorthAWord() throws {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    var ends: [Int32] = [0, 0]
    // Other tests start programs, which may inherit the reader's end of a pipe. Nothing brings back a socket that is shut.
    #expect(socketpair(AF_UNIX, stream, 0, &ends) == 0)
    #expect(shutdown(ends[1], Int32(SHUT_WR)) == 0)
    defer { for end in ends { close(end) } }
    let run = try CommandRun("--help") { $0.standardOutput = ends[1] }
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
  }
}
