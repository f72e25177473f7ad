import MementoKit
import MementoSystem
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct SpawnedCommandTests {
  private func start(_ words: String...) throws -> SpawnedCommand {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    var context = CommandContext()
    context.standardInput = nothing
    context.standardError = nothing
    return try SpawnedCommand(words.map { BytePath($0) }, context: context)
  }

  private func output(of command: SpawnedCommand) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(command.output, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func theOutputCanBeRead() throws {
    let command = try start("printf", "%s|", "a b", "", "ż")
    #expect(output(of: command) == "a b||ż|")
    #expect(command.failure() == nil)
  }

  @Test func aFailureIsSaidInWords() throws {
    #expect(try start("sh", "-c", "exit 3").failure() == "it exited with status 3")
    #expect(try start("sh", "-c", "kill -KILL $$").failure() == "it was ended by signal 9")
  }

  @Test func aCommandThatIsNotThereIsAnError() {
    #expect(throws: ErrorReport.system("run", BytePath("no-such-command"), Errno(ENOENT))) {
      try start("no-such-command")
    }
  }

  @Test func whatIsIgnoredHereIsNotIgnoredThere() throws {
    signal(SIGPIPE, SIG_IGN)
    #expect(try start("sh", "-c", "kill -PIPE $$; exit 0").failure() == "it was ended by signal 13")
  }
}
