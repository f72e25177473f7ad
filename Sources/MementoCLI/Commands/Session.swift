// One run of one command: where it works, how it opens the store, how it speaks.

import MementoKit

struct Session {
  let context: CommandContext
  let options: GlobalOptions
  /// Where the command works: absolute, without symbolic links.
  let directory: BytePath
  let form: TextForm
  private let config: UserConfig
  private var output: DescriptorOutput
  private let errors: DescriptorOutput
  private let errorStyle: Style
  private let notice: WaitNotice

  init(
    context: CommandContext, options: GlobalOptions, output: DescriptorOutput, errors: DescriptorOutput
  ) throws {
    self.context = context
    self.options = options
    self.output = output
    self.errors = errors
    notice = WaitNotice(
      errors: errors, isSilent: options.quiet || options.json, receivedSignal: context.receivedSignal)
    directory = try Session.directory(options.directories.map(\.path), context)
    config = try UserConfig.load(context)
    form = TextForm(
      style: Style(options.color, isTerminal: context.isOutputTerminal, context: context),
      showsFullIDs: options.verbose, zoneOffset: context.zoneOffset, isTerminal: context.isOutputTerminal,
      width: context.terminalWidth)
    errorStyle = Style(options.color, isTerminal: context.isErrorTerminal, context: context)
    for text in config.notes { note(text) }
  }

  /// Each of `folders` as seen from the one before it, the first from where the command was started.
  private static func directory(_ folders: [BytePath], _ context: CommandContext) throws -> BytePath {
    if let given = folders.dropFirst().reduce(folders.first, { $0?.resolving($1) }),
      given.isAbsolute || context.currentDirectory != nil
    {
      do {
        return try Paths.canonicalFolder(context.currentDirectory?.resolving(given) ?? given)
      } catch {
        throw ErrorReport.system("go to", given, error)
      }
    }
    guard let current = context.currentDirectory else {
      throw ErrorReport(.system, "the current folder does not exist any more", advice: Advice.otherFolder)
    }
    return current
  }
}

extension BytePath {
  /// A path as seen from this folder.
  func resolving(_ path: BytePath) -> BytePath {
    path.isAbsolute ? path : appending(path.bytes)
  }
}

// MARK: - The store

extension Session {
  func openOptions(isDurable: Bool = true) -> OpenOptions {
    var open = OpenOptions()
    let variable = context.environment["MEMENTO_STORE"].flatMap { $0.isEmpty ? nil : BytePath($0) }
    open.store = (options.store?.path ?? variable).map { directory.resolving($0) }
    open.lockWait = options.wait.seconds
    open.monitor = notice
    open.isDurable = isDurable
    open.dates = dates
    open.notice = { [self] in note(NoticeText.line($0)) }
    // Root by way of sudo works on the stores of whoever called sudo.
    if let user = context.sudoUser { open.trustedUsers = [user] }
    open.trustedPaths = config.trustedPaths
    return open
  }

  private var dates: DateReader {
    DateReader(now: context.now, zoneOffset: context.zoneOffset)
  }

  /// The time that an argument names.
  func time(_ argument: TextArgument, _ edge: DateReader.Edge) throws -> SnapshotTime {
    if let time = dates.time(argument.text, edge) { return time }
    throw ErrorReport.usage("\"\(argument.text)\" is not a date", advice: Advice.dates)
  }

  /// What a command is going to change: it says which one, when that is not the folder that the command works in.
  enum Change {
    case folder
    case store
  }

  /// The store of this folder or of the nearest one above.
  /// `mending`: also one that has lost parts, which are put back.
  func openRepository(
    isDurable: Bool = true, mending: Bool = false, toChange: Change? = nil
  ) throws -> Repository {
    var options = openOptions(isDurable: isDurable)
    options.mendsStore = mending
    let repository = try Repository.find(from: directory, options: options)
    tell(repository.configNotes)
    nameStore(of: repository, toChange: toChange)
    return repository
  }

