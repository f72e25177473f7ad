import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// After a signal, the program ends soon, with the status that shells expect, and leaves nothing behind.
@Suite(.needsProgram, .needsStrace) struct SignalTests {
  private static let endings: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)]

  @Test(arguments: endings)
  func aSaveEnds(_ signal: Int32, _ status: Int32) throws {
    let shell = try Shell()
    try shell.directory.write("small", "small".bytes)
    try shell.done("save", "one", "-q")
    try shell.directory.write("big", Content.random(20_000_000, seed: 1))
    let run = try interrupted(shell, ["save", "two", "-q"], by: signal, at: "read,pread64", of: "big")
    #expect(run.status == status)
    #expect(run.errors == "memento: interrupted\n")
    #expect(run.output.isEmpty)
    try expectGood(shell, states: ["one"])
    #expect(try shell.memento("save", "three", "-q", "--wait", "0").status == 0)
    try expectGood(shell, states: ["one", "three"])
  }

  /// What an interrupted save has stored is not stored again, and gc removes it if no save needs it.
  @Test func theNextSaveGoesOn() throws {
    let shell = try Shell()
    let content = Content.random(90_000_000, seed: 5)
    try shell.directory.write("big", content)
    let run = try Launch(
      ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=read,pread64:signal=\(SIGINT):when=28"]
        + ["-P", "\(shell.path)/big", Machine.program, "save", "one", "-q"], in: shell.path)
    #expect(run.status == 130)
    #expect(
      run.errors
        == "memento: interrupted\nhint: what it has stored so far is kept: the next save does not store it again\n")
    try expectGood(shell, states: [])
    let kept = try packBytes(shell)
    #expect(kept > 16_000_000)
    try shell.done("save", "two", "-q")
    try expectGood(shell, states: ["two"])
    // Nothing is there twice.
    #expect(try packBytes(shell) < 91_000_000)
  }

  @Test(arguments: endings)
  func aRestoreEnds(_ signal: Int32, _ status: Int32) throws {
    let shell = try Shell()
    try shell.directory.write("big", Content.random(20_000_000, seed: 1))
    try shell.done("save", "one", "-q", "--no-sync")
    try shell.directory.write("big", [])
    try shell.done("save", "two", "-q")
    let before = try shell.record()
    let run = try interrupted(shell, ["restore", "one", "-q"], by: signal, at: "write,pwrite64")
    #expect(run.status == status)
    #expect(run.errors == "memento: interrupted\n")
    // Until files are put in place, it ends with nothing changed. Later the restore is pending and can be aborted.
    if try shell.memento("save", "-n").status == 14 {
      try shell.done("restore", "--abort", "-q")
    }
    #expect(try shell.record().differences(from: before) == [])
    try expectGood(shell, states: ["one", "two"])
    #expect(try shell.memento("save", "three", "-q", "--wait", "0").status == 0)
  }

  @Test func aVerificationEnds() throws {
    let shell = try Shell()
    try shell.directory.write("big", Content.random(20_000_000, seed: 2))
    try shell.done("save", "one", "-q", "--no-sync")
    #expect(try interrupted(shell, ["verify", "--read-data"], by: SIGINT, at: "pread64").status == 130)
  }

  @Test func underJSONItIsAnObject() throws {
    let shell = try Shell()
    try shell.directory.write("big", Content.random(20_000_000, seed: 3))
    let run = try interrupted(shell, ["save", "one", "--json"], by: SIGTERM, at: "read,pread64", of: "big")
    #expect(run.status == 143)
    #expect(run.errors == "{\"code\":143,\"id\":\"cancelled\",\"message\":\"interrupted\",\"type\":\"error\"}\n")
  }

  @Test func whatIsIgnoredStaysIgnored() throws {
    let shell = try Shell()
    try shell.directory.write("big", Content.random(20_000_000, seed: 4))
    let run = try shell.run("trap '' HUP; \"$PROGRAM\" save one -q & sleep 0.1; kill -HUP $!; wait $!; echo $?")
    #expect(run.output == "0\n")
  }

  /// A process that waits for another one reports it, names that process, and reacts to a signal.
  @Test(arguments: endings)
  func aWaitEnds(_ signal: Int32, _ status: Int32) throws {
    let shell = try Shell()
    try shell.directory.write("a", "a".bytes)
    try shell.done("save", "one", "-q")
    let holder = try RunningProgram(
      ["bash", "-c", "exec flock -x .memento/packs.lock sleep 600"], in: shell.path)
    defer { kill(-holder.process, SIGKILL) }
    while try shell.memento("gc", "--wait", "0", "-n").status != 11 { usleep(10_000) }
    for arguments in [["save", "two"], ["gc"], ["restore", "one"], ["delete", "one"]] {
      let waiting = try RunningProgram([Machine.program] + arguments + ["--wait", "600"], in: shell.path)
      for _ in 0..<6000 where !waiting.errorsSoFar.hasSuffix("\n") { usleep(10_000) }
      waiting.signal(signal)
      let run = try waiting.wait(timeout: 60)
      #expect(run.status == status, "\(arguments): \(run.errors)")
      #expect(run.errors.hasPrefix("memento: waiting for another memento to finish: process "), "\(run.errors)")
    }
    for options in [["-q"], ["--json"]] {
      let run = try Launch([Machine.program, "save", "two", "--wait", "0.6"] + options, in: shell.path)
      #expect(run.status == 11)
      #expect(!run.errors.contains("waiting"), "\(run.errors)")
    }
  }

  /// A process that is killed leaves no lock behind.
  @Test func aKilledHolderLeavesNoLock() throws {
    let shell = try Shell()
    try shell.directory.write("a", "a".bytes)
    try shell.done("save", "one", "-q")
    // The value never ends, so the command keeps the lock.
    let holder = try RunningProgram(
      ["bash", "-c", "exec \"$0\" save v --stdin-from -- sleep 60", Machine.program], in: shell.path)
    var waits = 0
    while try shell.memento("gc", "--wait", "0", "-n").status != 11, waits < 200 {
      usleep(20_000)
      waits += 1
    }
    let blocked = try shell.memento("gc", "--wait", "0")
    #expect(blocked.status == 11)
    #expect(blocked.errors.hasPrefix("memento: another process is using the store\nhint: "))
    holder.signal(SIGKILL)
    #expect(try holder.wait().status == 137)
    #expect(try shell.memento("gc", "--wait", "0", "-q").status == 0)
    #expect(try shell.memento("save", "two", "--wait", "0", "-q").status == 0)
    #expect(try shell.directory.names(".memento/tmp") == [])
  }

  /// Runs a command that gets a signal at the second of these calls.
  private func interrupted(
    _ shell: Shell, _ arguments: [String], by signal: Int32, at calls: String, of path: String? = nil
  ) throws -> Launch {
    try Launch(
      ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(calls):signal=\(signal):when=2"]
        + (path.map { ["-P", "\(shell.path)/\($0)"] } ?? []) + [Machine.program] + arguments, in: shell.path)
  }

  private func packBytes(_ shell: Shell) throws -> Int {
    try #require(Int(try shell.run("cat .memento/packs/* | wc -c").output.split(whereSeparator: \.isWhitespace)[0]))
  }

  private func expectGood(_ shell: Shell, states: [String]) throws {
    #expect(try shell.memento("verify", "--read-data", "-q").status == 0)
    let names = try shell.done("list", "-z").outputBytes.split(separator: 0).map {
      String(decoding: $0.split(separator: 9)[1], as: UTF8.self)
    }
    #expect(names == states)
  }
}
