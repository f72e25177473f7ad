// memento remote add

import ArgumentParser
import MementoKit

struct RemoteAddCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a remote, and make it if it is new",
    usage: "memento remote add NAME URL [--plain] [--recovery-key FILE]",
    discussion: """
      Looks whether the place can be reached. If there is no repository yet, makes one; the folder above it, or the bucket, \
      must be there. A new one is encrypted with a passphrase, unless --plain is given, and its recovery key is shown once.

      The same NAME and URL again confirm a remote of a store that was copied from elsewhere.
      """)

  @Argument(help: ArgumentHelp("What the remote is called here; no slash", valueName: "NAME"))
  var name: TextArgument

  @Argument(help: ArgumentHelp("Where it is", valueName: "URL"))
  var place: RemotePlaceArgument

  @Flag(help: "Do not encrypt what is put there")
  var plain = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Write the recovery key of a new remote to FILE, a new file", valueName: "FILE"))
  var recoveryKey: PathArgument?

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if plain && recoveryKey != nil { throw ValidationError("a plain remote has no recovery key") }
  }

  func run(in session: Session) throws -> ExitStatus {
    let url = try session.url(of: place)
    let repository = try session.openRepository(toChange: .store)
    var options = RemoteAddOptions()
    options.isPlain = plain
    options.isDryRun = dryRun
    let keeper = RecoveryKeyKeeper(
      path: recoveryKey.map { session.directory.resolving($0.path) },
      canShow: session.context.isErrorTerminal && !session.options.json)
    let summary: RemoteAddSummary
    do {
      summary = try session.reaching(recoveryKey: dryRun ? nil : keeper) { [options] access, monitor in
        try repository.addRemote(name.text, url, options, access: access, monitor: monitor)
      }
    } catch {
      keeper.discard()
      throw error
    }
    let isKept = try keep(summary, keeper, session)
    let text = RemoteText(form: session.form)
    if session.options.json {
      try session.write(document: RemoteDocument(summary, dryRun: dryRun))
    } else {
      try session.say(text.added(summary, isDryRun: dryRun))
    }
    if isKept { return .done }
    throw ErrorReport(
      status: .failed, id: RepositoryError.Code.system.description,
      "the remote was added, and its recovery key could not be written",
      advice: "keep the passphrase well: without it nobody can read what is there")
  }

  /// Writes the recovery key, or shows it. Returns false when it could not be kept.
  private func keep(_ summary: RemoteAddSummary, _ keeper: RecoveryKeyKeeper, _ session: Session) throws -> Bool {
    guard let key = summary.recoveryKey else {
      keeper.discard()
      return true
    }
    if keeper.write(key) { return true }
    keeper.discard()
    guard keeper.canShow else { return false }
    // Also with --quiet: nobody can ask for it later.
    try session.ask(RemoteText.recoveryKey(key, of: summary.remote.name))
    return true
  }
}
