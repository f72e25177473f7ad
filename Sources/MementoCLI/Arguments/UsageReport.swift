// The parser's complaints in the form of all other errors.

extension ErrorReport {
  /// `usageMessage` is what the parser says: a sentence, sometimes several lines.
  init(usageMessage: String, command: String?) {
    let lines = usageMessage.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
    let message = ArgumentBytes.decode(lines.joined(separator: " "))
    let help = command.map { "memento \($0) --help" } ?? "memento --help"
    var advice = "see `\(help)`"
    if String(validating: message, as: UTF8.self) == nil {
      advice = "names, messages and patterns are UTF-8; only paths may be any bytes"
    }
    self = .usage(Self.asPhrase(TerminalText.escaped(message)), advice: advice)
  }

  /// Errors are phrases: no capital at the start, no full stop at the end.
  private static func asPhrase(_ sentence: String) -> String {
    var phrase = sentence.prefix(1).lowercased() + sentence.dropFirst()
    if phrase.hasSuffix(".") { phrase.removeLast() }
    return phrase
  }
}
