// Prints a comparison in the chosen form. The contents of the files are read here, one pair at a time.

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
    let stats = try comparison.changes.map { change in
      try session.checkInterruption()
      return FileStat(change, try change.halves.map { try content(of: $0, &problems) })
    }
    return (stats, problems)
  }

  private func writePatch(in session: Session) throws -> [Problem] {
    var problems: [Problem] = []
    let text = PatchText(form: session.form, context: context)
    func write(_ change: FileChange) throws {
      try session.checkInterruption()
      try text.write(change, try content(of: change, &problems)) { try session.write($0) }
    }
    // A file that replaces a folder can be created only after everything in the folder is removed. So it is written
    // last.
    var late: [FileChange] = []
    for change in comparison.changes {
      for half in change.halves {
        if change.old?.type == .directory, half.old == nil { late.append(half) } else { try write(half) }
      }
    }
    for change in late { try write(change) }
    return problems
  }

  private func content(of change: FileChange, _ problems: inout [Problem]) throws -> ContentDiff {
    let content = try comparison.content(of: change)
    if let message = content.failure { problems.append(Problem(path: change.path, message: message)) }
    return content
  }
}
