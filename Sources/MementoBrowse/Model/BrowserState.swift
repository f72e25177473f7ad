// All that the browser knows, as a value. An event makes another value and effects of it; nothing here reads a file, a
// clock or a terminal.

package import MementoKit

package struct BrowserState: Sendable {
  /// What covers the panes.
  package enum Dialog: Equatable, Sendable {
    case help(ListPosition)
    case plan(ChangePlan, ListPosition)
  }

  /// What is being done, which other changes wait for.
  package enum Work: Equatable, Sendable {
    case planning(FolderChange)
    case performing(FolderChange, progress: String)
  }

  /// Which entry is selected when the history has been read again.
  enum Target: Sendable {
    /// Unsaved changes, or where the folder is.
    case newest
    /// Where the folder is.
    case position
    /// The same as before.
    case same
  }

  package private(set) var size: ScreenSize
  package private(set) var rows: [TimelineRow] = []
  /// Nil until it has been read.
  package private(set) var history: [LogEntry]?
  package private(set) var isHistoryComplete = false
  package private(set) var unsaved = UnsavedChanges()
  package private(set) var isRestorePending = false
  package internal(set) var timeline = ListPosition()
  package internal(set) var detail = DetailPane()
  package internal(set) var focus = Pane.timeline
  package internal(set) var dialog: Dialog?
  package internal(set) var work: Work?
  package internal(set) var message: ScreenMessage?
  /// What is being typed after `/`; nil when nothing is.
  package internal(set) var prompt: String?
  var pattern = ""
  var target = Target.newest
  var workToken = 0
  private var loadToken = 0
  /// The status with which the browser ends when the work has ended.
  private var endStatus: Int32?

  package init(size: ScreenSize) {
    self.size = size
  }

  /// What to do at the beginning.
  package static let beginning: [BrowserEffect] = [.loadHistory, .loadUnsaved]

  package var layout: Layout {
    Layout(size, focus: focus, messageLines: messageLines.count)
  }

  /// The message as it is broken into lines.
  package var messageLines: [String] {
    message?.lines.flatMap { Paragraph.lines($0, width: size.columns, limit: 2) } ?? []
  }

  /// What stands above the steps of a plan.
  package func summaryLines(of plan: ChangePlan) -> [String] {
    var lines = plan.summary
    if case .restore = plan.change, !unsaved.isEmpty {
      lines.append("unsaved changes that it overwrites are saved first; undo brings them back")
    }
    return lines.flatMap { Paragraph.lines($0, width: size.columns, limit: 3) }
  }

  /// How many lines a plan has.
  func lineCount(of plan: ChangePlan) -> Int { summaryLines(of: plan).count + 1 + plan.steps.count }

  package var selectedRow: TimelineRow? {
    rows.indices.contains(timeline.selected) ? rows[timeline.selected] : nil
  }

  /// Takes notice of an event.
  package mutating func handle(_ event: BrowserEvent) -> [BrowserEffect] {
    let effects = react(to: event)
    settle()
    return effects
  }

  private mutating func react(to event: BrowserEvent) -> [BrowserEffect] {
    switch event {
    case .key(let key): return press(key)
    case .resized(let size):
      self.size = size
      return [.redraw]
    case .history(let entries, let isAll):
      history = entries
      isHistoryComplete = isAll
      arrange()
      return loadIfNeeded()
    case .historyFailed(let message):
      history = history ?? []
      isHistoryComplete = true
      self.message = message
      return []
    case .unsaved(let changes, let isPending):
      unsaved = changes
      isRestorePending = isPending
      if detail.subject == .unsaved { detail.expire() }
      arrange()
      return loadIfNeeded()
    case .unsavedFailed(let message):
      self.message = message
      return []
    case .detail(let lines, let token): detail.append(lines, token: token)
    case .detailEnd(let token): detail.finish(token: token)
    case .detailFailed(let message, let token): detail.fail(message, token: token)
    case .planned(let plan, let token): show(plan, token)
    case .progress(let text, let token): showProgress(text, token)
    case .changed(let message, let token): return finishChange(message, token)
    case .changeFailed(let message, let token): return finishChange(message, token)
    case .notice(let message): self.message = message
    case .interrupted(let status): return end(status)
    case .resumed: return [.redraw] + refresh()
    }
    return []
  }

  // MARK: - The timeline

  /// Puts the rows together, and keeps the selection where it was.
  private mutating func arrange() {
    let selected = selectedRow?.identity
    rows = (unsaved.isEmpty ? [] : [.unsaved(unsaved)]) + (history ?? []).map { .entry($0) }
    let position = rows.firstIndex { if case .entry(let entry) = $0 { entry.isCurrent } else { false } }
    switch target {
    case .newest: timeline.select(unsaved.isEmpty ? position ?? 0 : 0)
    case .position: timeline.select(position ?? 0)
    case .same:
      if let same = rows.firstIndex(where: { $0.identity == selected }) { timeline.select(same) }
    }
  }

  /// Reads the history and the folder again.
  mutating func refresh() -> [BrowserEffect] {
    detail.expire()
    return BrowserState.beginning
  }

  // MARK: - The right pane

  /// Loads what belongs to the selected entry, unless it is there.
  mutating func loadIfNeeded() -> [BrowserEffect] {
    timeline.settle(count: rows.count, height: layout.content.count)
    guard let row = selectedRow else {
      detail.clear()
      return [.cancelLoad]
    }
    if detail.subject == row.identity {
      // What has expired is read again, and stays open where it was.
      return detail.isExpired ? load(detail.content, selecting: detail.position.selected) : []
    }
    detail.restart()
    return load(detail.content)
  }

  mutating func load(_ content: DetailContent, selecting line: Int? = nil) -> [BrowserEffect] {
    guard let row = selectedRow else { return [] }
    loadToken += 1
    detail.begin(content, of: row.identity, token: loadToken, selecting: line)
    return [.load(DetailRequest(token: loadToken, row: row, content: content))]
  }

  // MARK: - The end

  /// Ends the browser. Work that changes the folder is told to stop, and ends first.
  mutating func end(_ status: Int32) -> [BrowserEffect] {
    guard case .performing = work else { return [.end(status: status)] }
    // Asked twice: whoever asks does not want to wait.
    if endStatus != nil { return [.end(status: status)] }
    endStatus = status
    return [.cancelChange]
  }

  private mutating func finishChange(_ message: ScreenMessage, _ token: Int) -> [BrowserEffect] {
    guard token == workToken, let work else { return [] }
    self.work = nil
    self.message = message
    guard case .performing = work else { return [] }
    dialog = nil
    if let endStatus { return [.end(status: endStatus)] }
    target = .position
    focus = .timeline
    return refresh()
  }

  // MARK: - Room

  /// Keeps everything that scrolls in its place.
  private mutating func settle() {
    let height = layout.content.count
    timeline.settle(count: rows.count, height: height)
    detail.position.settle(count: detail.lines.count, height: height)
    switch dialog {
    case .help(var position):
      position.scroll(by: 0, count: HelpText.lines.count, height: height)
      dialog = .help(position)
    case .plan(let plan, var position):
      position.scroll(by: 0, count: lineCount(of: plan), height: height)
      dialog = .plan(plan, position)
    case nil: break
    }
  }
}
