// One run of the model test with the program itself, which is killed at random moments. Every command must do
// everything or nothing, and an interrupted restore is finished or aborted.

import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A difference between memento and the model.
struct ModelFailure: Error {
  let message: String
}

struct KilledModelRun {
  private let directory: TemporaryDirectory
  private let folder: FolderTools
  /// The folder that snapshots are extracted to.
  private let outside: FolderTools
  /// The user who runs the program.
  private let user: User
  private var edits: FolderEdits
  private var model: FolderModel
  private var generator: SplitMix64
  /// The operations so far, for the message of a failure.
  private(set) var history: [String] = []
  private(set) var kills = 0
  private(set) var recoveries = 0
  /// The usual time of a command, in microseconds.
  private var duration = 50_000

  enum User: Sendable {
    case oneself
    /// A user without special rights, who owns the folder. Needs root.
    case nobody

    static let number: UInt32 = 65534
    static let all: [User] = Machine.isRoot && Machine.has("setpriv") ? [.oneself, .nobody] : [.oneself]
  }

  init(seed: UInt64, as user: User) throws {
    directory = try TemporaryDirectory()
    folder = try FolderTools(making: directory.path.bytes + "/work".bytes)
    outside = try FolderTools(making: directory.path.bytes + "/outside".bytes)
    self.user = user
    if user == .nobody {
      try FolderTools(directory.path.bytes).setMode([], 0o755)
      for place in [folder, outside] { try place.setOwner([], user: User.number, group: User.number) }
    }
    generator = SplitMix64(seed: seed)
    let tree = FolderTree(try Manifest(folder))
    edits = FolderEdits(folder, tree, mayOwn: Machine.isRoot && user == .oneself)
    model = FolderModel(tree)
    try #require(try run(["init"]).status == 0)
  }

  /// A command line, and the model after it; nil when the command must fail and change nothing.
  private struct Command {
    var arguments: [String]
    var input: [UInt8] = []
    var after: FolderModel?
    /// What `--abort` leads to if the command is interrupted; nil when it cannot be interrupted or aborted.
    var aborted: FolderModel?
  }

  /// Makes some edits, runs one command and compares everything. Throws `ModelFailure` at a difference.
  mutating func step() throws {
    history.append("")
    if Bool.random(using: &generator) {
      note(try edits.make(in: model.folder, &generator))
      if user == .nobody { try giveAway() }
      model.folder = try tree()
    }
    let command = try anyCommand()
    note("\(command.arguments)")
    let launch = try runOrKill(command.arguments, command.input)
    if launch.status != 137 {
      try expect((launch.status == 0) == (command.after != nil), "it ended with \(launch.status): \(launch.errors)")
    }
    let outcomes = try recover(command)
    try settle(launch.status == 137 ? outcomes : [command.after ?? model])
  }

  /// Checks that all snapshots are unchanged. Called at the end and from time to time.
  mutating func compareSnapshots(_ limit: Int) throws {
    for snapshot in model.kept.shuffled(using: &generator).prefix(limit) { try compare(snapshot) }
    let verified = try run(["verify", "--read-data", "-q"])
    try expect(verified.status == 0, "verify: \(verified.output)\(verified.errors)")
    let status = try run(["status", "-q"])
    try expect(status.status == 0, "status: \(status.errors)")
  }

  /// Gives all files to the user.
  private func giveAway() throws {
    for (path, entry) in try tree().entries where entry.user != User.number || entry.group != User.number {
      try folder.setOwner(path, user: User.number, group: User.number)
    }
  }

  // MARK: Commands

