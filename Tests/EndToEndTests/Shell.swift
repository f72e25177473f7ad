// Runs scripts that use the program as people and other programs do. In a script, `memento` is the program that `swift
// build` has made, and `status COMMAND…` runs a command and prints its exit status.

import TestSupport
import Testing

struct Shell {
  let directory: TemporaryDirectory
  var path: String { directory.path }

  init() throws {
    directory = try TemporaryDirectory()
  }

  private static let prelude = """
    memento() { command "$PROGRAM" "$@"; }
    exec 3>&1
    status() { "$@"; echo "=$?" >&3; }
    nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    cd "$FOLDER"

    """

  /// Runs a script in the folder.
  func run(
    _ script: String, input: String = "", environment: [String: String?] = [:], timeout: Double = 300
  ) throws -> Launch {
    var environment = environment
    environment["PROGRAM"] = Machine.program
    environment["FOLDER"] = path
    return try Launch(
      ["bash", "-c", Shell.prelude + script], in: path, input: input.bytes, environment: environment, timeout: timeout)
  }

  /// Runs a script in a mount namespace of its own: its mounts disappear when it ends.
  func runMounting(_ script: String, timeout: Double = 300) throws -> Launch {
    try Launch(
      ["unshare", "-m", "bash", "-c", Shell.prelude + script], in: path,
      environment: ["PROGRAM": Machine.program, "FOLDER": path], timeout: timeout)
  }

  func memento(_ arguments: String..., environment: [String: String?] = [:]) throws -> Launch {
    try Launch([Machine.program] + arguments, in: path, environment: environment)
  }

  /// Runs a command line that must succeed.
  @discardableResult
  func done(_ arguments: String...) throws -> Launch {
    let launch = try Launch([Machine.program] + arguments, in: path)
    if launch.status != 0 { throw UnexpectedStatus(arguments: arguments, launch: launch) }
    return launch
  }

  func record() throws -> FolderRecord {
    try FolderRecord(of: path)
  }
}

struct UnexpectedStatus: Error {
  let arguments: [String]
  let launch: Launch
}

extension Trait where Self == ConditionTrait {
  static var needsProgram: Self {
    .enabled(if: Machine.hasProgram, "there is no \(Machine.program): run `swift build`")
  }
  static var needsRoot: Self { .enabled(if: Machine.isRoot, "only root can become another user") }
  static var needsMounts: Self { .enabled(if: Machine.canMount, "file systems cannot be mounted here") }
  static var needsStrace: Self { .enabled(if: Machine.canInject, "strace is missing, or may not trace") }
}

extension Shell {
  /// Kills a restore of a state when it begins to put files in place. Needs strace.
  func interruptRestore(of state: String) throws {
    let run = try Injection.run(
      ["restore", state, "-q"], in: path, inject: "?renameat2:signal=KILL:when=1")
    try #require(run.status == 137, "\(run.errors)")
    try #require(try memento("save", "-n").status == 14)
  }
}
