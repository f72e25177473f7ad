// Where the secret of a sealed remote comes from: the environment, or somebody at the terminal. Never the command line,
// which every user of the machine can read.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct SecretSources: Sendable {
  /// The longest passphrase, key file or recovery key in bytes.
  private static let limit = 1 << 16

  let context: CommandContext
  /// Asks on the terminal, without showing what is typed; nil when nobody can be asked.
  var ask: (@Sendable (_ question: String) throws(RepositoryError) -> [UInt8])?
  /// The key file that a remote is going to have as a further key; nil for a passphrase. It is absolute.
  var newKeyFile: BytePath?

  /// The secret. Of several variables, the first in this order counts.
  func secret(for unlocking: RemoteUnlocking) throws(RepositoryError) -> RemoteSecret {
    if let path = path("MEMENTO_RECOVERY_KEY_FILE"), !unlocking.isNew {
      let bytes = try SecretSources.bytes(of: path, "the recovery key")
      return .recoveryKey(String(decoding: SecretSources.withoutLineEnd(bytes), as: UTF8.self))
    }
    // What opens a remote now is not meant for a further key of it.
    if let path = unlocking.isFurtherKey ? newKeyFile : path("MEMENTO_KEY_FILE") {
      let key = try SecretSources.bytes(of: path, "the key file")
      if key.isEmpty { throw SecretSources.unusable("the key file \(TerminalText.escaped(path)) is empty") }
      return .keyFile(key)
    }
    var passphrase = try given(unlocking)
    if passphrase == nil { passphrase = try typed(unlocking) }
    guard let passphrase, !passphrase.isEmpty else { throw SecretSources.unusable("the passphrase is empty") }
    return .passphrase(passphrase)
  }

  /// The passphrase that a variable has or a file that it names; nil where a person or a program would have to be asked, or a
  /// pipe be waited for.
  func secretAtHand(for unlocking: RemoteUnlocking) -> RemoteSecret? {
    let others = ["MEMENTO_RECOVERY_KEY_FILE", "MEMENTO_KEY_FILE", "MEMENTO_PASSWORD_COMMAND"]
    guard others.allSatisfy({ path($0) == nil }) else { return nil }
    if let path = path("MEMENTO_PASSWORD_FILE"), !Paths.isRegularFile(path) { return nil }
    do {
      guard let given = try given(unlocking), !given.isEmpty else { return nil }
      return .passphrase(given)
    } catch {
      // `secret` meets it again, when the passphrase is needed.
      return nil
    }
  }

  /// What the environment says; nil when it says nothing.
  private func given(_ unlocking: RemoteUnlocking) throws(RepositoryError) -> [UInt8]? {
    let variable = unlocking.isFurtherKey ? "MEMENTO_NEW_PASSWORD" : "MEMENTO_PASSWORD"
    if let command = context.environment["\(variable)_COMMAND"], !command.isEmpty {
      return SecretSources.withoutLineEnd(try output(of: command, in: "\(variable)_COMMAND", unlocking))
    }
    if let path = path("\(variable)_FILE") {
      return SecretSources.withoutLineEnd(try SecretSources.bytes(of: path, "the passphrase"))
    }
    return context.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func typed(_ unlocking: RemoteUnlocking) throws(RepositoryError) -> [UInt8] {
    let name = unlocking.remote.map { TerminalText.escaped($0) } ?? "\(unlocking.url)"
    guard let ask else {
      throw RepositoryError(
        .denied,
        "no \(unlocking.isFurtherKey ? "new " : "")passphrase is given for "
          + "\(unlocking.isNew && !unlocking.isFurtherKey ? "the new remote " : "")\(name)",
        reason: unlocking.isFurtherKey ? .missingNewSecret : .missingSecret)
    }
    guard unlocking.isNew else { return try ask("Passphrase of \(name): ") }
    let first = try ask("New passphrase of \(name): ")
    if first.isEmpty { return first }
    guard try ask("The same again: ") == first else {
      throw SecretSources.unusable("the two passphrases are not the same, so nothing was made")
    }
    return first
  }

  // MARK: Files and commands

  private func path(_ variable: String) -> BytePath? {
    guard let bytes = context.environment[variable], !bytes.isEmpty else { return nil }
    let path = BytePath(bytes)
    return context.currentDirectory?.resolving(path) ?? path
  }

  private static func bytes(of path: BytePath, _ what: String) throws(RepositoryError) -> [UInt8] {
    // It may also be a pipe.
    let file = Paths.withCString(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    guard file >= 0 else { throw failure("read \(what) from \(TerminalText.escaped(path))", .current) }
    defer { close(file) }
    do throws(Errno) {
      return try DescriptorBytes.all(of: file, limit: limit)
    } catch {
      throw failure("read \(what) from \(TerminalText.escaped(path))", error)
    }
  }

  private func output(
    of command: [UInt8], in variable: String, _ unlocking: RemoteUnlocking
  ) throws(RepositoryError) -> [UInt8] {
    let words = CommandText.words(of: command)
    guard let name = words.first else { throw SecretSources.unusable("\(variable) names no command") }
    let bytes: [UInt8]
    let child: ChildProcess
    do throws(Errno) {
      let pipe = try Pipe()
      defer { pipe.closeReading() }
      child = try start(words, output: pipe, unlocking)
      bytes = try DescriptorBytes.all(of: pipe.reading, limit: SecretSources.limit)
    } catch {
      throw SecretSources.failure("get the passphrase from \(TerminalText.escaped(name))", error)
    }
    if let failure = child.wait().failure {
      throw RepositoryError(
        .denied, "the command in \(variable) failed: \(failure)", reason: .missingSecret)
    }
    return bytes
  }

  /// Closes this side's end of the pipe that is written. The standard input may be what is going to be saved, so the command gets it only when it is a terminal.
  private func start(
    _ words: [BytePath], output: Pipe, _ unlocking: RemoteUnlocking
  ) throws(Errno) -> ChildProcess {
    defer { output.closeWriting() }
    var context = context
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nothing >= 0 else { throw Errno.current }
    defer { close(nothing) }
    if !context.isInputTerminal { context.standardInput = nothing }
    var variables = ["MEMENTO_REMOTE_URL=\(unlocking.url)"]
    if let remote = unlocking.remote { variables.append("MEMENTO_REMOTE=\(remote)") }
    return try ChildProcess(
      words, output: output.writing, variables: variables, hidesPasswords: true, context: context)
  }

  /// A line feed at the end, or a carriage return and one, is not part of a passphrase.
  static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.last == UInt8(ascii: "\n") else { return bytes }
    return bytes.dropLast(bytes.dropLast().last == UInt8(ascii: "\r") ? 2 : 1)
  }

  private static func unusable(_ message: String) -> RepositoryError {
    RepositoryError(.invalidArgument, message, reason: .missingSecret)
  }

  private static func failure(_ operation: String, _ error: Errno) -> RepositoryError {
    RepositoryError(.system, "cannot \(operation): \(error)", systemError: error.code)
  }
}
