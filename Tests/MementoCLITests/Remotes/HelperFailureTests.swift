import MementoKit
import Testing

@testable import MementoCLI

@Suite struct HelperFailureTests {
  private func failure(_ lines: String..., end: ProcessEnd = .exited(255), isSSH: Bool = true) -> HelperFailure {
    HelperFailure(HelperProcess.Ending(end: end, lines: lines), isSSH: isSSH, host: "box")
  }

  @Test func whatIsSaidIsOneLine() {
    #expect(
      failure("ssh: connect to host box port 22: Connection refused\r").line
        == "ssh: connect to host box port 22: Connection refused")
    #expect(failure("one", "two", "three.", "four").line == "two; three; four")
    #expect(failure("a\u{1B}[31mb").line == "a\\x1b[31mb")
    #expect(failure("", "  ", "@@@@@@", "** WARNING: x").line == nil)
    #expect(failure(String(repeating: "x", count: 10_000)).line?.count == 400)
  }

  @Test func eachKindHasItsCode() {
    let changed = failure(
      "@@@@@@@@@@@@", "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @", "@@@@@@@@@@@@",
      "Host key for box has changed and you have requested strict checking.", "Host key verification failed.")
    #expect(changed.code == .untrusted)
    #expect(
      changed.line
        == "Host key for box has changed and you have requested strict checking; Host key verification failed")
    #expect(
      failure("No ED25519 host key is known for box and you have requested strict checking.").code == .untrusted)
    #expect(failure("ada@box: Permission denied (publickey).").code == .denied)
    #expect(failure("Received disconnect from box: Too many authentication failures").code == .denied)
    #expect(failure("ssh: Could not resolve hostname box: Name or service not known").code == nil)
    // A file there that cannot be written is no question of the login.
    #expect(failure("memento: cannot make /a: Permission denied", end: .exited(1)).code == nil)
  }

  /// Who reads first how the key is forgotten, forgets it.
  @Test func theCommandThatForgetsAKeyIsLeftOut() {
    let changed = failure(
      "Offending ED25519 key in /home/ada/.ssh/known_hosts:3", "  remove with:",
      "  ssh-keygen -f \"/home/ada/.ssh/known_hosts\" -R \"box\"",
      "Host key for box has changed and you have requested strict checking.", "Host key verification failed.")
    #expect(changed.code == .untrusted && changed.line?.contains("ssh-keygen") == false, "\(changed)")
    #expect(changed.line?.hasPrefix("Offending ED25519 key in /home/ada/.ssh/known_hosts:3; Host key for box") == true)
  }

  @Test func aMissingProgramThere() {
    let failure = failure("bash: line 1: memento: command not found", end: .exited(127))
    #expect(failure.line == "there is no memento on box")
    #expect(failure.code == .unreachable && failure.reason == .missingProgram && failure.program == "memento")
  }

  @Test func aHelperOfAnotherEngine() {
    #expect(failure("memento: no route", "hint: try", isSSH: false).line == "no route")
    #expect(failure(end: .signalled(9), isSSH: false).line == "it was ended by signal 9")
    #expect(failure("Permission denied (publickey).", isSSH: false).code == nil)
  }
}
