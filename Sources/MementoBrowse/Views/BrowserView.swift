// Draws a state of the browser. Nothing here changes the state or asks anybody.

import MementoText

package enum BrowserView {
  package static func grid(_ state: BrowserState, title: String, form: ViewForm) -> Grid {
    var grid = Grid(state.size)
    let layout = state.layout
    let all = 0..<state.size.columns
    if let row = layout.title { TitleView.draw(state, title, row, in: all, on: &grid) }
    switch state.dialog {
    case .plan(let plan, let position):
      if let row = layout.headings { heading(planTitle(plan), row, in: all, hasFocus: true, on: &grid) }
      PlanView.draw(plan, state.summaryLines(of: plan), from: position.top, in: all, layout.content, on: &grid)
    case .help(let position):
      if let row = layout.headings { heading("keys", row, in: all, hasFocus: true, on: &grid) }
      HelpView.draw(from: position.top, in: all, layout.content, on: &grid)
    case nil:
      drawPanes(state, layout, form, on: &grid)
    }
    drawMessage(state, layout, all, on: &grid)
    if let row = layout.hints { HintView.draw(state, row, in: all, on: &grid) }
    return grid
  }

  private static func drawPanes(_ state: BrowserState, _ layout: Layout, _ form: ViewForm, on grid: inout Grid) {
    if let columns = layout.timeline {
      if let row = layout.headings {
        heading(TimelineView.title(state), row, in: columns, hasFocus: state.focus == .timeline, on: &grid)
      }
      TimelineView.draw(state, form, in: columns, layout.content, on: &grid)
    }
    if let column = layout.separator {
      for row in (layout.headings ?? layout.content.lowerBound)..<layout.content.upperBound {
        grid.write(form.isUnicode ? "│" : "|", row: row, in: column..<(column + 1), CellStyle(.faint))
      }
    }
    if let columns = layout.detail {
      if let row = layout.headings {
        heading(DetailView.title(state), row, in: columns, hasFocus: state.focus == .detail, on: &grid)
      }
      DetailView.draw(state, in: columns, layout.content, on: &grid)
    }
  }

  /// The title of a pane: its name at the left, and how much there is of it at the right.
  static func heading(
    _ title: (left: String, right: String), _ row: Int, in columns: Range<Int>, hasFocus: Bool, on grid: inout Grid
  ) {
    let style = CellStyle(.heading, isReversed: hasFocus)
    grid.paint(row: row, in: columns) { _ in style }
    let right = title.right.isEmpty ? "" : " " + title.right
    let room = max(0, columns.count - right.count)
    grid.write(DisplayWidth.cut(title.left, to: room), row: row, in: columns, style)
    if room > 0 { grid.write(right, row: row, in: (columns.lowerBound + room)..<columns.upperBound, style) }
  }

  private static func heading(
    _ title: String, _ row: Int, in columns: Range<Int>, hasFocus: Bool, on grid: inout Grid
  ) {
    heading((title, ""), row, in: columns, hasFocus: hasFocus, on: &grid)
  }

  private static func planTitle(_ plan: ChangePlan) -> String {
    switch plan.change {
    case .undo: "the plan of undo"
    case .redo: "the plan of redo"
    case .restore: "the plan of this restore"
    }
  }

  private static func drawMessage(
    _ state: BrowserState, _ layout: Layout, _ columns: Range<Int>, on grid: inout Grid
  ) {
    let style = CellStyle(state.message?.isAlarm == true ? .alarm : .heading)
    for (row, line) in zip(layout.messages, state.messageLines) { grid.write(line, row: row, in: columns, style) }
  }
}
