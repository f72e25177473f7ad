// The right pane: lines that come piece by piece, and the way that has led to them.

import MementoKit

package struct DetailPane: Equatable, Sendable {
  /// Where somebody was before something was opened.
  private struct Place: Equatable, Sendable {
    let content: DetailContent
    let selected: Int
  }

  package private(set) var content = DetailContent.diff(nil)
  /// The entry that the lines are about; nil when nothing is shown.
  package private(set) var subject: TimelineRow.Identity?
  /// Whether the lines must be loaded again.
  private(set) var isExpired = false
  package private(set) var lines: [DetailLine] = []
  package private(set) var isComplete = true
  package private(set) var failure: ScreenMessage?
  package var position = ListPosition()
  /// How many columns are scrolled out to the left.
  package private(set) var column = 0
  private(set) var token = 0
  private var trail: [Place] = []
  /// The line to go to when it has come.
  private var wanted: Int?

  package init() {}

  package var selectedLine: DetailLine? {
    lines.indices.contains(position.selected) ? lines[position.selected] : nil
  }

  package var canGoBack: Bool { !trail.isEmpty }

  /// Whether the lines are those of a folder.
  package var isTree: Bool { if case .tree = content { true } else { false } }

  /// Begins with the lines of an entry. `selecting`: a line to go to.
  mutating func begin(
    _ content: DetailContent, of subject: TimelineRow.Identity, token: Int, selecting line: Int? = nil
  ) {
    self.content = content
    self.subject = subject
    self.token = token
    isExpired = false
    lines = []
    isComplete = false
    failure = nil
    position = ListPosition()
    column = 0
    wanted = line
  }

  /// Shows nothing.
  mutating func clear() {
    begin(content, of: .unsaved, token: -1)
    subject = nil
    isComplete = true
  }

  mutating func expire() {
    isExpired = true
  }

  /// The way to look at another entry that belongs to this one.
  mutating func restart(as content: DetailContent? = nil) {
    trail = []
    self.content = content ?? root
  }

  private var root: DetailContent {
    switch content {
    case .diff: .diff(nil)
    case .stat: .stat
    case .tree, .file: .tree(BytePath(""))
    }
  }

  /// Remembers where this is, before something is opened from here.
  mutating func leaveMark() {
    trail.append(Place(content: content, selected: position.selected))
  }

  /// The place before this one.
  mutating func goBack() -> (content: DetailContent, selected: Int)? {
    trail.popLast().map { ($0.content, $0.selected) }
  }

  mutating func scroll(columns: Int) {
    column = max(0, min(column + columns, 10_000))
  }

  // MARK: - Answers

  mutating func append(_ more: [DetailLine], token: Int) {
    guard token == self.token else { return }
    lines += more
    reachWanted()
  }

  mutating func finish(token: Int) {
    guard token == self.token else { return }
    isComplete = true
    wanted = nil
  }

  mutating func fail(_ message: ScreenMessage, token: Int) {
    guard token == self.token else { return }
    isComplete = true
    failure = message
  }

  private mutating func reachWanted() {
    guard let line = wanted else { return }
    position.select(min(line, max(0, lines.count - 1)))
    if line < lines.count { wanted = nil }
  }

  // MARK: - Moving

  /// Moves the selection. Lines that have not come yet are waited for.
  mutating func move(by lines: Int) {
    var target = position
    if let wanted { target.select(wanted) }
    target.move(by: lines)
    select(target.selected)
  }

  mutating func select(_ line: Int) {
    position.select(line)
    wanted = !isComplete && line >= lines.count ? line : nil
  }
}
