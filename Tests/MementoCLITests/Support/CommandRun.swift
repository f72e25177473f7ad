// Runs a command line in this process, in a world of its own, and keeps what it wrote. Many can run at once: nothing of
// the process is changed.

import MementoKit
import MementoSystem

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a command line did.
struct CommandRun {
  let status: Int32
  let outputBytes: [UInt8]
  let errorBytes: [UInt8]

  var output: String { String(decoding: outputBytes, as: UTF8.self) }
  var errors: String { String(decoding: errorBytes, as: UTF8.self) }

  /// Runs `arguments` in `directory`, an absolute path; `input` is its standard input.
  init(
    _ arguments: String..., in directory: String = "/", input: String = "", environment: [String: String] = [:],
    adapting: (inout CommandContext) -> Void = { _ in }
  ) throws {
    try self.init(
      bytes: arguments.map { Array($0.utf8) }, in: directory, input: Array(input.utf8), environment: environment,
      adapting: adapting)
  }

  init(
    bytes arguments: [[UInt8]], in directory: String = "/", input: [UInt8] = [], environment: [String: String] = [:],
    adapting: (inout CommandContext) -> Void = { _ in }
  ) throws {
    let standardInput = try ScratchFile(input)
    let standardOutput = try ScratchFile()
    let standardError = try ScratchFile()
    var context = CommandContext()
    context.environment = environment.mapValues { Array($0.utf8) }
    context.currentDirectory = try Paths.canonical(BytePath(directory))
    context.standardInput = standardInput.descriptor
    context.standardOutput = standardOutput.descriptor
    context.standardError = standardError.descriptor
    adapting(&context)
    status = run(arguments: arguments, context: context)
    outputBytes = try standardOutput.contents()
    errorBytes = try standardError.contents()
  }
}

/// A file without a name.
final class ScratchFile {
  let descriptor: Int32

  init(_ bytes: [UInt8] = []) throws {
    var template = Array("/tmp/memento-test-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Errno.current }
    unlink(template)
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Errno.current }
  }

  deinit {
    close(descriptor)
  }

  func contents() throws -> [UInt8] {
    let size = Int(lseek(descriptor, 0, SEEK_END))
    var bytes = [UInt8](repeating: 0, count: size)
    guard pread(descriptor, &bytes, size, 0) == size else { throw Errno.current }
    return bytes
  }
}
