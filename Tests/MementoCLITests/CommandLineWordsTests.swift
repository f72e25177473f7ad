import Testing

@testable import MementoCLI

@Suite struct CommandLineWordsTests {
  private func words(_ arguments: String...) -> CommandLineWords {
    CommandLineWords(
      arguments.map { Array($0.utf8) }, commands: MementoCommand.commandNames, groups: MementoCommand.groups)
  }

  @Test func globalOptionsStandAnywhereInACommandOfTwoWords() {
    let line = words("-C", "/a", "remote", "-q", "--wait", "3", "add", "x", "--json", "file:///b")
    #expect(
      line.words == ["remote", "add", "-C", "/a", "-q", "--wait", "3", "x", "--json", "file:///b"])
    #expect(line.command == "remote" && line.topic == "remote add" && line.problem == nil)
    #expect(line.asksForJSON)
    // Without its own command it lists.
    #expect(words("remote", "--json").words == ["remote", "--json"])
    #expect(words("remote", "--json").topic == "remote")
    #expect(words("remote", "list", "-z").words == ["remote", "list", "-z"])
  }

  @Test func globalOptionsStandAnywhereInACommandOfThreeWords() {
    let line = words("-C", "/a", "remote", "-q", "key", "--wait", "3", "add", "x", "--json")
    #expect(line.words == ["remote", "key", "add", "-C", "/a", "-q", "--wait", "3", "x", "--json"])
    #expect(line.topic == "remote key add" && line.problem == nil)
    #expect(words("remote", "key", "-z").words == ["remote", "key", "-z"])
    let problem = words("remote", "key", "ad").problem
    #expect(problem?.message == "unknown command 'remote key ad'")
    #expect(problem?.advice == "did you mean `memento remote key add`?")
    #expect(words("remote", "key", "help").problem == nil)
  }

  @Test(arguments: [("rmove", "did you mean `memento remote remove`?"), ("frobnicate", "see `memento remote --help`")])
  func anUnknownCommandOfACommandToo(_ word: String, _ advice: String) {
    let problem = words("remote", "-q", word).problem
    #expect(problem?.message == "unknown command 'remote \(word)'" && problem?.advice == advice)
  }

  @Test func globalOptionsMayStandBeforeTheCommand() {
    let line = words("-C", "/a b", "--json", "--store=/s", "-qv", "save", "x", "-m", "y")
    #expect(line.words == ["save", "-C", "/a b", "--json", "--store=/s", "-qv", "x", "-m", "y"])
    #expect(line.command == "save")
    #expect(line.asksForJSON)
  }

  @Test func aValueIsNotTakenForTheCommand() {
    #expect(words("-C", "save", "list").words == ["list", "-C", "save"])
    #expect(words("-Csave", "list").words == ["list", "-Csave"])
  }

  @Test func jsonAfterTheTerminatorIsAName() {
    #expect(!words("save", "--", "--json").asksForJSON)
  }

  @Test(arguments: [
    ("svae", "did you mean `memento save`?"), ("lst", "did you mean `memento list`?"),
    ("restroe", "did you mean `memento restore`?"), ("frobnicate", "`memento --help` lists the commands"),
  ])
  func anUnknownCommandGetsASuggestion(_ word: String, _ advice: String) {
    let problem = words(word).problem
    #expect(problem?.message == "unknown command '\(word)'")
    #expect(problem?.advice == advice)
    #expect(problem?.status == .usage)
  }

  @Test func optionsAloneAreNoCommand() {
    #expect(words("-C", "/tmp").isBare && words("-C", "/tmp").words == ["-C", "/tmp"])
    #expect(words().isBare && words("-q").isBare && !words("list").isBare && !words("--help").isBare)
  }

  /// What other tools call it is told, and never a command that does something else.
  @Test(arguments: [
    ("rm", "memento delete NAME"), ("checkout", "memento restore NAME"), ("commit", "memento save NAME"),
    ("stash", "memento undo"), ("snapshots", "memento list"), ("fsck", "memento verify"), ("st", "memento status"),
  ])
  func wordsOfOtherToolsAreTranslated(_ word: String, _ command: String) {
    #expect(words(word).problem?.advice == "memento calls it `\(command)`")
  }

  @Test(arguments: ["ru", "sa", "gx", "xx", "pul", "mo"])
  func aShortWordIsNearToFew(_ word: String) {
    let advice = words(word).problem?.advice ?? ""
    let near = MementoCommand.commandNames.filter { advice.contains("`memento \($0)`") }
    #expect(near.allSatisfy { abs($0.count - word.count) <= 1 }, "\(advice)")
  }

  @Test func helpKnowsItsTopics() {
    #expect(words("help", "save").problem == nil)
    #expect(words("help").problem == nil)
    #expect(words("help", "svae").problem?.message == "unknown command 'svae'")
  }
}
