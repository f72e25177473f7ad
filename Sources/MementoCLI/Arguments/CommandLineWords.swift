// Prepares the command line for the parser. Global options may come before the command (`memento -C DIR save`), and an
// unknown command gets a better message than "unexpected argument".

import MementoKit

struct CommandLineWords {
  /// The arguments, with the command moved to the front.
  let words: [String]
  /// Whether there is no command, and nothing but global options.
  let isBare: Bool
  /// The name of the command, if there is such a command.
  let command: String?
  /// The command and, of a command that has commands of its own, which of them: `remote add`.
  let topic: String?
  /// An error that was found before parsing.
  let problem: ErrorReport?
  /// Whether errors are printed as JSON. It is known even when parsing fails.
  let asksForJSON: Bool

  /// `names` are the names of all commands; `groups` are those of them that have commands of their own, with these:
  /// `remote`, and also `remote key`.
  init(_ arguments: [[UInt8]], commands names: [String], groups: [String: [String]] = [:]) {
    let all = arguments.map(ArgumentBytes.encode)
    let leading = CommandLineWords.leadingOptions(all)
    let rest = all[leading...]
    isBare = rest.isEmpty
    asksForJSON = all.prefix { $0 != "--" }.contains("--json")
    guard let first = rest.first else {
      words = all
      command = nil
      topic = nil
      problem = nil
      return
    }
    // The parser's `help` ignores an unknown topic. A misspelt command must be reported there too.
    let topic = first == "help" ? rest.dropFirst().first { !$0.hasPrefix("-") } : nil
    if let topic, !names.contains(topic), topic != "help" {
      words = Array(rest)
      command = nil
      self.topic = nil
      problem = CommandLineWords.unknown(topic, among: names)
    } else if first.hasPrefix("-") || first == "help" {
      words = Array(rest)
      command = nil
      self.topic = nil
      problem = nil
    } else if names.contains(first) {
      // Global options may also stand between `remote` and `add`.
      var path = [first]
      var moved = Array(all[..<leading])
      var after = Array(rest.dropFirst())
      var problem: ErrorReport?
      while let inner = groups[path.joined(separator: " ")] {
        let between = CommandLineWords.leadingOptions(after)
        guard between < after.count, !after[between].hasPrefix("-") else { break }
        let word = after[between]
        guard inner.contains(word) else {
          if word != "help" {
            problem = CommandLineWords.unknown(word, among: inner, of: path.joined(separator: " "))
          }
          break
        }
        moved += after.prefix(between)
        after.removeFirst(between + 1)
        path.append(word)
      }
      words = path + moved + (first == "grep" ? CommandLineWords.withPaths(after) : after)
      command = first
      self.topic = path.joined(separator: " ")
      self.problem = problem
    } else {
      words = Array(rest)
      command = nil
      self.topic = nil
      problem = CommandLineWords.unknown(first, among: names)
    }
  }

  /// The words of a command that takes a list of arguments and, after `--`, a list of paths. The parser allows one list, so
  /// each path becomes an option.
  private static func withPaths(_ words: [String]) -> [String] {
    var place = 0
    while place < words.count, words[place] != "--" {
      // The next word is the pattern, whatever it is.
      place += ["-e", "--regexp"].contains(words[place]) ? 2 : 1
    }
    guard place < words.count else { return words }
    return words[..<place] + words[(place + 1)...].flatMap { ["--path", $0] }
  }

  private static func unknown(_ word: String, among names: [String], of group: String? = nil) -> ErrorReport {
    let text = TerminalText.escaped(ArgumentBytes.decode(word))
    var advice = group == nil ? ForeignWords.advice(for: word) : nil
    if advice == nil {
      advice = Spelling.nearest(to: word, among: names).map { Advice.similar((group.map { $0 + " " } ?? "") + $0) }
    }
    return .usage(
      "unknown command '\(group.map { $0 + " " } ?? "")\(text)'",
      advice: advice ?? group.map { Advice.help(for: $0) } ?? Advice.listCommands)
  }

  private static let leadingFlags: Set<String> = [
    "--no-progress", "--no-pager", "-q", "--quiet", "-v", "--verbose", "--json",
  ]
  private static let leadingValues: Set<String> = ["-C", "--store", "--wait", "--color"]

  /// The number of leading words that are global options and their values.
  private static func leadingOptions(_ words: [String]) -> Int {
    var count = 0
    while count < words.count {
      let word = words[count]
      if leadingValues.contains(word) {
        count += 2
      } else if leadingFlags.contains(word) || isJoined(word) {
        count += 1
      } else {
        break
      }
    }
    return min(count, words.count)
  }

  /// Whether a word is an option that is joined with its value or with other flags: `-CDIR`, `-qv`, `--store=DIR`.
  private static func isJoined(_ word: String) -> Bool {
    if word.hasPrefix("-C") || (word.count > 1 && word.first == "-" && word.dropFirst().allSatisfy("qv".contains)) {
      return true
    }
    return leadingValues.contains { $0.hasPrefix("--") && word.hasPrefix($0 + "=") }
  }
}
