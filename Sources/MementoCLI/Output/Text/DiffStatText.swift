// A line with a small bar for each changed file, in the form of `git diff --stat`.

import MementoKit

/// The size of the change of one file.
struct FileStat: Equatable, Sendable {
  enum Amount: Equatable, Sendable {
    case lines(insertions: Int, deletions: Int)
    /// For content that is not text: the bytes on each side.
    case bytes(UInt64, UInt64)
  }

  let change: FileChange
  let amount: Amount

  /// Whether the change is of a folder. The summary counts folders apart from all other types.
  var isFolder: Bool { [change.old, change.new].allSatisfy { $0.map { $0.type == .directory } ?? true } }

  init(_ change: FileChange, _ contents: [ContentDiff]) {
    self.change = change
    var insertions = 0
    var deletions = 0
    var isText = true
    for content in contents {
      if let diff = content.text {
        insertions += diff.insertions
        deletions += diff.deletions
      } else if content.kind != .same {
        isText = false
      }
    }
    amount =
      isText
      ? .lines(insertions: insertions, deletions: deletions) : .bytes(change.old?.size ?? 0, change.new?.size ?? 0)
  }
}

struct DiffStatText {
  let form: TextForm

  func lines(_ stats: [FileStat]) -> [String] {
    if stats.isEmpty { return [] }
    let width = form.width ?? 80
    let largest = stats.map { DiffStatText.total($0.amount) }.max() ?? 0
    let hasBytes = stats.contains { if case .bytes = $0.amount { true } else { false } }
    let numberWidth = max(String(largest).count, hasBytes ? 3 : 0)
    let nameLimit = max(20, width - numberWidth - 26)
    let names = stats.map { DiffStatText.fitted(DiffStatText.name($0.change), to: nameLimit) }
    let nameWidth = names.map(DisplayWidth.of).max() ?? 0
    let barWidth = max(10, width - nameWidth - numberWidth - 5)
    let lines = zip(names, stats).map { name, stat in
      let start = " " + name + String(repeating: " ", count: nameWidth - DisplayWidth.of(name)) + " | "
      switch stat.amount {
      case .bytes(let old, let new):
        return start + DiffStatText.padded("Bin", numberWidth) + " \(old) -> \(new) bytes"
      case .lines(let insertions, let deletions):
        let number = DiffStatText.padded(String(insertions + deletions), numberWidth)
        let bar = bar(insertions, deletions, largest: largest, width: barWidth)
        return start + number + (bar.isEmpty ? "" : " " + bar)
      }
    }
    return lines + [DiffStatText.summary(stats)]
  }

  /// ` 2 files changed, 1 folder changed, 10 insertions(+), 1 deletion(-)`
  private static func summary(_ stats: [FileStat]) -> String {
    var insertions = 0
    var deletions = 0
    for case .lines(let added, let removed) in stats.map(\.amount) {
      insertions += added
      deletions += removed
    }
    let folders = stats.count { $0.isFolder }
    var parts: [String] = []
    if folders < stats.count { parts.append(Quantity.count(stats.count - folders, "file") + " changed") }
    if folders > 0 { parts.append(Quantity.count(folders, "folder") + " changed") }
    if insertions > 0 { parts.append(Quantity.count(insertions, "insertion") + "(+)") }
    if deletions > 0 { parts.append(Quantity.count(deletions, "deletion") + "(-)") }
    return " " + parts.joined(separator: ", ")
  }

  private func bar(_ insertions: Int, _ deletions: Int, largest: Int, width: Int) -> String {
    var plus = insertions
    var minus = deletions
    if largest > width {
      plus = DiffStatText.scaled(insertions, largest, width)
      minus = min(DiffStatText.scaled(deletions, largest, width), max(width - plus, deletions > 0 ? 1 : 0))
    }
    return form.style.added(String(repeating: "+", count: plus))
      + form.style.removed(String(repeating: "-", count: minus))
  }

  /// The length of a bar. It has at least one character when `count` is not 0.
  private static func scaled(_ count: Int, _ largest: Int, _ width: Int) -> Int {
    count == 0 ? 0 : 1 + Int(Double(count) / Double(largest) * Double(width - 1))
  }

  private static func total(_ amount: FileStat.Amount) -> Int {
    if case .lines(let insertions, let deletions) = amount { return insertions + deletions }
    return 0
  }

  private static func name(_ change: FileChange) -> String {
    let path = TerminalText.escaped(change.path)
    return change.oldPath.map { "\(TerminalText.escaped($0)) => \(path)" } ?? path
  }

  /// The end of a long name. It says more than the beginning.
  private static func fitted(_ name: String, to width: Int) -> String {
    if DisplayWidth.of(name) <= width { return name }
    var rest = name[...]
    while DisplayWidth.of(String(rest)) > width - 3 { rest.removeFirst() }
    return "..." + rest
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
