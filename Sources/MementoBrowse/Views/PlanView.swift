// What a change would do, before it is done: a summary, and a line for each path.

import MementoKit
import MementoText

enum PlanView {
  static func draw(
    _ plan: ChangePlan, _ summary: [String], from top: Int, in columns: Range<Int>, _ rows: Range<Int>,
    on grid: inout Grid
  ) {
    let head = summary.count + 1
    for (row, line) in zip(rows, top..<max(top, head + plan.steps.count)) {
      if line < summary.count {
        grid.write(summary[line], row: row, in: columns, CellStyle(.heading))
      } else if line >= head {
        draw(plan.steps[line - head], in: columns, row, on: &grid)
      }
    }
  }

  private static func draw(_ step: PlannedChange, in columns: Range<Int>, _ row: Int, on grid: inout Grid) {
    let ink: Ink =
      switch step.action {
      case .create: .added
      case .remove: .removed
      case .replace: .hunk
      default: .faint
      }
    let word = step.action.description
    let padding = String(repeating: " ", count: max(1, 9 - word.count))
    grid.write("  " + word + padding + TerminalText.escaped(step.path), row: row, in: columns, CellStyle(ink))
  }
}
