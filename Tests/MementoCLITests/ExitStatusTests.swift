import MementoKit
import Testing

@testable import MementoCLI

@Suite struct ExitStatusTests {
  @Test(
    arguments: [
      (RepositoryError.Code.system, 1), (.invalidName, 2), (.invalidArgument, 2), (.nameInUse, 1), (.noStore, 10),
      (.notInitialized, 1), (.storeExists, 1), (.foreignOwner, 1), (.outsideFolder, 1), (.storeUnreachable, 10),
      (.locked, 11),
      (.noSuchState, 12), (.ambiguous, 12),
      (.noSuchPath, 12), (.wrongKind, 1), (.notEmpty, 1), (.damaged, 13), (.newerFormat, 1), (.restorePending, 14),
      (.noPendingRestore, 1), (.cancelled, 130), (.noSuchRemote, 12), (.unreachable, 15), (.untrusted, 15),
      (.denied, 15), (.noSuchPlace, 15), (.wrongClock, 15), (.remoteFailed, 15), (.remoteFull, 15),
    ] as [(RepositoryError.Code, Int32)])
  func eachErrorHasItsStatus(_ code: RepositoryError.Code, _ status: Int32) {
    #expect(ErrorReport(RepositoryError(code, "")).status.code == status)
  }

  @Test(arguments: [(0, 130), (1, 129), (2, 130), (15, 143)])
  func aCancellationTellsItsSignal(_ signal: Int32, _ status: Int32) {
    let report = ErrorReport(caught: RepositoryError(.cancelled, "interrupted"), signal: signal)
    #expect(report.status.code == status)
  }

  @Test func aSignalDoesNotExplainOtherErrors() {
    #expect(ErrorReport(caught: RepositoryError(.damaged, "x"), signal: 2).status == .damaged)
  }

  @Test func anErrorIsALineAndAHint() {
    let report = ErrorReport(status: .failed, id: "x", "what\n: why", advice: "do this")
    #expect(report.text(style: .plain) == "memento: what\\n: why\nhint: do this\n")
    #expect(ErrorReport(status: .failed, id: "x", "what").text(style: .plain) == "memento: what\n")
  }
}
