import TestSupport
import Testing

/// A sample of all system calls that can fail, the same in each run. CONTRIBUTING.md says how to try the rest.
@Suite(.needsProgram, .needsFaults) struct FaultSweepTests {
  /// Status 0 means that the command did exactly what was asked. Any other status comes with a reason, and nothing is
  /// lost.
  @Test func aFailingCallIsNoAnswer() throws {
    let run = try FaultSweep.run("--seed", FaultSweep.seed, "--scenarios", "6", "--seconds", "60")
    #expect(run.status == 0, "seed \(FaultSweep.seed)\n\(run.output)\(run.errors)")
    #expect(run.output.contains(", 0 bad, "), "\(run.output)")
    #expect(!run.output.contains("\n0 tried, "), "\(run.output)")
  }

  /// Proves that the bench works: it detects a program that exits with 0 after a failure.
  @Test(arguments: [("save", "fsync"), ("restore", "renameat2"), ("delete", "fsync")])
  func aStatusThatLiesIsFound(_ scenario: String, _ call: String) throws {
    let run = try FaultSweep.run(
      "--seed", FaultSweep.seed, "--only", scenario, "--calls", call, "--sample", "6", "--pretend-success")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(!run.output.contains(", 0 bad, "), "\(run.output)")
  }
}

/// Runs the bench in Tests/Faults.
private enum FaultSweep {
  private static let bench = Machine.packageFolder + "/Tests/Faults/run"

  /// The seed that chooses the sample.
  static let seed = "1"

  static func run(_ arguments: String...) throws -> Launch {
    try Launch(["python3", bench, "--program", Machine.program] + arguments, timeout: 600)
  }

  /// Why the bench cannot run on this system; nil when it can.
  static let obstacle: String? = {
    guard let trial = try? Launch(["python3", bench, "--possible"]) else { return "python3 is missing" }
    return trial.status == 0 ? nil : trial.output + trial.errors
  }()
}

extension Trait where Self == ConditionTrait {
  fileprivate static var needsFaults: Self {
    .enabled(if: FaultSweep.obstacle == nil, Comment(rawValue: FaultSweep.obstacle ?? ""))
  }
}
