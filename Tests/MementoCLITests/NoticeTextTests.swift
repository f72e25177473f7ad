import Testing

@testable import MementoCLI
@testable import MementoKit

/// What the library notices becomes one line.
@Suite struct NoticeTextTests {
  @Test func aLostPackIsNamed() {
    let notice = Notice(.lostPack, file: "packs/0123….pack", detail: "it cannot be read")
    #expect(
      NoticeText.line(notice)
        == "packs/0123….pack was saved with --no-sync and did not survive a power cut: it cannot be read; "
        + "moved to damaged/ of the store, and `memento verify` names what is hurt")
  }
}
