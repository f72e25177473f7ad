// The start of the program: it prepares the process and runs the command line.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the program and ends the process. `arguments` are those of C's `main`, with the program name first.
public func runCommandLine(arguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> Never {
  ProcessSetup.reserveStandardDescriptors()
  ProcessSetup.keepOwnFilesOpen()
  if let problem = ResourceLimits.problem() {
    DescriptorOutput(2).tell(problem.text(style: .plain))
    exit(problem.status.code)
  }
  let ignored = Signals.ignoreWriteSignals()
  Signals.watchChildren()
  exit(run(arguments: ProcessSetup.words(arguments), context: ProcessSetup.context(ignoredSignals: ignored)))
}
