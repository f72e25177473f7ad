// Where the program starts: makes the process safe to work in, and hands over.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the program with the arguments of the process, and ends it.
public func runCommandLine() -> Never {
  ProcessSetup.reserveStandardDescriptors()
  ProcessSetup.keepOwnFilesOpen()
  let ignored = Signals.ignoreWriteSignals()
  Signals.watchChildren()
  exit(run(arguments: ProcessSetup.arguments(), context: ProcessSetup.context(ignoredSignals: ignored)))
}
