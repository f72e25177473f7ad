// One run of a command: its directory, how it opens the store, and how it writes output and messages.

import MementoKit

struct Session {
  let context: CommandContext
  let options: GlobalOptions
  /// The directory in which the command works: absolute and without symbolic links.
  let directory: BytePath
  let form: TextForm
  let config: UserConfig
  private var output: DescriptorOutput
  private let errors: DescriptorOutput
  private let errorStyle: Style
  let notice: WaitNotice

  /// Where files go that only this run needs: TMPDIR, or /tmp.
  var temporaryFolder: BytePath {
    let chosen = context.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : BytePath($0) }
    return directory.resolving(chosen ?? BytePath("/tmp"))
  }

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
      style: Style(options.color, isTerminal: context.isOutputTerminal, variable: context.variable),
      showsFullIDs: options.verbose, zoneOffset: context.zoneOffset, isTerminal: context.isOutputTerminal,
      width: context.terminalWidth, isUnicode: context.isUnicode,
      now: context.isOutputTerminal ? context.now() : nil)
    errorStyle = Style(options.color, isTerminal: context.isErrorTerminal, variable: context.variable)
    for text in config.notes { note(text) }
  }

  /// The directory after all -C options. Each is relative to the one before it, and the first to the current directory.
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
  /// `path` as an absolute path when it is relative to this folder.
  func resolving(_ path: BytePath) -> BytePath {
    path.isAbsolute ? path : appending(path.bytes)
  }
}

// MARK: - The store

extension Session {
  /// Throws when the user's config has a line that is wrong.
  func openOptions(isDurable: Bool = true) throws -> OpenOptions {
    if let failure = config.failure { throw failure }
    var open = OpenOptions()
    let variable = context.environment["MEMENTO_STORE"].flatMap { $0.isEmpty ? nil : BytePath($0) }
    open.store = (options.store?.path ?? variable).map { directory.resolving($0) }
    open.lockWait = options.wait.seconds
    open.monitor = notice
    open.isDurable = isDurable
    open.dates = dates
    open.notice = { [self] in note(NoticeText.line($0)) }
    // Root that was started with sudo may use the stores of the user who called sudo.
    if let user = context.sudoUser { open.trustedUsers = [user] }
    open.trustedPaths = config.trustedPaths
    open.userConfig = config.file
    return open
  }

  private var dates: DateReader {
    DateReader(now: context.now, zoneOffset: context.zoneOffset)
  }

  /// Parses a date argument. Without a fraction, `edge` chooses the first or the last moment of the second.
  func time(_ argument: TextArgument, _ edge: DateReader.Edge) throws -> SnapshotTime {
    if let time = dates.time(argument.text, edge) { return time }
    throw ErrorReport.usage("\"\(argument.text)\" is not a date", advice: Advice.dates)
  }

  /// Whether a text is an age such as `2h`.
  func isAge(_ text: String) -> Bool { dates.isAge(text) }

  /// What a command changes. It is reported to the user when it is not the folder in which the command works.
  enum Change {
    case folder
    case store
  }

  /// Opens the store of this folder or of the nearest folder above it. With `mending`, also opens a store that has lost
  /// parts, and puts these back. `adapting` changes how it is opened.
  func openRepository(
    isDurable: Bool = true, mending: Bool = false, toChange: Change? = nil,
    adapting: (inout OpenOptions) -> Void = { _ in }
  ) throws -> Repository {
    var options = try openOptions(isDurable: isDurable)
    options.mendsStore = mending
    adapting(&options)
    let repository = try Repository.find(from: directory, options: options)
    tell(repository.configNotes)
    nameStore(of: repository, toChange: toChange)
    return repository
  }

  /// Where PATHs of the command line start. A command that runs outside of the folder can only mean paths in the
  /// folder.
  func places(in repository: Repository) -> FolderPaths {
    let places = FolderPaths(directory: directory, folder: repository.folder)
    if repository.isAttached || places.isDirectoryInside { return places }
    return FolderPaths(directory: repository.folder, folder: repository.folder)
  }

  /// The form of texts that name paths as they are seen from where the command works.
  func formHere(_ repository: Repository) -> TextForm {
    var form = form
    form.place = places(in: repository).place
    return form
  }

