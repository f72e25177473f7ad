// What a user types to a question about a piece of a patch.

import MementoKit

enum PatchAnswer {
  case nothing
  /// A key, and for `g` a number.
  case key(Character, number: Int?)
  /// A regular expression to search for; empty when it is asked for next.
  case search([UInt8])
  /// A text to show.
  case unknown(String)

  init(_ line: [UInt8]) {
    let text = PatchAnswer.trimmed(line)
    guard let first = text.first else {
      self = .nothing
      return
    }
    let word = text.lowercased()
    if first == "/" {
      self = .search(PatchAnswer.pattern(line))
    } else if text.count == 1 {
      // J and K are keys of their own.
      self = .key("JK".contains(first) ? first : Character(first.lowercased()), number: nil)
    } else if ["yes", "no", "quit"].contains(word) {
      self = .key(Character(first.lowercased()), number: nil)
    } else if first == "g", let number = PatchAnswer.number(Array(text.dropFirst().utf8)) {
      self = .key("g", number: number)
    } else {
      self = .unknown(TerminalText.escaped(BytePath(Array(line.prefix(40)))))
    }
  }

  /// What follows the slash, without the line end.
  private static func pattern(_ line: [UInt8]) -> [UInt8] {
    let pattern = line.drop { $0 != UInt8(ascii: "/") }.dropFirst()
    return Array(pattern.last == UInt8(ascii: "\r") ? pattern.dropLast() : pattern)
  }

  var number: Int? {
    if case .key(_, let number) = self { return number }
    return nil
  }

  /// A number in decimal digits; nil for anything else.
  static func number(_ text: [UInt8]) -> Int? {
    Int(trimmed(text))
  }

  /// The text without blanks and line ends at both ends. A file from elsewhere may end its lines with CR LF.
  private static func trimmed(_ text: [UInt8]) -> String {
    let bytes = text.drop { $0 <= UInt8(ascii: " ") }
    return String(decoding: bytes.reversed().drop { $0 <= UInt8(ascii: " ") }.reversed(), as: UTF8.self)
  }

  /// Why a key does nothing here.
  static func refusal(_ key: Character) -> String {
    switch key {
    case "j", "J": "there is no hunk after this one" + (key == "j" ? " that is open" : "")
    case "k", "K": "there is no hunk before this one" + (key == "k" ? " that is open" : "")
    case "s": "this cannot be split"
    case "g", "/": "there are no others to go to"
    case "e": "there is no hunk to edit"
    case "p": "there is no hunk to show again"
    default: "'\(TerminalText.escaped(BytePath("\(key)")))' is no answer here; ? shows the keys"
    }
  }

  /// What the keys mean, one a line.
  static func help(_ keys: String) -> String {
    let lines: [(Character, String)] = [
      ("y", "apply this"), ("n", "do not apply this"),
      ("q", "quit: apply neither this nor any later one, but what was chosen"),
      ("a", "apply this and all later ones in the file"), ("d", "apply neither this nor any later one in the file"),
      ("j", "leave this open, and see the next one that is open"), ("J", "leave this open, and see the next one"),
      ("k", "leave this open, and see the previous one that is open"),
      ("K", "leave this open, and see the previous one"),
      ("g", "go to a hunk by its number"),
      ("/", "go to the next hunk that matches a regular expression"),
      ("s", "split this into smaller hunks"), ("e", "change this hunk in an editor, and apply that"),
      ("p", "show this again"),
      ("?", "show the keys"),
    ]
    return lines.filter { keys.contains($0.0) }.map { "\($0.0) - \($0.1)\n" }.joined()
  }
}
