// The keys, for `?`.

package enum HelpText {
  /// Keys, and what they do.
  package static let lines: [(keys: String, meaning: String)] = [
    ("j k, arrows", "move"),
    ("PgDn PgUp, ^F ^B", "a page"),
    ("^D ^U", "half a page"),
    ("g G, Home End", "the first and the last line"),
    ("Enter, l", "open: the entry, a folder, a file, its lines"),
    ("h, Esc", "back"),
    ("Tab", "the other pane"),
    ("d", "diff: the lines that the entry changed"),
    ("s", "stat: the files that it changed"),
    ("t", "tree: the files that it has"),
    ("< >", "scroll to the side"),
    ("/ n N", "look for a text; the next one; the one before"),
    ("Space, r", "restore the entry, or what the line names: plan first"),
    ("u", "undo a step: plan first"),
    ("U, ^R", "redo a step: plan first"),
    ("y n", "in a plan: do it, or leave everything as it is"),
    ("R", "read the history and the folder again"),
    ("^L", "draw the screen again"),
    ("^Z", "back to the shell for a while; fg comes back"),
    ("^C", "stop what is being done, or quit"),
    ("q", "back; from the timeline: quit"),
    ("", ""),
    ("", "Nothing is lost: unsaved changes are saved before a restore,"),
    ("", "and u brings back what was there."),
  ]
}