  private mutating func anyCommand() throws -> Command {
    let snapshot = model.kept.randomElement(using: &generator)
    let name = ["a", "b", "c/d", "e f"].randomElement(using: &generator) ?? "a"
    var after = model
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1:
      after.save(name)
      return Command(arguments: ["save", name, "-q"], after: after)
    case 2:
      after.save(nil)
      return Command(arguments: ["save", "-q"], after: after)
    case 3:
      let value = generator.bytes(Int.random(in: 0...200_000, using: &generator))
      after.saveValue(name, value)
      return Command(arguments: ["save", name, "--stdin", "-q"], input: value, after: after)
    case 4:
      return Command(arguments: ["delete", name, "-q"], after: after.delete([name]) ? after : nil)
    case 5:
      let now = Bool.random(using: &generator) ? ["--now"] : []
      return Command(arguments: ["gc", "-q"] + now, after: after)
    case 6:
      guard let snapshot else { fallthrough }
      after.name(snapshot, name)
      return Command(arguments: ["save", name, "--from", id(snapshot), "-q"], after: after)
    case 7, 8:
      let steps = Int.random(in: 1...3, using: &generator) * (Bool.random(using: &generator) ? 1 : -1)
      let isPossible = after.move(by: steps)
      return Command(
        arguments: [steps < 0 ? "undo" : "redo", "\(abs(steps))", "-q"], after: isPossible ? after : nil,
        aborted: model.takenBack(model.pathsMoved(by: steps)))
    default:
      guard let snapshot else { return Command(arguments: ["gc", "-q"], after: after) }
      return restore(snapshot, &after)
    }
  }

  private mutating func restore(_ snapshot: Int, _ after: inout FolderModel) -> Command {
    var arguments = ["restore", id(snapshot), "-q"]
    var path: [UInt8]?
    var keepExtra = Int.random(in: 0..<4, using: &generator) == 0
    let discard = Int.random(in: 0..<6, using: &generator) == 0
    if Int.random(in: 0..<4, using: &generator) == 0 {
      // The words of a command line are text here, so only paths that are valid UTF-8 are used.
      let paths = (model.tree(snapshot)?.paths ?? []).filter { String(validating: $0, as: UTF8.self) != nil }
      path = paths.randomElement(using: &generator)
      // The model does not know which hard links remain when such a restore is finished after a kill.
      keepExtra = keepExtra && path == nil
    }
    if keepExtra { arguments.append("--keep-extra") }
    if discard { arguments.append("--discard") }
    if let path { arguments += ["--", String(decoding: path, as: UTF8.self)] }
    let paths = path.map { [$0] } ?? []
    let isPossible = after.restore(snapshot, paths: paths, keepExtra: keepExtra, discard: discard)
    let aborted = discard && !model.isClean(paths) ? nil : model.takenBack(paths)
    return Command(arguments: arguments, after: isPossible ? after : nil, aborted: aborted)
  }

  // MARK: Kills

  private mutating func runOrKill(_ arguments: [String], _ input: [UInt8] = []) throws -> Launch {
    let program = try RunningProgram(words(arguments), in: workPath, input: input)
    if Bool.random(using: &generator) {
      var start = timespec()
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &start)
      let launch = try program.wait()
      clock_gettime(CLOCK_MONOTONIC, &end)
      let microseconds = (end.tv_sec - start.tv_sec) * 1_000_000 + (end.tv_nsec - start.tv_nsec) / 1000
      duration = (duration * 3 + min(microseconds, 1_000_000)) / 4
      return launch
    }
    usleep(UInt32.random(in: 0...UInt32(duration), using: &generator))
    program.signal(SIGKILL)
    let launch = try program.wait()
    if launch.status == 137 {
      kills += 1
      note("killed")
    }
    return launch
  }

  /// Finishes or aborts a pending restore, and may kill that, too. Returns the outcomes that are possible now.
  private mutating func recover(_ command: Command) throws -> [FolderModel] {
    guard try refs().main.isRestorePending else { return [model, command.after ?? model] }
    guard let after = command.after else { throw ModelFailure(message: "a command that must fail has begun") }
    recoveries += 1
    while try refs().main.isRestorePending {
      try expect(try run(["save", "-n"]).status == 14, "a save while a restore is pending")
      let isContinued = command.aborted == nil || Bool.random(using: &generator)
      let direction = isContinued ? "--continue" : "--abort"
      note(direction)
      let launch = try runOrKill(["restore", direction, "-q"])
      if launch.status == 137 { continue }
      try expect(launch.status == 0, "\(direction): \(launch.status) \(launch.errors)")
      return [isContinued ? after : command.aborted ?? after]
    }
    // The recovery was killed after its commit.
    return [after] + (command.aborted.map { [$0] } ?? [])
  }

  // MARK: Comparison

  /// Checks that one of the outcomes is true.
  private mutating func settle(_ outcomes: [FolderModel]) throws {
    let refs = try refs()
    let found = try tree()
    var disagreements: [String] = []
    for var outcome in outcomes {
      let differences = outcome.differences(from: refs) + found.differences(from: outcome.folder)
      if differences.isEmpty {
        model = outcome
        return
      }
      disagreements.append(differences.joined(separator: "\n  "))
    }
    throw ModelFailure(message: disagreements.joined(separator: "\nor\n  "))
  }

  /// Extracts a snapshot and compares it with the model.
  private func compare(_ snapshot: Int) throws {
    switch model.snapshots[snapshot].content {
    case .tree(let tree):
      let launch = try run(["restore", id(snapshot), "--to", "\(directory.path)/outside/copy", "-q"])
      try expect(launch.status == 0, "restore --to: \(launch.errors)")
      let differences = FolderTree(try Manifest(outside.folder("copy"))).differences(from: tree)
      try expect(differences.isEmpty, "snapshot \(snapshot) is another: \(differences)")
      try outside.remove("copy".bytes)
    case .value(let bytes):
      let launch = try run(["restore", id(snapshot), "--stdout"])
      try expect(launch.outputBytes == bytes, "value \(snapshot) has other bytes: \(launch.errors)")
    }
  }

  private var workPath: String { "\(directory.path)/work" }

  private func run(_ arguments: [String]) throws -> Launch {
    try Launch(words(arguments), in: workPath)
  }

  private func words(_ arguments: [String]) -> [String] {
    let change = ["setpriv", "--reuid=\(User.number)", "--regid=\(User.number)", "--clear-groups"]
    return (user == .nobody ? change : []) + [Machine.program] + arguments
  }

  private func refs() throws -> RefsText { RefsText(try folder.read(".memento/refs".bytes)) }

  private func tree() throws -> FolderTree { FolderTree(try Manifest(folder)) }

  private func id(_ snapshot: Int) -> String { model.snapshots[snapshot].id ?? "unknown" }

  private mutating func note(_ text: String) {
    history[history.count - 1] += text + "; "
  }

  private func expect(_ isRight: Bool, _ message: @autoclosure () -> String) throws {
    if !isRight { throw ModelFailure(message: message()) }
  }
}
