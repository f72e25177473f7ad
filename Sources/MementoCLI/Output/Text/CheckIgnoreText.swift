// The lines of `memento check-ignore`, in the form of `git check-ignore`.

import MementoKit

/// A path as it was given, and the reason why it is ignored or not.
struct CheckedPath {
  let path: BytePath
  let reason: IgnoreReason?

  var isIgnored: Bool { reason?.isIgnoring == true }

  /// The rule that decides. If an option decides and not a pattern, the rule names the option.
  var rule: IgnoreRule? {
    if let folder = reason?.cache {
      return IgnoreRule(
        source: folder.appending("CACHEDIR.TAG".utf8), line: 1, pattern: Array("--exclude-caches".utf8),
        isNegated: false)
    }
    if let limit = reason?.size {
      return IgnoreRule(
        source: BytePath("--exclude-larger-than"), line: 1, pattern: Array(String(limit).utf8), isNegated: false)
    }
    return reason?.rule
  }
}

struct CheckIgnoreText {
  let isVerbose: Bool

  /// `PATH`, or `FILE:LINE:PATTERN<tab>PATH`.
  func line(_ checked: CheckedPath) -> String {
    let path = TerminalText.escaped(checked.path)
    guard isVerbose, let rule = checked.rule else { return path }
    return "\(TerminalText.escaped(rule.source)):\(rule.line):\(TerminalText.escaped(rule.pattern))\t\(path)"
  }

  /// The same fields, each of them ended by NUL.
  func record(_ checked: CheckedPath) -> [UInt8] {
    guard isVerbose, let rule = checked.rule else { return checked.path.bytes + [0] }
    return rule.source.bytes + [0] + Array("\(rule.line)".utf8) + [0] + rule.pattern + [0] + checked.path.bytes + [0]
  }
}
