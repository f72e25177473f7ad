import TestSupport
import Testing

/// A sample of all moments at which the power can fail. CONTRIBUTING.md says how to try the rest.
@Suite(.needsPowerCuts) struct PowerCutTests {
  @Test(arguments: ["ext4", "ext4-seconds", "ext4-writeback"])
  func losesNothing(_ fileSystem: String) throws {
    let run = try PowerCut.run("--file-system", fileSystem, "--states", "25")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    // All states were examined, except for those with the same disk content.
    let examined = try #require(PowerCut.number(before: " different disks examined", in: run.output))
    #expect(examined > 15, "\(run.output)")
  }

  /// Proves that the bench works: a program that flushes nothing loses what it has acknowledged.
  @Test func seesWhatIsLostWithoutFlushes() throws {
    let run = try PowerCut.run("--file-system", "ext4", "--states", "20", "--no-sync")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("(acknowledged)"), "\(run.output)")
    #expect(run.output.contains("is lost") || run.output.contains("is another"), "\(run.output)")
  }
}

/// Runs the bench in Tests/PowerCut.
private enum PowerCut {
  private static let bench = Machine.packageFolder + "/Tests/PowerCut/run"

  static func run(_ arguments: String...) throws -> Launch {
    try Launch(["python3", bench, "--program", Machine.program] + arguments, timeout: 600)
  }

  /// Why the bench cannot run on this system; nil when it can.
  static let obstacle: String? = {
    guard Machine.hasProgram else { return "there is no \(Machine.program): run `swift build`" }
    guard let trial = try? Launch(["python3", bench, "--possible"]) else { return "python3 is missing" }
    if trial.status == 0 { return nil }
    return trial.output + trial.errors
  }()

  static func number(before text: String, in output: String) -> Int? {
    guard let line = output.split(separator: "\n").first(where: { $0.contains(text) }) else { return nil }
    let words = line.split { $0 == "," || $0 == " " }
    guard let index = words.firstIndex(of: "different"), index > 0 else { return nil }
    return Int(words[index - 1])
  }
}

extension Trait where Self == ConditionTrait {
  fileprivate static var needsPowerCuts: Self {
    .enabled(if: PowerCut.obstacle == nil, Comment(rawValue: PowerCut.obstacle ?? ""))
  }
}
