// The Memento pattern is a module of its own, for programs that keep values and need no repository. It comes along.

@_exported public import MementoPattern
