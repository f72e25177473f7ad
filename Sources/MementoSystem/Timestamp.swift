// Code that reads file metadata also reads times, so this module exports MementoTime.

@_exported public import MementoTime
