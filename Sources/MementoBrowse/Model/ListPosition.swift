// Which line of a list is selected, and which part of the list is shown.

package struct ListPosition: Equatable, Sendable {
  package private(set) var selected = 0
  /// The first line that is shown.
  package private(set) var top = 0

  package init(selected: Int = 0) {
    self.selected = max(0, selected)
  }

  package mutating func select(_ line: Int) {
    selected = max(0, line)
  }

  package mutating func move(by lines: Int) {
    let (sum, overflow) = selected.addingReportingOverflow(lines)
    selected = max(0, overflow ? (lines > 0 ? .max : 0) : sum)
  }

  /// Keeps the selection in the list, and in the part of it that is shown.
  package mutating func settle(count: Int, height: Int) {
    let height = max(1, height)
    selected = min(selected, max(0, count - 1))
    if selected < top { top = selected }
    if selected >= top + height { top = selected - height + 1 }
    // No empty lines below a list that could fill them.
    top = max(0, min(top, count - height))
  }

  /// Scrolls without a selection: the selection is the top.
  package mutating func scroll(by lines: Int, count: Int, height: Int) {
    top = max(0, min(top + lines, count - max(1, height)))
    selected = top
  }
}
