// The JSON of `memento check-ignore`: which paths are ignored, and by which rules.

import MementoKit

struct CheckIgnoreDocument: Encodable {
  struct Rule: Encodable {
    let source: String
    let sourceB64: String?
    let line: Int
    let pattern: String
    let patternB64: String?
    let negated: Bool
  }

  struct Path: Encodable {
    let path: String
    let pathB64: String?
    let ignored: Bool
    let rule: OrNull<Rule>
  }

  let schema = 1
  let paths: [Path]

  init(_ checked: [CheckedPath]) {
    paths = checked.map { checked in
      let rule = checked.rule.map { rule in
        Rule(
          source: rule.source.lossyText, sourceB64: rule.source.base64, line: rule.line,
          pattern: BytePath(rule.pattern).lossyText, patternB64: BytePath(rule.pattern).base64, negated: rule.isNegated)
      }
      return Path(
        path: checked.path.lossyText, pathB64: checked.path.base64, ignored: checked.isIgnored, rule: OrNull(rule))
    }
  }
}
