import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The built program: what it leaves when it ends, in any way.
@Suite(.needsProgram) struct BisectProgramTests {
  private func shop() throws -> (shell: Shell, scratch: TemporaryDirectory) {
    let shell = try Shell()
    for number in 1...8 {
      try shell.directory.write("file", "\(number)".bytes)
      try shell.done("save", "s\(number)", "-q")
    }
    return (shell, try TemporaryDirectory())
  }

  /// The folder and the store.
  private func records(_ shell: Shell) throws -> [FolderRecord] {
    [try shell.record(), try FolderRecord(of: shell.path + "/.memento")]
  }

  @Test func theFolderAndTheStoreStayByteForByte() throws {
    let (shell, scratch) = try shop()
    let before = try records(shell)
    let run = try shell.run(
      "memento bisect s1 s8 -- sh -c 'rm -f x; echo y > y; test $(cat file) -lt 4 && chmod -R 000 .; test $(cat file) -lt 4'",
      environment: ["TMPDIR": scratch.path])
    #expect(run.status == 1 || run.output.hasPrefix("first bad"), "\(run.errors)")
    let again = try shell.run(
      "memento bisect s1 s8 -- sh -c 'test $(cat file) -lt 4'", environment: ["TMPDIR": scratch.path])
    #expect(
      again.status == 0 && again.output.contains("(s4)") == false && again.output.contains("  s4"), "\(again.output)")
    #expect(try records(shell) == before)
    #expect(try scratch.names().isEmpty)
  }

  @Test func theCommandGetsNoPassphraseAndItsFolder() throws {
    let (shell, scratch) = try shop()
    let run = try shell.run(
      "memento bisect s1 s8 -- sh -c 'env | grep MEMENTO_ >&2; pwd -P >&2; test $(cat file) -lt 4'",
      environment: [
        "TMPDIR": scratch.path, "MEMENTO_PASSWORD": "secret", "MEMENTO_PASSWORD_FILE": "secret",
        "MEMENTO_NEW_PASSWORD": "secret",
      ])
    #expect(run.status == 0)
    #expect(!run.errors.contains("secret") && run.errors.contains("/memento-bisect-"))
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aSignalEndsItAndTheScratchFolderGoes(_ signal: Int32, _ status: Int32) throws {
    let (shell, scratch) = try shop()
    let before = try records(shell)
    // A command that takes the signal for a failure like any other: it is no verdict.
    let script = """
      TMPDIR=\(scratch.path) "$PROGRAM" bisect s1 s8 -- sh -c 'trap "exit 1" INT TERM HUP; echo > ../../started; sleep 30 & wait' &
      pid=$!
      while ! test -e \(scratch.path)/started; do sleep 0.02; done
      kill -\(signal) $pid; wait $pid; echo "=$?"
      """
    // A background job of a shell without job control ignores SIGINT.
    let run = try shell.run("set -m\n" + script)
    #expect(run.output.contains("=\(status)"), "\(run.output) \(run.errors)")
    #expect(try scratch.names() == ["started"])
    #expect(try records(shell) == before)
  }

  @Test(.needsMounts) func aReadOnlyStoreIsEnough() throws {
    let (shell, scratch) = try shop()
    let run = try shell.runMounting(
      "mount --bind . . && mount -o remount,ro,bind . && cd . && TMPDIR=\(scratch.path) memento bisect s1 s8 -- sh -c 'test $(cat file) -lt 4'"
    )
    #expect(run.status == 0 && run.output.contains("  s4"), "\(run.errors)")
    #expect(try scratch.names().isEmpty)
  }

  @Test(.needsMounts) func whatIsMountedInItIsNotEmptied() throws {
    let (shell, scratch) = try shop()
    let other = try TemporaryDirectory()
    try other.write("precious", "precious".bytes)
    let run = try shell.runMounting(
      "TMPDIR=\(scratch.path) memento bisect s1 s8 -- sh -c 'mkdir -p m; mount --bind \(other.path) m'")
    #expect(run.status != 0 && run.errors.contains("something is mounted at"), "\(run.errors)")
    #expect(try other.read("precious") == "precious".bytes)
  }
}
