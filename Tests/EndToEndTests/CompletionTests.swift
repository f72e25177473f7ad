import TestSupport
import Testing

/// The completions in the shells they are for, over a real store.
@Suite(.needsProgram) struct CompletionTests {
  enum Kind: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
  }

  private let shell: Shell

  init() throws {
    shell = try Shell()
    let run = try shell.run(
      """
      mkdir bin 'sub dir'; ln -s "$PROGRAM" bin/memento; echo a > file
      for name in one 'two words' 'exp/lr 0.1' "it's" 'ża' '$(x)'; do memento save "$name" -q; done
      """)
    try #require(run.status == 0, "\(run.errors)")
  }

  private static let scripts: [Kind: String] = [
    .bash: #"""
    shopt -s extglob; source "$COMPLETIONS/memento.bash" || exit 1
    eval "words=($LINE)"; [[ $LINE == *' ' ]] && words+=('')
    # The last word as it is typed, with its quotes and backslashes.
    COMP_WORDS=("${words[@]}"); COMP_CWORD=$((${#words[@]} - 1)); COMP_LINE=$LINE; COMP_POINT=${#LINE}; COMP_TYPE=${KEY:-9}
    _memento "${words[0]}" "${words[-1]}" "${words[-2]}"; ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"; true
    """#,
    .fish: #"""
    source $COMPLETIONS/memento.fish; or exit 1
    complete -C "$LINE"
    """#,
    .zsh: #"""
    zmodload zsh/zpty || exit 1
    export TERM=dumb COLUMNS=200 LINES=100
    zpty shell zsh -f -i
    read_to() {
      local text
      REPLY=
      while zpty -r shell text; do
        REPLY+=$text
        [[ $text == *$1* ]] && break
      done
    }
    zpty -w shell "PS1= PS2= RPS1=; unsetopt prompt_cr prompt_sp zle_bracketed_paste; stty -echo; fpath=(${(q)COMPLETIONS} \$fpath)"
    zpty -w shell "autoload -Uz compinit; compinit -u -D; setopt auto_list no_beep; LISTMAX=10000; bindkey '^I' complete-word"
    zpty -w shell "finish() { print; print -r -- SHO''WN; exit }; zle -N finish; bindkey '^X' finish; print -r -- REA''DY"
    read_to READY
    zpty -w -n shell "$LINE"$'\t\x18'
    read_to SHOWN
    print -r -- "$REPLY"
    """#,
  ]

  /// What a shell offers when Tab is pressed after a line.
  private func offered(_ kind: Kind, _ line: String, key: String = "9") throws -> String {
    let flags =
      kind == .fish ? ["fish", "--no-config", "-c"] : kind == .zsh ? ["zsh", "-f", "-c"] : ["bash", "--norc", "-c"]
    let run = try Launch(
      flags + [try #require(CompletionTests.scripts[kind])], in: shell.path,
      environment: [
        "COMPLETIONS": Machine.packageFolder + "/completions", "LINE": line, "KEY": key, "HOME": shell.path,
        "PATH": "\(shell.path)/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "dumb",
      ])
    #expect(run.status == 0 && !run.errors.contains("memento"), "\(kind): \(run.errors)")
    return run.output
  }

  private func isMissing(_ kind: Kind) -> Bool {
    if Machine.has(kind.rawValue) { return false }
    print("skipped: \(kind.rawValue) is missing")
    return true
  }

  @Test(arguments: Kind.allCases)
  func commandsAndOptions(_ kind: Kind) throws {
    if isMissing(kind) { return }
    let commands = try offered(kind, "memento ")
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
      let shown = try offered(kind, line)
      for option in options { #expect(shown.contains(option), "\(kind) \(line): \(shown)") }
    }
    #expect(try offered(kind, "memento list --sort ").contains("size"))
    #expect(try offered(kind, "memento sa").contains("save"))
  }

  @Test(arguments: Kind.allCases)
  func statesWithTheirDates(_ kind: Kind) throws {
    if isMissing(kind) { return }
    for line in [
      "memento restore ", "memento delete ", "memento delete one ", "memento log ", "memento save x --from ",
      "memento diff ", "memento diff one ", "memento show ", "memento cat ", "memento ls ",
      "memento rename ", "memento log --since 2h ",
    ] {
      let shown = try offered(kind, line, key: "63")
      for name in ["one", "two words", "exp/lr 0.1", "it's", "ża", "$(x)"] {
        #expect(shown.contains(name), "\(kind) \(line): \(shown)")
      }
      #expect(shown.contains("20") && shown.contains(":"), "\(kind) \(line): \(shown)")
    }
  }

  @Test(arguments: Kind.allCases)
  func namesAreQuotedForTheLine(_ kind: Kind) throws {
    if isMissing(kind) { return }
    let name = kind == .fish ? "two words" : "two\\ words"
    #expect(try offered(kind, "memento restore tw").contains(name))
    #expect(try offered(kind, "memento delete on").contains("one"))
    #expect(try offered(kind, "memento log exp/").contains(kind == .fish ? "exp/lr 0.1" : "exp/lr\\ 0.1"))
    #expect(try !offered(kind, "memento restore zz").contains("two"))
  }

  @Test(arguments: Kind.allCases)
  func statesOfAnotherStore(_ kind: Kind) throws {
    if isMissing(kind) { return }
    let other = try Shell()
    try other.done("save", "elsewhere", "-q")
    for line in ["memento -C \(other.path) restore ", "memento --store \(other.path)/.memento restore "] {
      let shown = try offered(kind, line)
      #expect(shown.contains("elsewhere") && !shown.contains("words"), "\(kind) \(line): \(shown)")
    }
    // No store: nothing to offer, and no word about it.
    let nothing = try Shell()
    #expect(try !offered(kind, "memento -C \(nothing.path) restore ").contains("no store"))
    #expect(!nothing.directory.exists(".memento"))
  }

  @Test(arguments: Kind.allCases)
  func commandsAfterTheDashes(_ kind: Kind) throws {
    if isMissing(kind) { return }
    for line in [
      "memento run -- mkfi", "memento run --restore-on-failure -- mkfi", "memento save v --stdin-from -- mkfi",
    ] {
      #expect(try offered(kind, line).contains("mkfifo"), "\(kind) \(line)")
    }
    #expect(try offered(kind, "memento run -- cat fi").contains("file"), "\(kind)")
    #expect(try offered(kind, "memento run --re").contains("--restore-on-failure"), "\(kind)")
    #expect(try offered(kind, "memento run --name on").contains("one"), "\(kind)")
  }

  @Test(arguments: Kind.allCases)
  func filesAfterTheState(_ kind: Kind) throws {
    if isMissing(kind) { return }
    for line in ["memento restore one fi", "memento log one -- fi", "memento log -- fi"] {
      let shown = try offered(kind, line)
      #expect(shown.contains("file"), "\(kind) \(line): \(shown)")
    }
    // A new name is not one that is there.
    #expect(try !offered(kind, "memento rename one tw").contains("words"), "\(kind)")
    #expect(try offered(kind, "memento restore one --to su").contains("sub"), "\(kind)")
    for line in ["memento diff -- fi", "memento diff one -- fi", "memento status fi"] {
      #expect(try offered(kind, line).contains("file"), "\(kind) \(line)")
    }
  }
}
