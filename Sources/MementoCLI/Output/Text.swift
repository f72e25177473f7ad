// How names, contents and numbers look on a terminal is a module of its own, since the browser shows them, too. All of the
// command line has it.

@_exported public import MementoText
