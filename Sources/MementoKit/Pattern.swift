// The Memento pattern is a module of its own, for programs that keep values and need no repository. MementoKit exports
// it.

@_exported public import MementoPattern
