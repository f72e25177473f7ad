// memento save

import ArgumentParser
import MementoKit

struct SaveCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Record the whole folder",
    usage: """
      memento save [NAME] [-m TEXT] [--exclude PATTERN]... [--no-clobber] [--rehash] [--push] [--yes]
      memento save NAME --from SNAPSHOT [--no-clobber]
      memento save NAME --stdin [-m TEXT]
      memento save NAME --stdin-from -- CMD [ARG]...
      """,
    discussion: """
      Records the folder of the store, also when started in a subfolder. Without NAME the snapshot is unnamed and \
      stays reachable through the history. A NAME that is in use moves to the new snapshot.

      Prints one line: the name, the id, what changed since the position, and by how much the store grew. Files that \
      cannot be read are named on standard error; then the exit status is 3.

      What a .mementoignore in any folder names is left out: see mementoignore(5). So is what the options name, which \
      is in no snapshot then, and left alone by restores until the next save.

      A save that finds 100,000 files or 10 GiB more than the one before names the largest folders and asks first; \
      without a terminal it records nothing, unless --yes is given. `memento config max-new-files` and max-new-size say \
      how much that is.
      """)

  @Argument(help: ArgumentHelp("The state to save as", valueName: "NAME"))
  var name: TextArgument?

  @Option(
    name: [.customShort("m", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Record a message with it", valueName: "TEXT"))
  var message: TextArgument?

  @Flag(help: "Refuse a name that is in use instead of moving it")
  var noClobber = false

  @Option(parsing: .unconditional, help: ArgumentHelp("Give this name to an existing snapshot", valueName: "SNAPSHOT"))
  var from: TextArgument?

  @Flag(help: "Record standard input as a single value instead of the folder")
  var stdin = false

  @Flag(help: "Record the output of the command after --, and nothing if it fails")
  var stdinFrom = false

  @Flag(
    inversion: .prefixedNo,
    help: "Push it afterwards; --no-push: not even where the config says auto-push")
  var push: Bool?

  @Flag(help: "Read every file, also those that seem unchanged")
  var rehash = false

  @Flag(name: .shortAndLong, help: "Do not ask before much more is recorded than by the last save")
  var yes = false

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command for --stdin-from", valueName: "CMD"))
  var words: [WordArgument] = []

  @OptionGroup var document: DocumentArguments

  @OptionGroup var ignoring: IgnoreArguments

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try document.validate(with: global)
    let modes = [(from != nil, "--from"), (stdin, "--stdin"), (stdinFrom, "--stdin-from")].filter(\.0).map(\.1)
    if modes.count > 1 { throw ValidationError("\(modes[0]) and \(modes[1]) exclude each other") }
    if let mode = modes.first {
      if name == nil { throw ValidationError("\(mode) needs a NAME") }
      if rehash { throw ValidationError("--rehash does not go with \(mode)") }
      if ignoring.isGiven { throw ValidationError("options that leave files out do not go with \(mode)") }
    }
    if from != nil && message != nil { throw ValidationError("a message does not go with --from") }
    if stdinFrom && words.isEmpty { throw ValidationError("--stdin-from needs a command after --") }
    if !stdinFrom && words.count + (name == nil ? 0 : 1) > 1 {
      throw ValidationError("one NAME is enough; a command goes with --stdin-from")
    }
    if !stdinFrom && !words.isEmpty && chosenName == nil { throw ValidationError("the NAME is not UTF-8") }
  }

  var separateDocument: DescriptorOutput? { document.output }

  func run(in session: Session) throws -> ExitStatus {
    // A wrong name must fail before a store is made.
    if let chosenName {
      try StateName.validate(chosenName)
      if savesFolder ? SaveCommand.isSpeltAsPath(chosenName) : SaveCommand.folders.contains(chosenName) {
        throw ErrorReport.usage(
          "'\(chosenName)' is a path, and save takes the name of a state", advice: Advice.savesAll)
      }
    }
    let watch = Stopwatch()
    let ignored = try ignoring.options(from: session.directory)
    let saved = try carryOut(ignored, session)
    let summary = saved.summary
    session.tell(summary.problems)
    if !session.options.json {
      try session.say(line(summary, SaveText(form: session.form)))
      if isMistakable(summary, session) { try session.hint(Advice.savedAll) }
    }
    var push: PushSummary?
    var failure: (any Error)?
    do {
      push = try saved.push?.run(chosenName)
    } catch {
      failure = error
    }
    if wantsDocument {
      let result = SaveDocument(
        summary, folder: saved.repository?.folder ?? session.directory, storeCreated: saved.isNew, name: chosenName,
        push: push, milliseconds: watch.milliseconds)
      if let separate = document.output {
        separate.tell(JSONText.line(result))
      } else {
        try session.write(document: result)
      }
    }
    if let failure { throw failure }
    return session.status(summary.problems)
  }

  private struct Saved {
    let summary: SaveSummary
    /// Nil for a plan where there is no store yet.
    var repository: Repository?
    var isNew = true
    var push: SavePush?
  }

  /// Saves or, in a dry run, plans the save; a dry run also works where there is no store yet. A remote that is going to be
  /// pushed to is being reached meanwhile.
  private func carryOut(_ ignored: IgnoreOptions, _ session: Session) throws -> Saved {
    let opened: SaveTarget
    do {
      opened = try SaveTarget(
        session, isDurable: !change.noSync, mayCreate: from == nil && !change.dryRun,
        toChange: from != nil || stdin || stdinFrom ? .store : .folder)
    } catch let error as RepositoryError where error.code == .noStore && from == nil && change.dryRun {
      session.tell(error.problems)
      return Saved(summary: try SaveTarget.plan(session) { try save($0, ignored, session) })
    }
    let push = change.dryRun ? nil : SavePush(after: opened.repository, isWanted: push, session)
    return Saved(
      summary: try save(opened.repository, ignored, session), repository: opened.repository, isNew: opened.isNew,
      push: push)
  }

  /// Whether the folder is saved, and not a value, and not given a name again.
  private var savesFolder: Bool { from == nil && !stdin && !stdinFrom }

  private static let folders = [".", "..", "./", "../"]

  /// Whoever comes from git or tar may mean a file or a folder, which is not what a name says. A value may well be called after
  /// the file that it came from.
  private static func isSpeltAsPath(_ name: String) -> Bool {
    folders.contains(name) || name.hasSuffix("/") || ["/", "./", "../"].contains(where: name.hasPrefix)
  }

  /// Whether the new name of a saved folder is also that of something in it.
  private func isMistakable(_ summary: SaveSummary, _ session: Session) -> Bool {
    guard let chosenName, savesFolder, summary.isCommitted, summary.replaced == nil else { return false }
    return Paths.exists(session.directory.resolving(BytePath(chosenName)))
  }

  private var wantsDocument: Bool { global.json || document.output != nil }

  /// The NAME, also of `save -- NAME`.
  private var chosenName: String? {
    if let name { return name.text }
    return stdinFrom ? nil : words.first.flatMap { String(validating: $0.bytes, as: UTF8.self) }
  }

  private func save(_ repository: Repository, _ ignored: IgnoreOptions, _ session: Session) throws -> SaveSummary {
    if let from, let name = chosenName {
      var options = NamingOptions()
      options.noClobber = noClobber
      options.isDryRun = change.dryRun
      try session.bring(Revision(from.text), .contents, repository)
      return try repository.name(Revision(from.text), as: name, options)
    }
    if stdin || stdinFrom, let name = chosenName { return try saveValue(repository, as: name, session) }
    var options = SaveOptions(name: chosenName)
    options.message = message?.text
    options.noClobber = noClobber
    options.isDryRun = change.dryRun
    options.rehash = rehash
    options.ignoring = ignored
    options.asksFirst = !yes
    if wantsDocument { options.listing = ChangeListOptions() }
    return try GrowthQuestion(session).saving { [options] in try repository.save(options, monitor: $0) }
  }

  private func saveValue(_ repository: Repository, as name: String, _ session: Session) throws -> SaveSummary {
    var options = ValueOptions()
    options.message = message?.text
    options.noClobber = noClobber
    options.isDryRun = change.dryRun
    if stdin { return try repository.saveValue(readingFrom: session.context.standardInput, as: name, options) }
    let command = CommandRecording(words: words.map { BytePath($0.bytes) }, session: session)
    return try command.save(to: repository, as: name, options)
  }

  private func line(_ summary: SaveSummary, _ text: SaveText) -> String {
    if from != nil, let name = chosenName { return text.name(name, summary) }
    return stdin || stdinFrom ? text.value(summary) : text.folder(summary)
  }
}
