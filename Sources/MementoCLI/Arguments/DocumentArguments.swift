// `--json-fd N`: the JSON document on a descriptor of its own. So a caller can leave both standard streams to the command
// that it runs, or to people.

import ArgumentParser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct DocumentArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Write the JSON document, or the error, to this descriptor", valueName: "N"))
  var jsonFd: DescriptorArgument?

  func validate(with global: GlobalOptions) throws {
    if jsonFd != nil && global.json { throw ValidationError("--json and --json-fd exclude each other") }
    if let jsonFd, !jsonFd.isWritable {
      throw ValidationError("--json-fd \(jsonFd.number): the caller has not opened this descriptor for writing")
    }
  }

  /// Nil without the option.
  var output: DescriptorOutput? {
    guard let jsonFd else { return nil }
    // A command that memento runs must neither write into the document nor keep its reader waiting.
    if jsonFd.number > 2 { _ = fcntl(jsonFd.number, F_SETFD, FD_CLOEXEC) }
    return DescriptorOutput(jsonFd.number)
  }
}

/// The number of a descriptor that the caller has opened.
struct DescriptorArgument: ExpressibleByArgument, Equatable, Sendable {
  let number: Int32

  init?(argument: String) {
    guard let number = Int32(argument), number >= 1 else { return nil }
    self.number = number
  }

  var isWritable: Bool {
    let flags = fcntl(number, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }
}
