import MementoKit
import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct HelperProcessTests {
  private func start(_ script: String) throws -> HelperProcess {
    try HelperProcess([BytePath("sh"), BytePath("-c"), BytePath(script)], context: CommandContext())
  }

  private func end(_ helper: HelperProcess) -> HelperProcess.Ending {
    close(helper.answers)
    close(helper.requests)
    return helper.finish()
  }

  private func answers(of helper: HelperProcess) throws -> String {
    String(decoding: try DescriptorBytes.all(of: helper.answers, limit: 1 << 20), as: UTF8.self)
  }

  @Test func itHearsAndAnswers() throws {
    let helper = try start("read a; echo \"<$a>\"; echo why >&2; exit 4")
    #expect(write(helper.requests, "x\n", 2) == 2)
    #expect(try answers(of: helper) == "<x>\n")
    #expect(end(helper) == HelperProcess.Ending(end: .exited(4), lines: ["why"]))
  }

  @Test func itEndsWhenNobodyAsksAnyMore() throws {
    #expect(end(try start("cat >/dev/null; exit 0")).end == .exited(0))
  }

  @Test func oneThatDoesNotEndIsEnded() throws {
    #expect(end(try start("trap '' TERM; exec sleep 600")).end == .signalled(SIGKILL))
  }

  @Test func itNeverWaitsForItsComplaints() throws {
    let helper = try start(
      "i=0; while [ $i -lt 3000 ]; do echo \"line $i of a helper that says too much\" >&2; i=$((i+1)); done; echo ok")
    #expect(try answers(of: helper) == "ok\n")
    let ending = end(helper)
    #expect(ending.end == .exited(0))
    #expect(ending.lines.last == "line 2999 of a helper that says too much")
    #expect(ending.lines.count < 200)
  }

  @Test func whatItHasStartedMayKeepThePipe() throws {
    #expect(end(try start("sleep 3 & echo shared >&2")).lines == ["shared"])
  }

  @Test func oneIsNotKeptOpenByAnother() throws {
    let first = try start("cat >/dev/null; exit 7")
    let second = try start("cat >/dev/null")
    #expect(end(first).end == .exited(7))
    #expect(end(second).end == .exited(0))
  }

  @Test func itInheritsNoPassphrase() throws {
    setenv("MEMENTO_PASSWORD_COMMAND", "hush", 1)
    defer { unsetenv("MEMENTO_PASSWORD_COMMAND") }
    setenv("MEMENTO_NEW_PASSWORD", "hush", 1)
    defer { unsetenv("MEMENTO_NEW_PASSWORD") }
    let helper = try start("env")
    let environment = try answers(of: helper)
    #expect(!environment.contains("hush") && !environment.contains("MEMENTO_PASSWORD") && environment.contains("PATH="))
    #expect(end(helper).end == .exited(0))
  }

  @Test func oneThatIsNotThere() {
    #expect(throws: Errno.notFound) { try HelperProcess([BytePath("no-such-helper")], context: CommandContext()) }
  }
}
