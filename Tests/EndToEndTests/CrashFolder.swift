// A folder with a history. Each crash runs in a copy of it, and the checks after the crash read the copy with code of
// the tests, not with memento.

import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder before the crash, and what each of its states holds.
final class CrashFolder {
  let shell: Shell
  /// What each state must restore to.
  private(set) var states: [String: FolderRecord] = [:]
  /// The content of the folder.
  private(set) var record: FolderRecord

  /// On one processor, memento works with one thread. Blocks are then in the same order in every run, so damage at a
  /// given place of a pack always hits the same content.
  private static let onOneProcessor = Machine.has("taskset") ? ["taskset", "-c", "0"] : []

  /// Runs scripts in a new folder, one after the other, and saves a state after each script that names one.
  init(_ steps: [(script: String, state: String?)]) throws {
    shell = try Shell()
    mkdir("\(shell.path)/base", 0o755)
    record = try FolderRecord(of: "\(shell.path)/base")
    for step in steps {
      let bind = CrashFolder.onOneProcessor.isEmpty ? "" : "taskset -p -c 0 $$ >/dev/null\n"
      let run = try shell.run("cd base; set -e\n" + bind + step.script)
      try #require(run.status == 0, "\(run.errors)")
      record = try FolderRecord(of: "\(shell.path)/base")
      if let state = step.state {
        let saved = try Launch(
          CrashFolder.onOneProcessor + [Machine.program, "save", state, "-q"], in: "\(shell.path)/base")
        try #require(saved.status == 0, "\(saved.errors)")
        states[state] = record
      }
    }
  }

  static let firstFiles = """
    mkdir -p d/e gone/deep kind2 closed; head -c 150000 /dev/zero | tr '\\0' 'x' > big; seq 9000 > numbers
    echo a > a; echo b > d/b; echo c > d/e/c; echo f > gone/deep/f; echo file > kind; echo in > kind2/in; ln -s a l
    ln numbers hard; echo mode > mode; echo r > closed/r; chmod 555 closed; touch -d 2001-02-03T04:05:06.789 d/b d
    """
  static let changes = """
    echo changed > a; echo x >> big; rm d/b; rm -r gone; mkdir -p new/dir; echo n > new/dir/n; rm kind; mkdir kind
    echo k > kind/k; rm -r kind2; ln -s big kind2; ln -sf mode l; chmod 600 mode; seq 8000 > numbers; chmod 755 closed
    rm closed/r; touch -d 2002-02-02 d/e
    """

  /// The calls of a command that change something, found by a run in a copy.
  func calls(of arguments: [String], in other: String = "base") throws -> [Injection.Call] {
    let trial = try copy("trial-\(arguments.joined())", of: other)
    let calls = try Injection.calls(Injection.mutating, of: arguments, in: trial.path)
    try trial.remove()
    return calls
  }

  func copy(_ name: String, of other: String = "base") throws -> CrashCopy {
    let copy = "\(shell.path)/\(name)"
    let run = try Launch(["cp", "-a", "\(shell.path)/\(other)", copy])
    try #require(run.status == 0, "\(run.errors)")
    return CrashCopy(folder: self, name: name, path: copy)
  }
}

/// One copy, in which a command is killed.
struct CrashCopy {
  let folder: CrashFolder
  let name: String
  let path: String

  func memento(_ arguments: String...) throws -> Launch {
    try Launch([Machine.program] + arguments, in: path)
  }

  func record() throws -> FolderRecord {
    try FolderRecord(of: path)
  }

  /// Kills a command just before a call. `isCertain`: false when the calls of the command depend on how fast it is.
  func kill(
    _ arguments: [String], at call: Injection.Call, isCertain: Bool = true, input: String = ""
  ) throws {
    let run = try Injection.run(arguments, in: path, inject: call.inject("signal=KILL"), input: input)
    if !isCertain, run.status == 0 { return }
    #expect(run.status == 137, "\(call) of \(arguments) was not hit: \(run.status) \(run.errors)")
  }

  var isStore: Bool { access("\(path)/.memento/config", F_OK) == 0 }

  var leftovers: [String] {
    get throws { try Launch(["ls", "-A", ".memento/tmp"], in: path).output.split(separator: "\n").map(String.init) }
  }

  /// Bytes of all files of the store.
  func storeSize() throws -> Int {
    let run = try Launch(["find", ".memento", "-type", "f", "-printf", "%s\\n"], in: path)
    return run.output.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
  }

  func stateNames() throws -> [String] {
    let run = try memento("list", "-z")
    #expect(run.status == 0, "\(run.errors)")
    return run.outputBytes.split(separator: 0).map { String(decoding: $0.split(separator: 9)[1], as: UTF8.self) }
  }

  /// Checks that the store is intact and that every expected state restores to its content. States in `others` may also
  /// exist.
  func expectStates(_ expected: [String: FolderRecord], others: [String: FolderRecord] = [:], _ when: String) throws {
    let verified = try memento("verify", "--read-data", "-q")
    #expect(verified.status == 0, "\(when): \(verified.output)\(verified.errors)")
    let names = try stateNames()
    #expect(Set(names).isSuperset(of: expected.keys), "\(when): \(names)")
    #expect(Set(names).isSubset(of: Array(expected.keys) + Array(others.keys)), "\(when): \(names)")
    for name in names {
      let target = "\(path)-\(name)"
      let run = try memento("restore", name, "--to", target, "-q")
      #expect(run.status == 0, "\(when): \(name): \(run.errors)")
      let known = try #require(expected[name] ?? others[name])
      #expect(try FolderRecord(of: target).differences(from: known) == [], "\(when): \(name)")
      _ = try Launch(["rm", "-rf", target])
    }
  }

  /// Checks that the next save succeeds without help and removes what the crash has left.
  func expectNextSave(_ when: String) throws {
    let run = try memento("save", "next", "-q")
    #expect(run.status == 0, "\(when): \(run.errors)")
    #expect(try leftovers == [], "\(when)")
    let target = "\(path)-next"
    #expect(try memento("restore", "next", "--to", target, "-q").status == 0, "\(when)")
    #expect(try FolderRecord(of: target).differences(from: record()) == [], "\(when)")
    _ = try Launch(["rm", "-rf", target])
  }

  func remove() throws {
    _ = try Launch(["rm", "-rf", path])
  }
}
