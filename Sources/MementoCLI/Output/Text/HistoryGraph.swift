// The lines of history left of `memento log --all`: the timeline first, and beside it what undo left behind, each branch
// down to the entry from which it went off. Nothing is drawn where there is only the timeline.

import MementoKit

struct HistoryGraph {
  /// What stands left of one entry.
  struct Row: Equatable {
    /// Whole lines above the entry, where branches that began at it come together.
    var joins: [String] = []
    /// Left of the first line of the entry.
    var node = ""
    /// Left of its other lines.
    var rest = ""
  }

  /// The signs, each one column wide.
  private struct Signs {
    let node: Character
    let line: Character
    let fork: Character
    let across: Character
    let crossing: Character
    let corner: Character
  }

  private static let ascii = Signs(node: "o", line: "|", fork: "|", across: "-", crossing: "+", corner: "'")
  private static let unicode = Signs(node: "○", line: "│", fork: "├", across: "─", crossing: "┼", corner: "╯")

  private(set) var rows: [Row] = []
  /// The columns that all rows take.
  private(set) var width = 0

  private let signs: Signs
  /// What each branch goes down to, beside the timeline; nil where there is no branch.
  private var branches: [SnapshotID?] = []
  /// What the timeline goes down to: a save that changed nothing takes the place of the step before it, which then is no
  /// branch.
  private var below: SnapshotID?

  /// Nil when there is only one line of history. `entries`: newest first.
  init?(_ entries: [LogEntry], isUnicode: Bool) {
    guard entries.contains(where: HistoryGraph.isLeft) else { return nil }
    signs = isUnicode ? HistoryGraph.unicode : HistoryGraph.ascii
    /// How often a snapshot is still to come.
    var coming: [SnapshotID: Int] = [:]
    for entry in entries where HistoryGraph.isOfFolder(entry) { coming[entry.snapshot.id, default: 0] += 1 }
    let timelineEnd = entries.lastIndex { HistoryGraph.isOfFolder($0) && !HistoryGraph.isLeft($0) } ?? -1
    let timelineStart = entries.firstIndex { HistoryGraph.isOfFolder($0) && !HistoryGraph.isLeft($0) } ?? 0
    for (index, entry) in entries.enumerated() {
      let isOnTimeline = (timelineStart...max(timelineStart, timelineEnd)).contains(index) && timelineEnd >= 0
      rows.append(
        row(entry, &coming, timeline: isOnTimeline ? (index < timelineEnd ? signs.line : " ") : " ", isOnTimeline))
    }
    width = rows.flatMap { $0.joins + [$0.node, $0.rest] }.map(\.count).max() ?? 0
    if width <= 1 { return nil }
  }

  private static func isOfFolder(_ entry: LogEntry) -> Bool { entry.snapshot.kind != .value }

  private static func isLeft(_ entry: LogEntry) -> Bool {
    isOfFolder(entry) && entry.marks.contains { [.undone, .elsewhere, .named].contains($0) }
  }

  /// `timeline`: the sign of the timeline below this entry.
  private mutating func row(
    _ entry: LogEntry, _ coming: inout [SnapshotID: Int], timeline: Character, _ isOnTimeline: Bool
  ) -> Row {
    var row = Row()
    let line = isOnTimeline ? signs.line : " "
    guard HistoryGraph.isOfFolder(entry) else {
      row.node = text(line, branches.map { $0 == nil ? " " : signs.line })
      row.rest = row.node
      return row
    }
    let id = entry.snapshot.id
    coming[id, default: 1] -= 1
    let isLeft = HistoryGraph.isLeft(entry) && !(isOnTimeline && below == id)
    // A branch that goes on here is the first that leads here; others come to it.
    var own: Int?
    if isLeft {
      let free = branches.firstIndex { $0 == nil }
      own = branches.firstIndex(of: id) ?? free ?? branches.endIndex
      if own == branches.endIndex { branches.append(nil) }
    }
    for index in branches.indices.reversed() where branches[index] == id && index != own {
      row.joins.append(join(index, to: own, line))
      branches[index] = nil
    }
    if !isLeft { below = entry.snapshot.parent }
    var signsHere = branches.map { $0 == nil ? " " : signs.line }
    let node = entry.isCurrent ? "*" : signs.node
    if let own {
      signsHere[own] = node
      let parent = entry.snapshot.parent
      branches[own] = parent.flatMap { coming[$0, default: 0] > 0 ? $0 : nil }
    }
    row.node = text(own == nil ? node : line, signsHere)
    row.rest = text(timeline, branches.map { $0 == nil ? " " : signs.line })
    while branches.last == .some(nil) { branches.removeLast() }
    return row
  }

  /// The line that leads one branch to another; nil: to the timeline.
  private func join(_ branch: Int, to other: Int?, _ timeline: Character) -> String {
    let from = branch + 1
    let to = other.map { $0 + 1 } ?? 0
    let all = [timeline] + branches.map { $0 == nil ? " " : signs.line }
    var line: [Character] = []
    for column in 0...max(from, all.count - 1) {
      switch column {
      case to: line += [signs.fork, signs.across]
      case from: line += [signs.corner, " "]
      case to..<from: line += [all[column] == " " ? signs.across : signs.crossing, signs.across]
      default: line += [all[column], " "]
      }
    }
    return HistoryGraph.trimmed(line)
  }

  private func text(_ timeline: Character, _ branches: [Character]) -> String {
    HistoryGraph.trimmed(([timeline] + branches).flatMap { [$0, " "] })
  }

  private static func trimmed(_ line: [Character]) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0)])
  }
}
