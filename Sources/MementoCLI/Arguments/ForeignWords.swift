// The words of other tools: whoever types one of them is told what memento calls it.

enum ForeignWords {
  /// What is said where a word of git, jj, restic, borg or a shell stands in the place of a command. Nil for others.
  static func advice(for word: String) -> String? {
    for (words, command) in commands where words.contains(word) { return Advice.called(command) }
    return nil
  }

  private static let commands: [(words: Set<String>, command: String)] = [
    (["commit", "backup", "snapshot", "create", "checkpoint", "store", "add", "tag", "ci"], "save NAME"),
    (["checkout", "co", "switch", "reset", "rollback", "goto", "load", "extract"], "restore NAME"),
    // An undo saves what is not saved yet, and a redo brings it back.
    (["stash"], "undo"),
    (["rm", "remove", "forget", "drop", "del"], "delete NAME"),
    (["snapshots", "states", "branch", "branches", "tags", "archives"], "list"),
    (["history", "reflog", "op", "timeline"], "log"),
    (["st", "stat"], "status"),
    (["mv", "move"], "rename OLD NEW"),
    (["check", "fsck", "scrub"], "verify"),
    (["repair", "recover", "heal"], "verify --repair"),
    (["blame", "annotate"], "when TEXT -- PATH"),
    (["search"], "grep REGEX"),
    (["dump", "print"], "cat SNAPSHOT:PATH"),
    (["ls-files", "ls-tree", "files"], "ls SNAPSHOT"),
    (["size", "du", "info"], "stats"),
    (["compact", "clean", "cleanup"], "gc"),
    (["settings", "options"], "config"),
    (["u"], "undo"),
  ]
}