  /// PATHs of the command line relative to the folder. Empty, which means everything, when one of them is the folder
  /// itself.
  func relativePaths(_ paths: [PathArgument], in repository: Repository) throws -> [BytePath] {
    let places = places(in: repository)
    let relative = try paths.map { try places.relative($0.path) }
    return relative.contains { $0.bytes.isEmpty } ? [] : relative
  }

  /// The PATH of SNAPSHOT:PATH relative to the folder; nil when none was given.
  func path(of place: SnapshotPathArgument, in repository: Repository) throws -> BytePath? {
    try place.path(in: repository.folder, from: directory)
  }

  /// Reports the folder and the store with --verbose. Without it, reports them when the command changes something other
  /// than the folder in which it works.
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

  /// Runs long work with progress, so that a signal can interrupt it. Without `heedsSignals`, one signal does not stop
  /// the work, but a second one kills the process. Without `catchesSignals`, one signal kills.
  func monitored<Result>(
    heedsSignals: Bool = true, showsProgress: Bool = true, catchesSignals: Bool = true,
    confirmation: (@Sendable (FolderGrowth) -> Bool)? = nil, _ work: (any Monitor) throws -> Result
  ) throws -> Result {
    if catchesSignals { context.catchSignals() }
    let shows =
      showsProgress && context.isErrorTerminal && !options.noProgress && !options.quiet && !options.json
      && context.variable("TERM") ?? "dumb" != "dumb"
    var receivedSignal = context.receivedSignal
    if !heedsSignals { receivedSignal = { 0 } }
    let monitor = TerminalMonitor(
      terminal: shows ? context.standardError : nil, notice: notice, report: context.reportProgress,
      confirmation: confirmation, receivedSignal: receivedSignal)
    defer { monitor.finish() }
    return try notice.heeding(heedsSignals) { try work(monitor) }
  }
}

// MARK: - Output

extension Session {
  /// The same session with another output.
  func writing(to output: DescriptorOutput) -> Session {
    var session = self
    session.output = output
    return session
  }

  /// Writes data that was asked for.
  func write(_ bytes: some Sequence<UInt8>) throws {
    try output.write(bytes)
  }

  func write(line: String) throws {
    try output.write(line + "\n")
  }

  func write(document: some Encodable) throws {
    try output.write(JSONText.line(document))
  }

  /// Shows what was written before work that may last.
  func flush() throws {
    try output.flush()
  }

  /// Writes what was done; nothing with --quiet.
  func say(_ line: String) throws {
    if !options.quiet { try write(line: line) }
  }

  /// Writes a message to standard error. Nothing with --quiet, and nothing with --json, where standard error has only
  /// errors.
  func note(_ text: String) {
    if !options.quiet && !options.json { errors.tell("memento: \(text)\n") }
  }

  /// Writes what can be done about what was said, to standard error, and after it.
  func hint(_ text: String) throws {
    if options.quiet || options.json { return }
    try output.flush()
    errors.tell("\(errorStyle.faint("hint:")) \(text)\n")
  }

  /// Writes a question to standard error, after all that was written before.
  func ask(_ question: String) throws {
    try output.flush()
    errors.tell(question)
  }

  func notePendingRestore() {
    note("a restore was interrupted: finish it with `memento restore --continue`, or take it back with --abort")
  }

  /// Writes a document to standard error, for a command whose standard output has other data. It starts on its own
  /// line, because a command that ran before may have left its last line unfinished.
  func tell(document: some Encodable) {
    errors.tellOnItsOwnLine(JSONText.line(document))
  }

  /// Writes each problem as a line on standard error. Nothing with --json, because the document on standard output has
  /// the problems.
  func tell(_ problems: [Problem]) {
    guard !options.json else { return }
    for problem in problems where !(problem.isNote && options.quiet) {
      let mark = problem.isNote ? "memento: note:" : errorStyle.alarm("memento:")
      errors.tell("\(mark) \(TerminalText.escaped(problem.path)): \(TerminalText.escaped(problem.text))\n")
    }
  }

  /// The exit status of work that went on despite these problems.
  func status(_ problems: [Problem]) -> ExitStatus {
    problems.allSatisfy(\.isNote) ? .done : .partial
  }
}
