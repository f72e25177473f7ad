// Whoever reads files reads their times: the module of times comes along.

@_exported public import MementoTime
