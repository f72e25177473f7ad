import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

/// The pages name every option there is, and none that there is not.
@Suite struct ManPageTests {
  private static let commands = MementoCommand.commandNames
  private let definitions: CommandDefinitions

  init() throws {
    definitions = try CommandDefinitions.all.get()
  }

  private func text(_ path: String) throws -> String {
    let root = try Descriptor.open(Machine.packageFolder.bytes, .namedDirectory)
    return String(decoding: try #require(try root.contents(of: path.bytes)), as: UTF8.self)
  }

  /// The options that a page marks as such: `.Fl Fl dry-run` is `--dry-run`, `.Fl n` is `-n`.
  private func flags(_ page: String) -> Set<String> {
    var found: Set<String> = []
    for line in page.split(separator: "\n") where line.hasPrefix(".") {
      let words = line.split(separator: " ").map(String.init)
      for (index, word) in words.enumerated() where word == "Fl" || word == ".Fl" {
        guard index + 1 < words.count else { continue }
        let next = words[index + 1]
        if next == "Fl" {
          if index + 2 < words.count, words[index + 2] != "Fl" { found.insert("--" + words[index + 2]) }
        } else if index == 0 || (words[index - 1] != "Fl" && words[index - 1] != ".Fl") {
          if next.count == 1 && next.first?.isLetter == true { found.insert("-" + next) }
        }
      }
    }
    return found
  }

  /// The options in examples, which are shown as typed.
  private func typedOptions(_ text: String) -> [(command: String, option: String)] {
    text.split(separator: "\n").flatMap { line -> [(String, String)] in
      let words = line.split(whereSeparator: { " `\"'|;)(".contains($0) }).map(String.init)
      guard let start = words.firstIndex(of: "memento") else { return [] }
      let after = words[(start + 1)...]
      guard let command = after.first(where: { ManPageTests.commands.contains($0) }) else { return [] }
      let own = after.prefix { $0 != "--" && $0 != "jq" && $0 != "psql" && $0 != "memento" }
      return own.filter { $0.hasPrefix("-") && $0.count > 1 && $0.dropFirst().contains { $0.isLetter } }
        .map { (command, String($0.prefix { $0 != "=" && $0 != "." && $0 != "," })) }
    }
  }

  @Test func theDefinitionsAreThere() {
    #expect(definitions.commands.map(\.name).sorted() == ManPageTests.commands.sorted())
    #expect(
      definitions.shared.isSuperset(of: ["-C", "--store", "--wait", "--json", "-q", "--quiet", "-v", "--verbose"]))
  }

  @Test(arguments: commands)
  func everyOptionStandsInItsPage(_ command: String) throws {
    let options = try #require(definitions.commands.first { $0.name == command }).options
    let page = try flags(text("man/memento-\(command).1"))
    let main = try flags(text("man/memento.1"))
    #expect(options.subtracting(definitions.shared).subtracting(page).subtracting(main) == [])
    #expect(definitions.shared.subtracting(main) == [])
    // What is a command's own is explained there, and not only in the main page.
    let elsewhere: Set = ["-n", "--dry-run", "--no-sync", "-z"]
    #expect(options.subtracting(definitions.shared).subtracting(elsewhere).subtracting(page) == [])
  }

  @Test(arguments: commands)
  func everyOptionOfAPageExists(_ command: String) throws {
    let options = try #require(definitions.commands.first { $0.name == command }).options
    let page = try flags(text("man/memento-\(command).1"))
    // A page may also name an option of another command, after its name; but only one that exists.
    let all = definitions.commands.reduce(Set<String>()) { $0.union($1.options) }
    #expect(page.subtracting(all).subtracting(["-h", "--help", "--version"]) == [])
    #expect(!page.intersection(options).isEmpty || options == definitions.shared)
  }

  @Test func theMainPageKnowsEveryCommand() throws {
    let page = try text("man/memento.1")
    for command in ManPageTests.commands { #expect(page.contains(".It Xr memento-\(command) 1\n"), "\(command)") }
    let all = definitions.commands.reduce(Set<String>()) { $0.union($1.options) }
    #expect(flags(page).subtracting(all).subtracting(["-h", "--help", "--version"]) == [])
    for status in [0, 1, 2, 3, 10, 11, 12, 13, 14, 15] { #expect(page.contains("\n.It \(status)\n"), "\(status)") }
  }

  @Test(arguments: commands.map { "man/memento-\($0).1" } + ["man/memento.1", "README.md"])
  func examplesCanBeTyped(_ path: String) throws {
    let root = try Descriptor.open(Machine.packageFolder.bytes, .namedDirectory)
    guard root.exists(path.bytes) else { return }
    for (command, option) in typedOptions(try text(path)) {
      let options = try #require(definitions.commands.first { $0.name == command }).options
      let isKnown =
        options.contains(option) || option == "--help"
        || (!option.hasPrefix("--") && options.contains(String(option.prefix(2))))
      #expect(isKnown, "\(path): memento \(command) \(option)")
    }
  }

  @Test(.enabled(if: Machine.has("mandoc"), "mandoc is missing"))
  func mandocIsContent() throws {
    let run = try Launch(["sh", "-c", "mandoc -T lint -W warning man/*.[1-9]"], in: Machine.packageFolder)
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    #expect(run.status == 0)
  }
}
