// A shell on a terminal, as people use it, with the completions loaded. Tests read what Tab makes of a line, and what
// is offered.

import TestSupport

final class CompletingShell {
  enum Kind: String, CaseIterable, Sendable {
    case bash
    case bashCompletion
    case zsh
    case fish

    /// Whether the shell is not installed. Prints a note then.
    var isMissing: Bool {
      let isHere =
        self == .bashCompletion
        ? Machine.has("bash") && (try? Launch(["test", "-f", Kind.bashCompletionScript]))?.status == 0
        : Machine.has(rawValue)
      if !isHere { print("skipped: \(rawValue) is missing") }
      return !isHere
    }

    private static let bashCompletionScript = "/usr/share/bash-completion/bash_completion"

    fileprivate var words: [String] {
      switch self {
      case .bash, .bashCompletion: ["bash", "--norc", "--noprofile", "-i"]
      case .zsh: ["zsh", "-f", "-i"]
      case .fish: ["fish", "--no-config", "--private", "-i"]
      }
    }

    /// In this setup Ctrl-T prints the line and clears it; Ctrl-G lists what can follow and keeps the line.
    fileprivate var setup: [String] {
      switch self {
      case .bash:
        [
          #"PS1=; stty rows 100 cols 250; . "$COMPLETIONS/memento.bash""#,
          #"bind 'set completion-query-items 0'; bind 'set page-completions off'; bind '"\C-g": possible-completions'"#,
          #"show() { printf '\nLINE<%s>END\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\C-t": show'"#,
        ]
      case .bashCompletion: [". \(Kind.bashCompletionScript)"] + Kind.bash.setup
      case .zsh:
        [
          #"PS1= RPS1=; stty rows 100 cols 250; unsetopt prompt_cr prompt_sp zle_bracketed_paste; fpath=("$COMPLETIONS" $fpath)"#,
          "autoload -Uz compinit; compinit -u -D; setopt no_beep; LISTMAX=100000; bindkey '^G' list-choices",
          #"show() { zle -I; print -r -- $'\n'"LINE<$BUFFER>END"; BUFFER= }; zle -N show; bindkey '^T' show"#,
        ]
      case .fish:
        [
          "function fish_prompt; end; stty rows 100 cols 250; set -g fish_autosuggestion_enabled 0",
          #"source "$COMPLETIONS/memento.fish""#,
          #"bind \cg 'echo; complete -C (commandline -c | string collect)'"#,
          #"bind \ct 'echo; echo "LINE<"(commandline | string collect)">END"; commandline ""'"#,
        ]
      }
    }
  }

  private let terminal: PseudoTerminal
  private let home: TemporaryDirectory

  init(_ kind: Kind, in folder: String, program: String = Machine.program) throws {
    home = try TemporaryDirectory()
    let tools = FolderTools(home.path.bytes)
    try tools.makeFolder("bin".bytes)
    try tools.makeLink("bin/memento".bytes, to: program.bytes)
    terminal = try PseudoTerminal(
      kind.words, in: folder,
      environment: [
        "COMPLETIONS": Machine.packageFolder + "/completions", "HOME": home.path, "HISTFILE": "/dev/null",
        "PATH": "\(home.path)/bin:/usr/local/bin:/usr/bin:/bin",
      ])
    for line in kind.setup { try terminal.enter(line) }
    try terminal.enter("echo rea''dy")
    try terminal.expect("ready\r\n")
  }

  /// The line after Tab. Throws when the screen shows a message of memento or an error.
  func line(after typed: String) throws -> String {
    try terminal.type(typed + "\t\u{14}")
    let screen = try terminal.expect("LINE<")
    for word in ["memento:", "hint:", "rror"] where screen.contains(word) { throw Noise(screen: screen) }
    let line = try terminal.expect(">END")
    return String(line.dropLast(4)).replacing("\r\n", with: "\n")
  }

  /// The screen after listing what can follow a line.
  func offered(after typed: String) throws -> String {
    try terminal.type(typed + "\u{7}\u{14}")
    let screen = try terminal.expect("LINE<")
    try terminal.expect(">END")
    return screen
  }

  /// The output of the command line that Tab makes of a line.
  func output(after typed: String) throws -> String {
    try terminal.enter(try line(after: typed) + #"; echo "DO""NE""#)
    return try terminal.expect("DONE\r\n").replacing("\r\n", with: "\n")
  }

  struct Noise: Error {
    let screen: String
  }
}
