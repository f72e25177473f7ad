// What snapshots are made of as data is a module of its own, without a store and without a system call. Its public types are
// part of this library.

@_exported public import MementoModel