  /// Where PATHs of the command line are looked for. Whoever works outside of the folder can only mean paths in it.
  func places(in repository: Repository) -> FolderPaths {
    let places = FolderPaths(directory: directory, folder: repository.folder)
    if repository.isAttached || places.isDirectoryInside { return places }
    return FolderPaths(directory: repository.folder, folder: repository.folder)
  }

  /// PATHs of the command line as paths below the folder; none when one of them is the folder itself, which is everything.
  func relativePaths(_ paths: [PathArgument], in repository: Repository) throws -> [BytePath] {
    let places = places(in: repository)
    let relative = try paths.map { try places.relative($0.path) }
    return relative.contains { $0.bytes.isEmpty } ? [] : relative
  }

  /// The PATH of SNAPSHOT:PATH below the folder; nil when there is none.
  func path(of place: SnapshotPathArgument, in repository: Repository) throws -> BytePath? {
    try place.path(in: repository.folder, from: directory)
  }

  /// Which folder and which store this is about: with `--verbose`, and when something else is changed than the folder that
  /// the command works in.
  func nameStore(of repository: Repository, toChange: Change?) {
    tell(repository.notes)
    let folder = TerminalText.escaped(repository.folder)
    if options.verbose {
      note("folder \(folder), store \(TerminalText.escaped(repository.storePath))")
    } else if toChange == .store, !repository.isAttached {
      note("this concerns the store \(TerminalText.escaped(repository.storePath)) of the folder \(folder)")
    } else if toChange != nil, repository.isAttached, repository.folder != directory {
      note("this concerns the folder \(folder)")
    }
  }

  /// Runs long work, showing its progress and ready to be interrupted.
  /// Not `heedsSignals`: one signal does not stop it; a second one kills.
  func monitored<Result>(heedsSignals: Bool = true, _ work: (any Monitor) throws -> Result) throws -> Result {
    context.catchSignals()
    let shows =
      context.isErrorTerminal && !options.noProgress && !options.quiet && !options.json
      && context.variable("TERM") ?? "dumb" != "dumb"
    var receivedSignal = context.receivedSignal
    if !heedsSignals { receivedSignal = { 0 } }
    let monitor = TerminalMonitor(
      terminal: shows ? context.standardError : nil, notice: notice, receivedSignal: receivedSignal)
    defer { monitor.finish() }
    return try notice.heeding(heedsSignals) { try work(monitor) }
  }
}

// MARK: - Speaking

extension Session {
  /// The same session, whose data goes elsewhere.
  func writing(to output: DescriptorOutput) -> Session {
    var session = self
    session.output = output
    return session
  }

  /// Data: what was asked for.
  func write(_ bytes: some Sequence<UInt8>) throws {
    try output.write(bytes)
  }

  func write(line: String) throws {
    try output.write(line + "\n")
  }

  func write(document: some Encodable) throws {
    try output.write(JSONText.line(document))
  }

  /// What was done: left out under `--quiet`.
  func say(_ line: String) throws {
    if !options.quiet { try write(line: line) }
  }

  /// Something worth knowing, on standard error: left out under `--quiet`, and under `--json`, where only errors go there.
  func note(_ text: String) {
    if !options.quiet && !options.json { errors.tell("memento: \(text)\n") }
  }

  func notePendingRestore() {
    note("a restore was interrupted: finish it with `memento restore --continue`, or take it back with --abort")
  }

  /// A document for which standard output has no place. It begins on a line of its own: a command that was run before may
  /// have left the last one unfinished.
  func tell(document: some Encodable) {
    errors.tellOnItsOwnLine(JSONText.line(document))
  }

  /// A line each, on standard error, unless the document on standard output has them.
  func tell(_ problems: [Problem]) {
    guard !options.json else { return }
    for problem in problems where !(problem.isNote && options.quiet) {
      let mark = problem.isNote ? "memento: note:" : errorStyle.alarm("memento:")
      errors.tell("\(mark) \(TerminalText.escaped(problem.path)): \(TerminalText.escaped(problem.text))\n")
    }
  }

  /// The status of work that went on around problems.
  func status(_ problems: [Problem]) -> ExitStatus {
    problems.allSatisfy(\.isNote) ? .done : .partial
  }
}
