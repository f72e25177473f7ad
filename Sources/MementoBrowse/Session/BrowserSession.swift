// The loop: takes events, asks the state what they mean, does what it asks for, and draws. It waits for nothing but
// events; work is done in lanes.

package import MementoKit
package import MementoSystem

package final class BrowserSession {
  /// How long a terminal may take to send the rest of a key.
  private static let keyTime: Int32 = 50
  /// What comes so soon is drawn together.
  private static let drawTime: Int32 = 20
  private static let progressTime: Int32 = 200

  private let repository: Repository
  private let words: BrowserWords
  private let settings: BrowserSettings
  private let terminal: Terminal
  private let queue: EventQueue
  private let look: FolderLook
  private let details: DetailReader
  private let changes: ChangeRunner

  private let historyLane = Lane()
  private let unsavedLane = Lane()
  /// Several, because the comparison of one file cannot be stopped: what is selected next does not wait for it.
  private let detailLanes = [Lane(), Lane(), Lane()]
  private let changeLane = Lane()
  private var unsavedMonitor = LookMonitor()
  private var detailMonitor = LookMonitor()
  private var changeMonitor: ChangeMonitor?

  private var state: BrowserState
  private var decoder = KeyDecoder()
  /// What the terminal shows; nil when that is not known.
  private var shown: Grid?
  private var endStatus: Int32?
  /// The terminal is closed. What is being done still ends as it should.
  private var isGone = false

  package init(
    _ repository: Repository, _ words: BrowserWords, _ settings: BrowserSettings
  ) throws(Errno) {
    self.repository = repository
    self.words = words
    self.settings = settings
    terminal = Terminal(input: settings.input, output: settings.output)
    queue = try EventQueue()
    look = FolderLook(repository, queue, words)
    details = DetailReader(repository: repository, queue: queue, words: words, zoneOffset: settings.zoneOffset)
    changes = ChangeRunner(repository: repository, queue: queue, words: words)
    state = BrowserState(size: .standard)
  }

  /// Shows a line that belongs to nothing that was asked for. Any thread may call the closure.
  package var notice: @Sendable (String) -> Void {
    { [queue] text in queue.post(.notice(ScreenMessage(text))) }
  }

  /// Runs the browser to its end. Returns the exit status.
  package func run() throws(Errno) -> Int32 {
    let signals = TerminalSignals(waking: queue.pipe)
    try terminal.enter()
    defer {
      terminal.leave()
      cancelAll()
    }
    state = BrowserState(size: terminal.size)
    apply(BrowserState.beginning, signals)
    while endStatus == nil {
      draw(signals)
      try takeEvents(within: waitingTime, signals)
      // Answers come soon, and a screen between would only flicker.
      if endStatus == nil, !state.detail.isComplete { try takeEvents(within: BrowserSession.drawTime, signals) }
    }
    return endStatus ?? 0
  }

  /// How long to wait for an event; nil: for ever.
  private var waitingTime: Int32? {
    if decoder.isWaiting { return BrowserSession.keyTime }
    if case .performing = state.work { return BrowserSession.progressTime }
    return nil
  }

  private func draw(_ signals: borrowing TerminalSignals) {
    if isGone { return }
    let form = ViewForm(now: settings.now(), zoneOffset: settings.zoneOffset, isUnicode: settings.isUnicode)
    let grid = BrowserView.grid(state, title: settings.title, form: form)
    if grid == shown { return }
    do throws(Errno) {
      try terminal.write(ScreenUpdate.bytes(from: shown, to: grid, isColored: settings.isColored))
      shown = grid
    } catch {
      leaveTerminal(signals)
    }
  }

  /// Ends as for a signal that says that the terminal is closed.
  private func leaveTerminal(_ signals: borrowing TerminalSignals) {
    isGone = true
    handle(.interrupted(status: 129), signals)
  }

  // MARK: - Events

  private func takeEvents(within milliseconds: Int32?, _ signals: borrowing TerminalSignals) throws(Errno) {
    let wait = try TerminalWait.wait(
      input: isGone ? nil : settings.input, wake: queue.pipe.reading, milliseconds: milliseconds)
    for signal in signals.take() { take(signal, signals) }
    for event in queue.take() { handle(event, signals) }
    if case .performing = state.work, let monitor = changeMonitor {
      handle(.progress(monitor.progress, token: monitor.token), signals)
    }
    if wait.hasInput {
      // An error is the end, too.
      guard let bytes = try? terminal.read(), !bytes.isEmpty else { return leaveTerminal(signals) }
      for key in decoder.keys(bytes) { handle(.key(key), signals) }
    } else if !wait.isWoken {
      for key in decoder.finish() { handle(.key(key), signals) }
    }
  }

  private func take(_ signal: TerminalSignal, _ signals: borrowing TerminalSignals) {
    switch signal {
    case .resize: handle(.resized(terminal.size), signals)
    case .stop: suspend(isKey: false, signals)
    case .goOn: resume(signals)
    case .end(let number): handle(.interrupted(status: 128 + number), signals)
    }
  }

  private func handle(_ event: BrowserEvent, _ signals: borrowing TerminalSignals) {
    apply(state.handle(event), signals)
  }

  // MARK: - Effects

  private func apply(_ effects: [BrowserEffect], _ signals: borrowing TerminalSignals) {
    for effect in effects {
      switch effect {
      case .loadHistory: historyLane.run { [look] in look.readHistory() }
      case .loadUnsaved:
        unsavedMonitor.cancel()
        unsavedMonitor = LookMonitor()
        unsavedLane.run { [look, unsavedMonitor] in look.readUnsaved(unsavedMonitor) }
      case .load(let request):
        detailMonitor.cancel()
        detailMonitor = LookMonitor()
        Lane.free(of: detailLanes)?.run { [details, look, detailMonitor] in
          details.read(request, unsaved: look.unsaved, detailMonitor)
        }
      case .cancelLoad: detailMonitor.cancel()
      case .plan(let change, let token):
        let monitor = newChangeMonitor(token)
        changeLane.run { [changes] in changes.plan(change, monitor) }
      case .perform(let change, let token):
        let monitor = newChangeMonitor(token)
        changeLane.run { [changes] in changes.perform(change, monitor) }
      case .cancelChange: changeMonitor?.cancel()
      case .redraw: shown = nil
      case .suspend: suspend(isKey: true, signals)
      case .end(let status): endStatus = status
      }
    }
  }

  private func newChangeMonitor(_ token: Int) -> ChangeMonitor {
    changeMonitor?.cancel()
    let monitor = ChangeMonitor(token: token, queue: queue, words: words)
    changeMonitor = monitor
    return monitor
  }

  private func cancelAll() {
    unsavedMonitor.cancel()
    detailMonitor.cancel()
    changeMonitor?.cancel()
  }

  // MARK: - Stopping for a while

  private func suspend(isKey: Bool, _ signals: borrowing TerminalSignals) {
    terminal.leave()
    signals.stop(isKey: isKey)
    resume(signals)
  }

  private func resume(_ signals: borrowing TerminalSignals) {
    do throws(Errno) {
      try terminal.enter()
    } catch {
      return leaveTerminal(signals)
    }
    handle(.resized(terminal.size), signals)
    handle(.resumed, signals)
  }
}

/// What the browser takes from its process.
package struct BrowserSettings: Sendable {
  package var input: Int32
  package var output: Int32
  /// The first line of the screen. It can be shown as it is.
  package var title: String
  package var isColored: Bool
  package var isUnicode: Bool
  package var now: @Sendable () -> SnapshotTime
  package var zoneOffset: @Sendable (Int64) -> Int

  package init(
    input: Int32, output: Int32, title: String, isColored: Bool, isUnicode: Bool,
    now: @escaping @Sendable () -> SnapshotTime, zoneOffset: @escaping @Sendable (Int64) -> Int
  ) {
    self.input = input
    self.output = output
    self.title = title
    self.isColored = isColored
    self.isUnicode = isUnicode
    self.now = now
    self.zoneOffset = zoneOffset
  }
}
