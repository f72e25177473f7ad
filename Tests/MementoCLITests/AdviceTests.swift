import MementoKit
import Testing

@testable import MementoCLI

/// Facts of the library become sentences that name commands.
@Suite struct AdviceTests {
  private func advice(_ reason: RepositoryError.Reason, _ change: (inout RepositoryError) -> Void = { _ in }) -> String?
  {
    var error = RepositoryError(.system, "m", reason: reason, path: BytePath("/p"))
    change(&error)
    return error.advice
  }

  @Test func namesAreQuotedForTheShell() {
    #expect(advice(.valueNeedsNoFolder) { $0.revision = "v" } == "write it with `memento restore v --stdout`")
    #expect(advice(.valueHasNoFiles) { $0.revision = "a b" } == "`memento cat 'a b'` writes its bytes")
    #expect(
      advice(.folderHasNoContent) { $0.revision = "one" }
        == "name one file of it: memento cat one:FILE; `memento ls one` lists them")
  }

  @Test func storesAndFoldersAreNamed() {
    let error = advice(.otherFolder) {
      $0.folder = "/f"
      $0.store = "/s"
    }
    #expect(error == "to work on that folder: memento -C /f --store /s COMMAND")
    #expect(advice(.lostStore) { $0.folder = "/f" } == "if it was moved, write its new path into /f/.memento/store")
    #expect(advice(.foreignFolder)?.contains("`trust = /p`") == true)
  }

  @Test func whoHoldsTheStoreIsSaid() {
    var error = RepositoryError(.locked, "m")
    #expect(error.advice == "try again, or wait longer with --wait SECONDS")
    error.holder = StoreHolder(process: 7)
    #expect(error.advice == "it is process 7; try again, or wait longer with --wait SECONDS")
  }

  @Test func withheldRightsCanBeRestored() {
    var problem = Problem(path: "a", message: "owner not restored")
    #expect(problem.text == "owner not restored")
    problem.reason = .withheldRight
    #expect(problem.text == "owner not restored (--as-recorded restores it)")
  }

  @Test func aFullDiskHasAWayOut() {
    let error = RepositoryError(.system, "m", systemError: 28)
    #expect(error.advice == "free some space; `memento gc` frees what no state needs")
    #expect(RepositoryError(.system, "m", reason: .failedOutput, systemError: 28).advice == nil)
    #expect(RepositoryError(.system, "m", systemError: 5).advice == nil)
  }

  @Test func remotesAreNotStatesAndAnswersAreNotStores() {
    // The name of a state may have a slash, that of a remote may not.
    #expect(advice(.unusableRemoteName) == "use letters, digits, and . _ -, and begin with a letter or a digit")
    // No repair helps where something else answers.
    #expect(advice(.senselessAnswer)?.contains("--repair") == false)
  }
}
