import MementoKit
import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct RecoveryKeyKeeperTests {
  private let folder: CommandFolder

  init() throws {
    folder = try CommandFolder()
  }

  private func keeper(_ name: String? = nil, canShow: Bool = false) -> RecoveryKeyKeeper {
    RecoveryKeyKeeper(path: name.map { BytePath("\(folder.path)/\($0)") }, canShow: canShow)
  }

  private func refusal(_ keeper: RecoveryKeyKeeper) -> RepositoryError? {
    do throws(RepositoryError) {
      try keeper.prepare()
      return nil
    } catch {
      return error
    }
  }

  @Test func withoutTerminalAndFileNothingIsMade() {
    let error = refusal(keeper())
    #expect(error?.reason == .unkeptRecoveryKey && error?.code == .invalidArgument)
    #expect(error?.advice?.contains("--recovery-key FILE") == true)
    #expect(refusal(keeper(canShow: true)) == nil)
    #expect(!keeper(canShow: true).write("K"))
  }

  @Test func onlyItsOwnerReadsTheFile() throws {
    let keeper = keeper("key")
    try keeper.prepare()
    #expect(keeper.write("ABCD-EFGH"))
    #expect(try folder.read("key") == "ABCD-EFGH\n")
    #expect(try folder.directory.descriptor.status(of: "key".bytes).mode & 0o777 == 0o600)
  }

  @Test func noFileIsOverwritten() throws {
    try folder.write("key", "older")
    #expect(refusal(keeper("key", canShow: true))?.code == .system)
    #expect(try folder.read("key") == "older")
    #expect(refusal(keeper("none/key"))?.code == .system)
  }

  @Test func aFileThatIsNotNeededGoesAgain() throws {
    let keeper = keeper("key")
    try keeper.prepare()
    keeper.discard()
    #expect(!folder.directory.exists("key"))
    // One that was not made here stays.
    try folder.write("other", "older")
    self.keeper("other").discard()
    #expect(try folder.read("other") == "older")
  }
}
