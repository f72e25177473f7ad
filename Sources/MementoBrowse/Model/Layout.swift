// Where everything is on a screen of some size. A screen without room for all of it shows what matters most.

package struct Layout: Equatable, Sendable {
  /// Narrower screens show one pane at a time.
  private static let narrowest = 64

  /// The row with the folder and its position; nil where there is no room.
  package let title: Int?
  /// The row with the titles of the panes.
  package let headings: Int?
  /// The rows of the lists.
  package let content: Range<Int>
  /// The rows of messages.
  package let messages: Range<Int>
  /// The row that says what keys do.
  package let hints: Int?
  /// The columns of the timeline; nil when it is not shown.
  package let timeline: Range<Int>?
  /// The column between the panes.
  package let separator: Int?
  /// The columns of what belongs to the selected entry; nil when it is not shown.
  package let detail: Range<Int>?

  package init(_ size: ScreenSize, focus: Pane, messageLines: Int) {
    let rows = size.rows
    title = rows >= 10 ? 0 : nil
    let headings = rows >= 4 ? (title == nil ? 0 : 1) : nil
    self.headings = headings
    let first = headings.map { $0 + 1 } ?? 0
    let isShort = rows < 5
    // A screen of a few rows shows a message in the place of the hints.
    hints = rows >= 2 && !(isShort && messageLines > 0) ? rows - 1 : nil
    let end = hints ?? rows
    let wanted = min(messageLines, isShort ? 1 : rows < 10 ? 2 : 4)
    let lines = max(0, min(wanted, end - first - 1))
    content = first..<max(first, end - lines)
    messages = content.upperBound..<(content.upperBound + lines)

    let columns = size.columns
    if columns < Layout.narrowest {
      timeline = focus == .timeline ? 0..<columns : nil
      detail = focus == .detail ? 0..<columns : nil
      separator = nil
    } else {
      let width = min(max(columns * 2 / 5, 30), 60)
      timeline = 0..<width
      separator = width
      detail = (width + 1)..<columns
    }
  }
}

/// The halves of the screen.
package enum Pane: Sendable {
  case timeline
  case detail
}
