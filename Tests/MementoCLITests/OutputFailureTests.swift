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
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let run = try CommandRun("--help") { $0.standardOutput = ends[1] }
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
  }
}
