// A folder in which command lines are run.

import MementoSystem
import TestSupport

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class CommandFolder {
  let directory: TemporaryDirectory
  var path: String { directory.path }

  /// A new folder; with `files`, their names are their contents, and folders of names with a slash are made.
  init(files: String...) throws {
    directory = try TemporaryDirectory()
    for file in files { try write(file, file) }
  }

  func write(_ name: String, _ content: String) throws {
    let parts = name.split(separator: "/").dropLast()
    for count in parts.indices { mkdir("\(path)/\(parts[...count].joined(separator: "/"))", 0o755) }
    try directory.write(name, content.bytes)
  }

  func read(_ name: String) throws -> String {
    String(decoding: try directory.read(name), as: UTF8.self)
  }

  func makeSocket(_ name: String) throws {
    guard mknod("\(path)/\(name)", S_IFSOCK | 0o600, 0) == 0 else { throw Errno.current }
  }

  func makeExecutable(_ name: String) {
    chmod("\(path)/\(name)", 0o755)
  }

  func remove(_ name: String) {
    unlink("\(path)/\(name)")
  }

  /// Runs a command line in this folder, or in one below it.
  func memento(
    _ arguments: String..., below folder: String = "", input: String = "", environment: [String: String] = [:],
    adapting: (inout CommandContext) -> Void = { _ in }
  ) throws -> CommandRun {
    try CommandRun(
      bytes: arguments.map(\.bytes), in: folder.isEmpty ? path : "\(path)/\(folder)", input: input.bytes,
      environment: environment, adapting: adapting)
  }

  /// The same for a command line that must succeed.
  @discardableResult
  func done(_ arguments: String..., input: String = "") throws -> CommandRun {
    let run = try CommandRun(bytes: arguments.map(\.bytes), in: path, input: input.bytes)
    if run.status != 0 { throw UnexpectedFailure(arguments: arguments, run: run) }
    return run
  }

  /// The document that a command prints with `--json`.
  func document(_ arguments: String..., input: String = "") throws -> JSONValue {
    let run = try CommandRun(bytes: (arguments + ["--json"]).map(\.bytes), in: path, input: input.bytes)
    if run.status != 0 || !run.errorBytes.isEmpty { throw UnexpectedFailure(arguments: arguments, run: run) }
    return try JSONValue(run.outputBytes)
  }

  /// Everything in the store, with times and inodes: what a dry run must leave as it is.
  func storeRecord() throws -> FolderRecord {
    try FolderRecord(of: "\(path)/.memento")
  }

  /// The short id of a state.
  func id(_ name: String) throws -> String {
    let states = try document("list", name)["states"].list
    return String((states.first?["snapshot"]["id"].text ?? "").prefix(12))
  }

  /// The whole id of a state.
  func fullID(_ name: String) throws -> String {
    try document("list", name)["states"].list.first?["snapshot"]["id"].text ?? ""
  }

  /// Nothing in the store is healed from now on.
  func dropParity() throws {
    let config = try directory.read(".memento/config")
    try directory.write(".memento/config", config + "parity = none\n".bytes)
    for name in try directory.names(".memento/parity") {
      try directory.descriptor.removeFile(".memento/parity/\(name)".bytes)
    }
  }
}

struct UnexpectedFailure: Error {
  let arguments: [String]
  let run: CommandRun
}
