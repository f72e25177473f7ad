import TestSupport
import Testing

/// The completions in each shell that they support, with a real store.
@Suite(.needsProgram) struct CompletionTests {
  typealias Kind = CompletingShell.Kind

  private let shell: Shell

  init() throws {
    shell = try Shell()
    let run = try shell.run(
      """
      mkdir 'sub dir'; echo a > file
      for name in one 'two words' 'exp/lr 0.1' "it's" 'ża' '$(x)'; do memento save "$name" -q; done
      """)
    try #require(run.status == 0, "\(run.errors)")
  }

  @Test(arguments: Kind.allCases)
  func commandsAndOptions(_ kind: Kind) throws {
    if kind.isMissing { return }
    let tab = try CompletingShell(kind, in: shell.path)
    let commands = try tab.offered(after: "memento ")
    for command in ["save", "restore", "list", "delete", "run", "log", "init", "gc", "verify", "help"] {
      #expect(commands.contains(command), "\(commands)")
    }
    for (line, options) in [
      ("memento save --", ["--message", "--no-clobber", "--from", "--stdin", "--stdin-from", "--rehash", "--dry-run"]),
      ("memento restore --", ["--to", "--discard", "--keep-extra", "--stdout", "--continue", "--abort", "--no-sync"]),
      ("memento -C . delete --", ["--pattern", "--dry-run", "--json", "--store", "--wait", "--quiet"]),
      ("memento list --", ["--sort", "--color"]), ("memento init --", ["--compression"]),
      ("memento diff --", ["--patch", "--stat", "--name-status", "--unified", "--exit-code"]),
      ("memento show --", ["--patch", "--stat", "--no-pager"]), ("memento ls --", ["--recursive"]),
      ("memento verify --", ["--read-data"]), ("memento rename --", ["--force", "--dry-run"]),
      ("memento log --", ["--max-count", "--stat", "--oneline", "--all", "--since", "--until"]),
      ("memento gc --", ["--dry-run"]),
    ] {
      let shown = try tab.offered(after: line)
      for option in options { #expect(shown.contains(option), "\(kind) \(line): \(shown)") }
    }
    #expect(try tab.offered(after: "memento list --sort ").contains("size"))
    #expect(try tab.offered(after: "memento sa").contains("save"))
  }

  @Test(arguments: Kind.allCases)
  func forksAndKeys(_ kind: Kind) throws {
    if kind.isMissing { return }
    let place = try TemporaryDirectory()
    let forks = place.path + "/forks"
    let run = try shell.run(
      "mkdir '\(forks)' && memento fork one '\(forks)/a fork' -q && memento fork one '\(forks)/gone' -q && rm -r '\(forks)/gone'"
    )
    try #require(run.status == 0, "\(run.errors)")
    let tab = try CompletingShell(kind, in: shell.path)
    let offered = try tab.offered(after: "memento fork --forget ")
    #expect(
      offered.contains("forks/a") && offered.contains("forks/gone") && !offered.contains("two words"),
      "\(kind): \(offered)")
    let shown = try tab.offered(after: "memento config ")
    let keys = try shell.run("memento config").output.split(separator: "\n").compactMap {
      $0.split(separator: " ").first
    }
    for key in keys where !["format", "requires"].contains(key) {
      #expect(shown.contains(key), "\(kind), \(key): \(shown)")
    }
  }

  @Test(arguments: Kind.allCases)
  func statesWithTheirDates(_ kind: Kind) throws {
    if kind.isMissing { return }
    let tab = try CompletingShell(kind, in: shell.path)
    for line in [
      "memento restore ", "memento delete ", "memento delete one ", "memento log ", "memento save x --from ",
      "memento diff ", "memento diff one ", "memento show ", "memento cat ", "memento ls ",
      "memento rename ", "memento log --since 2h ",
    ] {
      let shown = try tab.offered(after: line)
      for name in ["one", "two words", "exp/lr 0.1", "it's", "ża", "$(x)"] {
        #expect(shown.contains(name), "\(kind) \(line): \(shown)")
      }
      #expect(shown.contains("20") && shown.contains(":"), "\(kind) \(line): \(shown)")
    }
  }

  @Test(arguments: Kind.allCases)
  func namesAreQuotedForTheLine(_ kind: Kind) throws {
    if kind.isMissing { return }
    let tab = try CompletingShell(kind, in: shell.path)
    #expect(try tab.line(after: "memento restore tw") == "memento restore two\\ words ")
    #expect(try tab.line(after: "memento restore 'tw") == "memento restore 'two words' ")
    #expect(try tab.line(after: "memento restore \"tw") == "memento restore \"two words\" ")
    #expect(try tab.line(after: "memento delete on") == "memento delete one ")
    #expect(try tab.line(after: "memento log exp/") == "memento log exp/lr\\ 0.1 ")
    #expect(try tab.line(after: "memento save x --from=exp/") == "memento save x --from=exp/lr\\ 0.1 ")
    #expect(try tab.line(after: "memento rename it") == "memento rename it\\'s ")
    #expect(try tab.line(after: "memento rename \\$") == "memento rename \\$\\(x\\) ")
    #expect(try tab.line(after: "memento restore zz") == "memento restore zz")
  }

  @Test(arguments: Kind.allCases)
  func statesOfAnotherStore(_ kind: Kind) throws {
    if kind.isMissing { return }
    let tab = try CompletingShell(kind, in: shell.path)
    let other = try Shell()
    try other.done("save", "elsewhere", "-q")
    for line in ["memento -C \(other.path) restore ", "memento --store \(other.path)/.memento restore "] {
      let shown = try tab.offered(after: line)
      #expect(shown.contains("elsewhere") && !shown.contains("words"), "\(kind) \(line): \(shown)")
    }
    // Without a store, nothing is offered and no error is shown.
    let nothing = try Shell()
    #expect(try !tab.offered(after: "memento -C \(nothing.path) restore ").contains("no store"))
    #expect(!nothing.directory.exists(".memento"))
  }

  @Test(arguments: Kind.allCases)
  func commandsAfterTheDashes(_ kind: Kind) throws {
    if kind.isMissing { return }
    let tab = try CompletingShell(kind, in: shell.path)
    for line in [
      "memento run -- mkfi", "memento run --restore-on-failure -- mkfi", "memento save v --stdin-from -- mkfi",
    ] {
      #expect(try tab.offered(after: line).contains("mkfifo"), "\(kind) \(line)")
    }
    #expect(try tab.offered(after: "memento run -- cat fi").contains("file"), "\(kind)")
    #expect(try tab.offered(after: "memento run --re").contains("--restore-on-failure"), "\(kind)")
    #expect(try tab.offered(after: "memento run --name on").contains("one"), "\(kind)")
  }

  @Test(arguments: Kind.allCases)
  func filesAfterTheState(_ kind: Kind) throws {
    if kind.isMissing { return }
    let tab = try CompletingShell(kind, in: shell.path)
    for line in ["memento restore one fi", "memento log one -- fi", "memento log -- fi"] {
      let shown = try tab.offered(after: line)
      #expect(shown.contains("file"), "\(kind) \(line): \(shown)")
    }
    // The new name of a rename must not be an existing one.
    #expect(try !tab.offered(after: "memento rename one tw").contains("words"), "\(kind)")
    #expect(try tab.offered(after: "memento restore one --to su").contains("sub"), "\(kind)")
    for line in ["memento diff -- fi", "memento diff one -- fi", "memento status fi"] {
      #expect(try tab.offered(after: line).contains("file"), "\(kind) \(line)")
    }
  }
}
