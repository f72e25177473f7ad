// Prints a comparison in the chosen form.

import MementoKit

struct ComparisonOutput {
  let comparison: Comparison
  let context: Int

  /// `context`: the number of unchanged lines around each change.
  init(_ comparison: Comparison, context: Int = 3) {
    self.comparison = comparison
    self.context = context
  }

  init(_ comparison: Comparison, _ options: DiffFormOptions) {
    self.init(comparison, context: options.context?.count ?? 3)
  }

  /// Writes the changes. Returns the problems of files that could not be read.
  func write(_ form: DiffForm, in session: Session) throws -> [Problem] {
    switch form {
    case .nameStatus:
      for change in comparison.changes { try session.write(line: NameStatusText.line(change)) }
      return []
    case .patch:
      return try writePatch(in: session)
    case .stat:
      let (stats, problems) = try stats(in: session)
      for line in DiffStatText(form: session.form).lines(stats) { try session.write(line: line) }
      return problems
    }
  }

  /// The number of changed lines or bytes in each file, and the problems of files that could not be read.
  func stats(in session: Session) throws -> (stats: [FileStat], problems: [Problem]) {
    var problems: [Problem] = []
    var stats: [FileStat] = []
    var contents: [ContentDiff] = []
    try forEachContent(of: comparison.changes.flatMap(\.halves), session, &problems) { _, content in
      contents.append(content)
      let change = comparison.changes[stats.count]
      if contents.count < change.halves.count { return }
      stats.append(FileStat(change, contents))
      contents = []
    }
    return (stats, problems)
  }

  private func writePatch(in session: Session) throws -> [Problem] {
    var problems: [Problem] = []
    let text = PatchText(form: session.form, context: context)
    // A file that replaces a folder can be created only after everything in the folder is removed. So it is written
    // last.
    var late: [FileChange] = []
    var first: [FileChange] = []
    for change in comparison.changes {
      for half in change.halves {
        if change.old?.type == .directory, half.old == nil { late.append(half) } else { first.append(half) }
      }
    }
    try forEachContent(of: first + late, session, &problems) { change, content in
      try text.write(change, content) { try session.write($0) }
    }
    return problems
  }

  private func forEachContent(
    of changes: [FileChange], _ session: Session, _ problems: inout [Problem],
    _ body: (FileChange, ContentDiff) throws -> Void
  ) throws {
    let receivedSignal = session.context.receivedSignal
    try comparison.forEachContent(of: changes, isCancelled: { receivedSignal() != 0 }) { change, content in
      if let message = content.failure { problems.append(Problem(path: change.path, message: message)) }
      try body(change, content)
    }
  }
}
