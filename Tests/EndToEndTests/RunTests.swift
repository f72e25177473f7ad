import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `memento run` in scripts and pipes, without a terminal: the command runs as it would without memento.
@Suite(.needsProgram) struct RunTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    try shell.directory.write("a", "a".bytes)
    try shell.done("save", "one", "-q")
  }

  @Test func inPipes() throws {
    let run = try shell.run(
      """
      printf 'one\\ntwo\\n' | memento run -q -- sh -c 'cat > b; echo done' | tr d D
      seq 100000 | memento run -q -- cat | wc -l
      memento run -q -- seq 1000000 | head -1; echo ${PIPESTATUS[0]}
      memento run -q -- cat <a >out 2>err; cat out; echo; cat b
      """)
    #expect(run.output == "Done\n100000\n1\n141\na\none\ntwo\n", "\(run.output)\(run.errors)")
    #expect(run.errors.isEmpty, "\(run.errors)")
  }

  @Test func whereItWasStarted() throws {
    let run = try shell.run(
      """
      mkdir -p d/e; cd d/e; memento run -q -- pwd; cd "$FOLDER"; memento -C d run -q -- pwd; memento run -q -C d/e -- pwd
      memento run -q --store "$FOLDER/.memento" -- pwd; cd /; memento -C "$FOLDER/d" run -q -- sh -c 'cat ../a'
      """)
    let path = shell.path
    #expect(run.output == "\(path)/d/e\n\(path)/d\n\(path)/d/e\n\(path)\na", "\(run.output)\(run.errors)")
  }

  @Test(.enabled(if: Machine.has("ls") && access("/proc/self/fd", R_OK) == 0, "there is no /proc/self/fd"))
  func noDescriptorOfTheStoreIsPassedOn() throws {
    let run = try shell.run(
      "ls /proc/self/fd >plain; memento run -q -- ls /proc/self/fd >below; diff plain below && echo same")
    #expect(run.output == "same\n", "\(run.output)")
  }

  @Test func signalsAreWhatTheCallerMadeThem() throws {
    // In a script, the shell ignores SIGINT for background processes.
    let run = try shell.run(
      """
      ignored() { sed -n 's/^SigIgn:\\t*//p' /proc/self/status; }
      memento run -q -- sed -n 's/^SigIgn:\\t*//p' /proc/self/status >below; sed -n 's/^SigIgn:\\t*//p' /proc/self/status >plain
      cmp plain below && echo same
      trap '' PIPE HUP XFSZ
      memento run -q -- sed -n 's/^SigIgn:\\t*//p' /proc/self/status >below; sed -n 's/^SigIgn:\\t*//p' /proc/self/status >plain
      cmp plain below && echo same
      trap '' CHLD; memento run -q -- sh -c 'exit 7'; echo $?; memento save v --stdin-from -q -- false; echo $?
      """)
    #expect(run.output == "same\nsame\n7\n1\n", "\(run.output)\(run.errors)")
  }

  @Test(arguments: [(SIGTERM, "TERM"), (SIGINT, "INT"), (SIGHUP, "HUP"), (SIGQUIT, "QUIT"), (SIGUSR1, "USR1")])
  func aSignalToMementoIsForTheCommand(_ signal: Int32, _ name: String) throws {
    let program = try RunningProgram(
      [Machine.program, "run", "--", "sh", "-c", "echo b > b; : > \(shell.path)/ready; exec sleep 60"],
      in: shell.path)
    while !shell.directory.exists("ready") { usleep(5000) }
    program.signal(signal)
    let run = try program.wait()
    #expect(run.status == 128 + signal)
    #expect(run.errors.hasPrefix("memento: sh: it was ended by signal \(signal); 2 added; saved as "), "\(run.errors)")
    #expect(try shell.done("status").output.hasSuffix("nothing changed\n"))
  }

  @Test func aCommandMayCatchTheSignal() throws {
    let program = try RunningProgram(
      [
        Machine.program, "run", "--restore-on-failure", "--", "bash", "-c",
        "trap 'echo caught > b; exit 0' TERM; : > \(shell.path)/ready; while :; do :; done",
      ], in: shell.path)
    while !shell.directory.exists("ready") { usleep(5000) }
    program.signal(SIGTERM)
    #expect(try program.wait().status == 0)
    #expect(try shell.directory.read("b") == "caught\n".bytes)
  }

  @Test func inTheBackgroundOfAScriptItOutlivesControlC() throws {
    let run = try shell.run(
      """
      memento run -q -- sh -c ': > ready; sleep 0.3; echo b > b' &
      while [ ! -e ready ]; do sleep 0.01; done
      kill -INT $!; wait $!; echo $?; cat b
      """)
    #expect(run.output == "0\nb\n", "\(run.output)\(run.errors)")
  }

  @Test func withATimeLimit() throws {
    let run = try shell.run(
      """
      timeout 60 "$PROGRAM" run --restore-on-failure -- sh -c 'echo b > b; : > ready; exec sleep 60' &
      until [ -e ready ]; do sleep 0.01; done
      kill -ALRM $!; wait $!; echo $?; ls
      """)
    #expect(run.output == "124\na\n", "\(run.output)\(run.errors)")
    #expect(run.errors.contains("ended by signal 15; 2 added, taken back"), "\(run.errors)")
  }

  /// memento is killed while the command runs. The state before is saved, and the command goes on.
  @Test func killedInBetween() throws {
    try shell.directory.write("a", "precious".bytes)
    let before = try shell.record()
    let program = try RunningProgram(
      [Machine.program, "run", "--", "sh", "-c", "echo ruined > a; : > ready; exec sleep 60"], in: shell.path)
    while !shell.directory.exists("ready") { usleep(5000) }
    program.signal(SIGKILL)
    #expect(try program.wait().status == 137)
    kill(-program.process, SIGKILL)
    #expect(try shell.memento("verify", "-q").status == 0)
    try shell.done("undo", "-q")
    #expect(try shell.record().differences(from: before) == [])
  }

  @Test func theCommandMayUseTheStore() throws {
    let run = try shell.run(
      """
      export PROGRAM
      memento run -- sh -c 'echo b > b; "$PROGRAM" save inner --wait 0 -q && "$PROGRAM" gc --wait 0 -q && echo c > c'; echo $?
      memento run -q -- "$PROGRAM" run -q -- "$PROGRAM" undo --wait 0 -q; echo $?; ls
      memento verify -q; echo $?
      """)
    #expect(run.output == "0\n0\na\nb\n0\n", "\(run.output)\(run.errors)")
    // The changes are those since the state before the command, whatever was saved in between.
    #expect(run.errors.hasPrefix("memento: sh: 2 added; saved as "), "\(run.errors)")
  }

  @Test func anInterruptedRestoreComesFirst() throws {
    try shell.directory.write("a", "changed".bytes)
    try shell.done("save", "two", "-q")
    try shell.interruptRestore(of: "one")
    let run = try shell.run("memento run -- touch ran; echo $?; ls ran")
    #expect(run.output == "125\n", "\(run.output)")
    #expect(run.errors.hasPrefix("memento: a restore was interrupted\nhint: "), "\(run.errors)")
  }

  @Test func withoutStandardStreams() throws {
    let run = try shell.run(
      "\"$PROGRAM\" run -- sh -c 'echo out; echo err >&2; cat; echo b > b' <&- >&- 2>&-; echo $?; cat b; memento status -q"
    )
    #expect(run.output.hasPrefix("0\nb\n"), "\(run.output)")
  }
}
