import TestSupport
import Testing

/// A sample of all the system calls that can fail. CONTRIBUTING.md says how to try the rest.
@Suite(.needsProgram, .needsFaults) struct FaultSweepTests {
  @Test func aFailingCallIsNoAnswer() throws {
    let seed = FaultSweep.seed
    let run = try FaultSweep.run("--seed", seed, "--scenarios", "4", "--sample", "120", "--seconds", "90")
    #expect(run.status == 0, "seed \(seed)\n\(run.output)\(run.errors)")
    #expect(run.output.contains(" tried, 0 bad, "), Comment(rawValue: run.output))
  }
}

/// The bench in Tests/Faults.
private enum FaultSweep {
  private static let bench = Machine.packageFolder + "/Tests/Faults/run"

  /// Chooses the sample.
  static let seed = "1"

  static func run(_ arguments: String...) throws -> Launch {
    try Launch(["python3", bench, "--program", Machine.program] + arguments, timeout: 600)
  }

  /// Why it cannot run here; nil when it can.
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
