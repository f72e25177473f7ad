// The data of snapshots is a module of its own that needs no store and no system call. MementoKit exports its public
// types.

@_exported public import MementoModel
