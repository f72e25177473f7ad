// Turns the parser's error messages into the form of all other errors.

import MementoKit

extension ErrorReport {
  /// `usageMessage` is the parser's message: a sentence, sometimes on several lines.
  init(usageMessage: String, command: String?) {
    let lines = usageMessage.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
    let message = ArgumentBytes.decode(lines.joined(separator: " "))
    var advice = Advice.help(for: command)
    if String(validating: message, as: UTF8.self) == nil {
      advice = Advice.bytesOfText
    }
    var phrase = Self.asPhrase(TerminalText.escaped(message))
    if let suggestion = phrase.range(ofFirst: ". Did you mean ") {
      let proposed = phrase[suggestion.upperBound...]
      // The parser proposes anything that is not far: `--to` for `--yes`.
      let words = phrase.split(separator: "'", omittingEmptySubsequences: false)
      if words.count > 3, Spelling.nearest(to: String(words[1]), among: [String(words[3])]) != nil {
        advice = "did you mean " + proposed
      }
      phrase.removeSubrange(suggestion.lowerBound...)
    }
    if let choices = phrase.range(ofFirst: ". Please provide one of ") {
      phrase.replaceSubrange(choices, with: ": it is one of ")
    }
    self = .usage(phrase, advice: advice)
  }

  /// Error messages are phrases: no capital at the start, no full stop at the end.
  private static func asPhrase(_ sentence: String) -> String {
    var phrase = sentence.prefix(1).lowercased() + sentence.dropFirst()
    if phrase.hasSuffix(".") { phrase.removeLast() }
    return phrase
  }
}

extension String {
  fileprivate func range(ofFirst part: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}
