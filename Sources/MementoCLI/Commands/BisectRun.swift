// The tests of a bisection: each puts a state into the scratch folder, runs the command there, and says what came out.

import MementoKit
import MementoSystem

struct BisectRun {
  let range: BisectRange
  let scratch: ScratchFolder
  let command: [BytePath]
  let session: Session
  private(set) var steps: [BisectStep] = []
  /// Why states could not be put there.
  private(set) var problems: [Problem] = []

  init(range: BisectRange, scratch: ScratchFolder, command: [BytePath], session: Session) {
    self.range = range
    self.scratch = scratch
    self.command = command
    self.session = session
  }

  /// Tests both ends and then searches.
  mutating func run() throws -> BisectSearch {
    var search = range.search
    let text = BisectText(form: session.form)
    session.note(text.start(range))
    try expect(.good, of: 0, left: search.remaining + 1)
    try expect(.bad, of: range.states.count - 1, left: search.remaining)
    while let index = search.next() {
      let verdict = try test(index, left: search.remaining - 1)
      search.note(verdict, of: index)
    }
    return search
  }

  /// Tests an end of the search. Throws when it is not what the caller says.
  private mutating func expect(_ expected: BisectVerdict, of index: Int, left: Int) throws {
    let verdict = try test(index, left: left)
    if verdict == expected { return }
    let text = BisectText(form: session.form)
    throw ErrorReport(
      status: .failed, id: "not-\(expected.rawValue)",
      text.unexpected(verdict, range.states[index], expected: expected, status: steps.last?.status),
      advice: expected == .good ? Advice.bisectGood : Advice.bisectBad)
  }

  /// `left`: about how many tests come after this one.
  private mutating func test(_ index: Int, left: Int) throws -> BisectVerdict {
    let state = range.states[index]
    var step: BisectStep
    if let failed = try put(state) {
      for problem in failed where !problems.contains(problem) { problems.append(problem) }
      session.tell(failed)
      step = BisectStep(state: state, verdict: .skip, status: nil)
    } else {
      let status = try runCommand(on: state)
      let verdict: BisectVerdict =
        switch status {
        case 0: .good
        case 125: .skip
        default: .bad
        }
      step = BisectStep(state: state, verdict: verdict, status: status)
    }
    steps.append(step)
    session.note(BisectText(form: session.form).step(step, number: steps.count, of: steps.count + max(0, left)))
    return step.verdict
  }

  /// Puts a state into the scratch folder. Returns what prevents that: damage, or that gc has removed it meanwhile.
  private func put(_ state: LogEntry) throws -> [Problem]? {
    do {
      let problems = try session.monitored { try scratch.put(state.snapshot.id, monitor: $0) }
      return problems.allSatisfy(\.isNote) ? nil : problems
    } catch let error as RepositoryError where error.code == .damaged || error.code == .noSuchState {
      return [Problem(path: error.path ?? BytePath(state.snapshot.id.short), message: error.message)]
    }
  }

  private func runCommand(on state: LogEntry) throws -> Int32 {
    var surroundings = ForegroundCommand.Surroundings()
    surroundings.directory = scratch.path
    // Standard output has what was found, and nothing else.
    surroundings.output = session.context.standardError
    surroundings.hidesPasswords = true
    let end: ProcessEnd?
    do throws(Errno) {
      end = try ForegroundCommand.run(command, in: surroundings, context: session.context)
    } catch {
      throw ErrorReport.cannotRun(command[0], error)
    }
    let signal = ForegroundCommand.heardSignal(session.context)
    guard let end, signal == 0 else {
      var report = ErrorReport(
        caught: RepositoryError(.cancelled, "interrupted"),
        signal: signal == 0 ? session.context.receivedSignal() : signal)
      report.followsCommand = true
      throw report
    }
    if end.signal == nil, end.status < 128 { return end.status }
    var report = ErrorReport(
      status: .failed, id: "command-failed",
      "the command ended the search at \(BisectText(form: session.form).label(state)): \(end.failure ?? "")",
      advice: Advice.bisectStatus)
    report.followsCommand = true
    throw report
  }
}
