import MementoKit
import Testing

@testable import MementoCLI

@Suite struct UsageTests {
  @Test(arguments: [
    (["svae"], "unknown command 'svae'", "did you mean `memento save`?"),
    (["save", "--nonsense-option"], "unknown option '--nonsense-option'", "see `memento save --help`"),
    (["save", "--no-clober"], "unknown option '--no-clober'", "did you mean '--no-clobber'?"),
    (["save", "-m"], "missing value for '-m'", "see `memento save --help`"),
    (["save", "a", "b"], "unexpected argument 'b'", "see `memento save --help`"),
    (["save", "--from", "x"], "--from needs a NAME", "see `memento save --help`"),
    (["save", "--stdin"], "--stdin needs a NAME", "see `memento save --help`"),
    (["save", "a", "--stdin", "--from", "b"], "--from and --stdin exclude each other", "see `memento save --help`"),
    (["save", "a", "--stdin-from"], "--stdin-from needs a command after --", "see `memento save --help`"),
    (["save", "a", "--from", "b", "-m", "x"], "a message does not go with --from", "see `memento save --help`"),
    (["save", "a", "--stdin", "--rehash"], "--rehash does not go with --stdin", "see `memento save --help`"),
    (
      ["save", "a", "--", "b"], "one NAME is enough; a command goes with --stdin-from", "see `memento save --help`"
    ),
    (["restore"], "restore needs a SNAPSHOT", "see `memento restore --help`"),
    (["restore", "a", "--continue"], "a SNAPSHOT does not go with --continue", "see `memento restore --help`"),
    (["restore", "--abort", "--continue"], "--abort does not go with --continue", "see `memento restore --help`"),
    (["restore", "--abort", "-n"], "--dry-run does not go with --abort", "see `memento restore --help`"),
    (["restore", "a", "--to", "b", "--discard"], "--discard does not go with --to", "see `memento restore --help`"),
    (["restore", "a", "--stdout", "--to", "b"], "--to does not go with --stdout", "see `memento restore --help`"),
    (["restore", "a", "b", "c", "--stdout"], "--stdout writes one PATH", "see `memento restore --help`"),
    (["delete"], "delete needs a NAME or a --pattern", "see `memento delete --help`"),
    (
      ["list", "--sort", "colour"],
      "the value 'colour' is invalid for '--sort <KEY>': it is one of 'name', 'time' or 'size'",
      "see `memento list --help`"
    ),
    (["log", "-n", "x"], "the value 'x' is invalid for '-n <N>'", "see `memento log --help`"),
    (["list", "--wait", "nan"], "the value 'nan' is invalid for '--wait <SECONDS>'", "see `memento list --help`"),
    (["-C", "", "list"], "the value '' is invalid for '-C <DIR>'", "see `memento list --help`"),
    (["-C"], "missing value for '-C'", "see `memento --help`"),
    (
      ["save", "."], "'.' is a path, and save takes the name of a state",
      "`memento save NAME` records the whole folder; `memento -C DIR save NAME` another one"
    ),
    (
      ["save", "./src"], "'./src' is a path, and save takes the name of a state",
      "`memento save NAME` records the whole folder; `memento -C DIR save NAME` another one"
    ),
    (
      ["save", "src/"], "'src/' is a path, and save takes the name of a state",
      "`memento save NAME` records the whole folder; `memento -C DIR save NAME` another one"
    ),
    (["--bogus"], "unknown option '--bogus'", "see `memento --help`"),
    (["gc", "a\u{1B}b"], "unexpected argument 'a\\x1bb'", "see `memento gc --help`"),
  ])
  func aWrongCommandLineIsExplained(_ arguments: [String], _ message: String, _ advice: String) throws {
    let run = try CommandRun(bytes: arguments.map { Array($0.utf8) })
    #expect(run.status == 2)
    #expect(run.errors == "memento: \(message)\nhint: \(advice)\n")
    #expect(run.output.isEmpty)
  }

  @Test func underJSONItIsAnObject() throws {
    let run = try CommandRun("list", "--json", "--bogus")
    #expect(run.status == 2)
    #expect(
      run.errors
        == "{\"advice\":\"see `memento list --help`\",\"code\":2,\"id\":\"usage\","
        + "\"message\":\"unknown option '--bogus'\",\"type\":\"error\"}\n")
    #expect(try CommandRun("--json", "svae").errors.hasPrefix("{\"advice\":\"did you mean"))
    #expect(try CommandRun("--json", "-C", "/nowhere").errors.hasPrefix("{"))
  }

  @Test func aNameIsUTF8() throws {
    let run = try CommandRun(bytes: [Array("save".utf8), [0x61, 0xFF]])
    #expect(run.status == 2)
    #expect(
      run.errors
        == "memento: the value 'a\\xff' is invalid for '<NAME>'\n"
        + "hint: names, messages and patterns are UTF-8; only paths may be any bytes\n")
    #expect(try CommandRun(bytes: [Array("save".utf8), Array("--".utf8), [0xFF]]).status == 2)
  }

  @Test func helpGoesToStandardOutput() throws {
    for arguments in [["--help"], ["help"], ["-h"]] {
      let run = try CommandRun(bytes: arguments.map { (word: String) in Array(word.utf8) })
      #expect(run.status == 0)
      #expect(run.errors.isEmpty)
      #expect(run.output.hasPrefix("Named save points for any folder\n"))
      #expect(run.output.hasSuffix("detailed help.\n"))
    }
    #expect(try CommandRun("--version").output == "0.1.0\n")
  }

  @Test(arguments: ["save", "restore", "list", "delete", "log", "init", "gc", "verify"])
  func eachCommandHasItsHelp(_ command: String) throws {
    let run = try CommandRun("help", command)
    #expect(run.status == 0)
    #expect(run.output.contains("USAGE: memento \(command)"))
    #expect(run.output == (try CommandRun(command, "--help").output))
    #expect(run.output == (try CommandRun("-C", "/nowhere", command, "-h").output))
    let sections = run.output.split(separator: "\n").filter { $0.hasSuffix("OPTIONS:") }
    #expect(sections == ["OPTIONS:", "GLOBAL OPTIONS:"])
  }

  @Test func aFolderThatIsNotThereIsAnError() throws {
    let run = try CommandRun("-C", "/no\u{1B}where", "list")
    #expect(run.status == 1)
    #expect(run.errors == "memento: cannot go to /no\\x1bwhere: No such file or directory\n")
    let json = try CommandRun("-C", "/dev/null", "list", "--json")
    #expect(
      json.errors
        == "{\"code\":1,\"id\":\"system\",\"message\":\"cannot go to /dev/null: Not a directory\","
        + "\"path\":\"/dev/null\",\"type\":\"error\"}\n")
  }

  @Test func aDeletedFolderIsAnError() throws {
    let run = try CommandRun("list") { $0.currentDirectory = nil }
    #expect(run.status == 1)
    #expect(
      run.errors
        == "memento: the current folder does not exist any more\n"
        + "hint: go to a folder that exists, or name one with -C\n")
  }

  @Test func errorsAreColoredOnlyWhereThatIsWanted() throws {
    let run = try CommandRun("list", "--color", "always", "-C", "/nowhere")
    #expect(run.errors.hasPrefix("\u{1B}[1;31mmemento:\u{1B}[0m cannot go to"))
  }
}
