// memento remote key add, memento remote key change

import ArgumentParser
import MementoKit

struct RemoteKeyAddCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a key to a remote",
    usage: """
      memento remote key add [REMOTE] [--label TEXT] [-n]
                [--key-file FILE | --recovery | --recovery-key FILE]
      """,
    discussion: """
      Adds a passphrase, unless an option names something else. The remote is opened with a key that it has.
      """)

  @Argument(help: ArgumentHelp("The remote (default: the only one, or that of the config)", valueName: "REMOTE"))
  var name: TextArgument?

  @Option(help: ArgumentHelp("Call the key TEXT (default: the name of this machine)", valueName: "TEXT"))
  var label: TextArgument?

  @Option(parsing: .unconditional, help: ArgumentHelp("Add the content of FILE as a key", valueName: "FILE"))
  var keyFile: PathArgument?

  @Flag(help: "Add a recovery key, and show it on the terminal")
  var recovery = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Add a recovery key, and write it to FILE, a new file", valueName: "FILE"))
  var recoveryKey: PathArgument?

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if keyFile != nil && (recovery || recoveryKey != nil) {
      throw ValidationError("a key is the content of a file or a recovery key, and not both")
    }
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: .store)
    var options = RemoteKeyOptions()
    options.label = label?.text
    options.isRecoveryKey = recovery || recoveryKey != nil
    options.isDryRun = dryRun
    let keeper = RecoveryKeyKeeper(
      path: recoveryKey.map { session.directory.resolving($0.path) },
      canShow: session.context.isErrorTerminal && !session.options.json)
    if options.isRecoveryKey && !dryRun { try prepare(keeper) }
    let change: RemoteKeyChange
    do {
      change = try session.reaching(newKeyFile: keyFile.map { session.directory.resolving($0.path) }) {
        [options] access, monitor in
        try repository.addRemoteKey(to: name?.text, options, access: access, monitor: monitor)
      }
    } catch {
      keeper.discard()
      throw error
    }
    let isKept = try keep(change, keeper, session)
    try session.tell(change)
    if isKept { return .done }
    let id = change.added?.id ?? ""
    throw ErrorReport(
      status: .failed, id: RepositoryError.Code.system.description,
      "the recovery key \(id) was added, and could not be written",
      advice: "nobody has it, so remove it: memento remote key remove \(ShellWord.quoted(change.remote)) \(id)")
  }

  /// Before anything is made: a key that nobody would get to see is of no use.
  private func prepare(_ keeper: RecoveryKeyKeeper) throws {
    do {
      try keeper.prepare()
    } catch {
      guard error.reason == .unkeptRecoveryKey else { throw error }
      var report = ErrorReport(error)
      report.advice = Advice.keepRecoveryKey
      throw report
    }
  }

  private func keep(_ change: RemoteKeyChange, _ keeper: RecoveryKeyKeeper, _ session: Session) throws -> Bool {
    guard let key = change.recoveryKey else { return true }
    if keeper.write(key) { return true }
    keeper.discard()
    guard keeper.canShow else { return false }
    try session.ask(RemoteText.recoveryKey(key, of: change.remote))
    return true
  }
}

struct RemoteKeyChangeCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Change a passphrase or a key file of a remote",
    usage: "memento remote key change [REMOTE] [KEY] [--label TEXT] [--key-file FILE] [-n]",
    discussion: """
      Puts a new passphrase, or the content of FILE, in the place of a key: of the one that opens the remote, or of KEY. \
      The old one is removed after the new one was read back.
      """)

  @Argument(help: ArgumentHelp("The remote (default: the only one, or that of the config)", valueName: "REMOTE"))
  var name: TextArgument?

  @Argument(help: ArgumentHelp("4 or more digits of the id of the key", valueName: "KEY"))
  var key: TextArgument?

  @Option(help: ArgumentHelp("Call the key TEXT (default: as the old one)", valueName: "TEXT"))
  var label: TextArgument?

  @Option(parsing: .unconditional, help: ArgumentHelp("Take the content of FILE as the new key", valueName: "FILE"))
  var keyFile: PathArgument?

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: .store)
    var options = RemoteKeyOptions()
    options.label = label?.text
    options.isDryRun = dryRun
    let change = try session.reaching(newKeyFile: keyFile.map { session.directory.resolving($0.path) }) {
      [options] access, monitor in
      try repository.changeRemoteKey(of: name?.text, key: key?.text, options, access: access, monitor: monitor)
    }
    try session.tell(change)
    return .done
  }
}
