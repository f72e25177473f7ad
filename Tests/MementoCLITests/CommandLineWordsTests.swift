import Testing

@testable import MementoCLI

@Suite struct CommandLineWordsTests {
  private func words(_ arguments: String...) -> CommandLineWords {
    CommandLineWords(arguments.map { Array($0.utf8) }, commands: MementoCommand.commandNames)
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
    #expect(words("-C", "/tmp").problem?.message == "no command is given")
    #expect(words("-C").problem?.message == "no command is given")
    #expect(words().problem == nil)
  }

  @Test func helpKnowsItsTopics() {
    #expect(words("help", "save").problem == nil)
    #expect(words("help").problem == nil)
    #expect(words("help", "svae").problem?.message == "unknown command 'svae'")
  }
}
