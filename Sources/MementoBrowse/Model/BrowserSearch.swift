// Looking for a text in the pane that has the focus.

import MementoKit
import MementoText

extension BrowserState {
  private static let longestPattern = 200

  mutating func type(_ key: Key, after text: String) -> [BrowserEffect] {
    switch key {
    case .character(let character):
      if text.count < BrowserState.longestPattern { prompt = text + String(character) }
    case .backspace:
      prompt = text.isEmpty ? nil : String(text.dropLast())
    case .control("u"): prompt = ""
    case .escape, .control("c"): prompt = nil
    case .enter:
      prompt = nil
      if !text.isEmpty { pattern = text }
      return search(backwards: false)
    default: break
    }
    return []
  }

  mutating func repeatSearch(backwards: Bool) -> [BrowserEffect] {
    search(backwards: backwards)
  }

  /// Goes to the next line that has the text, and on at the other end.
  private mutating func search(backwards: Bool) -> [BrowserEffect] {
    if pattern.isEmpty {
      message = ScreenMessage("/ looks for a text")
      return []
    }
    let count = focus == .timeline ? rows.count : detail.lines.count
    let start = focus == .timeline ? timeline.selected : detail.position.selected
    let needle = SearchedText(pattern)
    for distance in stride(from: 1, through: count, by: 1) {
      let line = ((start + (backwards ? -distance : distance)) % count + count) % count
      guard needle.isIn(focus == .timeline ? text(of: rows[line]) : detail.lines[line].text) else { continue }
      if backwards ? line >= start : line <= start {
        message = ScreenMessage(distance == count ? "only here" : "went on at the \(backwards ? "end" : "beginning")")
      }
      return go(to: line)
    }
    message = ScreenMessage("not found: \(pattern)", isAlarm: true)
    return []
  }

  private mutating func go(to line: Int) -> [BrowserEffect] {
    switch focus {
    case .detail:
      detail.select(line)
      return []
    case .timeline:
      timeline.select(line)
      return loadIfNeeded()
    }
  }

  /// What is searched of an entry.
  private func text(of row: TimelineRow) -> String {
    switch row {
    case .unsaved: return "unsaved changes"
    case .entry(let entry):
      let words = [entry.snapshot.id.description, entry.operation.description] + entry.names
      return (words + [entry.snapshot.message ?? ""]).map(TerminalText.escaped).joined(separator: " ")
    }
  }
}

/// A text to look for. Without capitals, it is found in any case.
private struct SearchedText {
  private let needle: String
  private let heedsCase: Bool

  init(_ text: String) {
    needle = text
    heedsCase = text.lowercased() != text
  }

  func isIn(_ text: String) -> Bool {
    (heedsCase ? text : text.lowercased()).utf8.firstRange(of: needle.utf8) != nil
  }
}
