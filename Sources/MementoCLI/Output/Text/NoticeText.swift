// What the library notices beside its work, as sentences.

import MementoKit

enum NoticeText {
  /// One line, without a full stop.
  static func line(_ notice: Notice) -> String {
    let file = TerminalText.escaped(notice.file)
    let detail = TerminalText.escaped(notice.detail)
    switch notice.kind {
    case .lostPack:
      return "\(file) was saved with --no-sync and did not survive a power cut: \(detail); "
        + "moved to damaged/ of the store, and \(Advice.hurtStates)"
    case .healed:
      return "\(file) of the store is damaged, and nothing is lost: it was read from "
        + "\(notice.file.hasPrefix("packs/") ? "its parity" : "its second copy"); \(Advice.healed)"
    case .foundDamage:
      return "damage was found in what was saved before: \(detail); the next save stores again what the folder "
        + "still has of it, and \(Advice.hurtStates)"
    default:
      return "\(file): \(detail)"
    }
  }
}
