import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct SSHCommandTests {
  private func words(_ url: String, isInteractive: Bool = false) throws -> [String] {
    SSHCommand.words(try RemoteURL(url), isInteractive: isInteractive).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func allThatAURLSays() throws {
    #expect(
      try words("ssh://ada@box:2222/srv/a") == [
        "ssh", "-T", "-o", "ConnectTimeout=25", "-o", "BatchMode=yes", "-p", "2222", "-l", "ada", "--", "box",
        "memento serve --stdio '/srv/a'",
      ])
    #expect(
      try words("ssh://[::1]/a", isInteractive: true) == [
        "ssh", "-T", "-o", "ConnectTimeout=25", "--", "::1", "memento serve --stdio '/a'",
      ])
  }

  @Test(arguments: [
    "/a b", "/it's", "/'", "/''", "/$(touch x)`touch x`", "/a;b&c|d>e", "/\\", "/\"", "/a\nb", "/*?[a]~", "/!x", "/-n",
    "/é",
  ])
  func aShellMakesTheSameBytesOfIt(_ path: String) throws {
    let quoted = SSHCommand.quoted(path.bytes)
    for shell in ["sh", "bash"] {
      let run = try Launch([shell, "-c", "printf %s " + String(decoding: quoted, as: UTF8.self)])
      #expect(run.status == 0 && run.output == path, "\(run.output)")
    }
  }

  @Test func bytesThatAreNoText() {
    #expect(SSHCommand.remoteCommand(BytePath([0x2F, 0xFF])).bytes == "memento serve --stdio '/".bytes + [0xFF, 0x27])
  }
}
