// Reads what belongs to an entry, piece by piece. It stops as soon as another entry is selected.

import MementoKit
import MementoText

struct DetailReader: Sendable {
  /// Larger files are not compared here: nobody waits for it.
  private static let largestFile: UInt64 = 4 << 20

  let repository: Repository
  let queue: EventQueue
  let words: BrowserWords
  let zoneOffset: @Sendable (Int64) -> Int

  /// `unsaved`: what was found in the folder when somebody looked last.
  func read(_ request: DetailRequest, unsaved: Comparison?, _ monitor: LookMonitor) {
    var output = DetailOutput(token: request.token, queue: queue, monitor: monitor)
    do throws(DetailEnd) {
      switch request.content {
      case .diff(let path):
        try writeChanges(of: request, unsaved, monitor, to: &output) { (change, output) throws(DetailEnd) in
          if let path, change.change.path != path { return }
          try writeDiff(change.comparison, change.change, change.version, to: &output)
        }
      case .stat:
        try writeChanges(of: request, unsaved, monitor, to: &output) { (change, output) throws(DetailEnd) in
          try writeStat(change.comparison, change.change, change.version, to: &output)
        }
      case .tree(let path): try writeTree(request, path, to: &output)
      case .file(let path): try writeFile(request, path, to: &output)
      }
      output.finish()
    } catch {
      switch error {
      case .cancelled: return
      case .full: output.finish([DetailLine("there is more, which is not shown here", .alarm)])
      case .failed(let error):
        output.flush()
        queue.post(.detailFailed(words.alarm(error), token: request.token))
      }
    }
  }

  // MARK: - Changes

  private struct Found {
    let comparison: Comparison
    let change: FileChange
    let version: SnapshotID?
  }

  private func writeChanges(
    of request: DetailRequest, _ unsaved: Comparison?, _ monitor: LookMonitor, to output: inout DetailOutput,
    _ write: (Found, inout DetailOutput) throws(DetailEnd) -> Void
  ) throws(DetailEnd) {
    let comparison: Comparison?
    var isWhole = true
    if case .diff(_?) = request.content { isWhole = false }
    switch request.row {
    case .unsaved: comparison = unsaved
    case .entry(let entry):
      if isWhole { try output.put(EntryHeader.lines(entry, zoneOffset: zoneOffset)) }
      comparison = try asking { () throws(RepositoryError) in try repository.changes(of: entry, monitor: monitor) }
    }
    guard let comparison else {
      return try output.put(DetailLine("the state before it is not stored any more", .faint))
    }
    if isWhole {
      for problem in comparison.problems where !problem.isNote {
        try output.put(DetailLine(words.problem(problem), .alarm, path: problem.path))
      }
    }
    if comparison.changes.isEmpty { try output.put(DetailLine("nothing changed", .faint)) }
    for change in comparison.changes {
      let isGone = change.new == nil || comparison.to == nil
      try write(Found(comparison: comparison, change: change, version: isGone ? comparison.from?.id : nil), &output)
    }
  }

  private func writeDiff(
    _ comparison: Comparison, _ change: FileChange, _ version: SnapshotID?, to output: inout DetailOutput
  ) throws(DetailEnd) {
    try output.put(ChangeLines(change: change, version: version).heading)
    for half in change.halves {
      let lines = ChangeLines(change: half, version: version)
      guard let content = try content(of: half, comparison, lines, &output) else { continue }
      switch content.kind {
      case .text:
        guard let text = content.text else { continue }
        try lines.forEachLine(of: text) { (line) throws(DetailEnd) in try output.put(line) }
      case .binary: try output.put(lines.remark("binary, \(lines.sizes)"))
      case .tooLarge: try output.put(lines.remark("too large to compare here, \(lines.sizes)"))
      case .unreadable: try output.put(lines.remark(TerminalText.escaped(content.failure ?? ""), .alarm))
      default: break
      }
    }
    try output.put(DetailLine(""))
  }

  private func writeStat(
    _ comparison: Comparison, _ change: FileChange, _ version: SnapshotID?, to output: inout DetailOutput
  ) throws(DetailEnd) {
    let lines = ChangeLines(change: change, version: version)
    let isCompared = change.kind != .type && DetailReader.isSmall(change)
    try output.put(lines.stat(isCompared ? try content(of: change, comparison, lines, &output) : nil))
  }

  private static func isSmall(_ change: FileChange) -> Bool {
    max(change.old?.size ?? 0, change.new?.size ?? 0) <= largestFile
  }

  /// How the content differs; nil when it is too large or damaged, and a line says so.
  private func content(
    of change: FileChange, _ comparison: Comparison, _ lines: ChangeLines, _ output: inout DetailOutput
  ) throws(DetailEnd) -> ContentDiff? {
    guard DetailReader.isSmall(change) else {
      try output.put(lines.remark("too large to compare here, \(lines.sizes)"))
      return nil
    }
    // This one takes its time.
    if max(change.old?.size ?? 0, change.new?.size ?? 0) > DetailReader.largestFile / 8 { output.flush() }
    do throws(RepositoryError) {
      return try comparison.content(of: change)
    } catch {
      guard error.code == .damaged else { throw DetailEnd(error) }
      // The other files may be whole.
      try output.put(lines.remark(TerminalText.escaped(error.message), .alarm))
      return nil
    }
  }

  // MARK: - Files

  private func writeTree(_ request: DetailRequest, _ path: BytePath, to output: inout DetailOutput) throws(DetailEnd) {
    guard let snapshot = request.row.snapshot else { return }
    var entries = try asking { () throws(RepositoryError) in
      try repository.entries(Revision(snapshot), path: path)
    }
    while let entry = try asking({ () throws(RepositoryError) in try entries.next() }) {
      try output.put(TreeLines.line(entry.path, entry.entry, in: path))
    }
  }

  private func writeFile(_ request: DetailRequest, _ path: BytePath, to output: inout DetailOutput) throws(DetailEnd) {
    guard let snapshot = request.row.snapshot else { return }
    let revision = Revision(snapshot)
    let entry = try asking { () throws(RepositoryError) in try repository.entry(revision, path: path) }
    guard entry.type == .file else {
      let target = entry.target.map { " -> " + TerminalText.escaped($0) } ?? ""
      return try output.put(DetailLine(entry.type.description + target, .faint, path: path))
    }
    var reader = try asking { () throws(RepositoryError) in try repository.content(of: revision, path: path) }
    var rest: [UInt8] = []
    var count: UInt64 = 0
    while let piece = try asking({ () throws(RepositoryError) in try reader.next() }) {
      if count == 0, piece.contains(0) {
        return try output.put(DetailLine("binary, \(Quantity.bytes(entry.size))", .faint, path: path))
      }
      count += UInt64(piece.count)
      if count > DetailReader.largestFile { throw .full }
      rest += piece
      var start = 0
      while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        try output.put(DetailLine(LineText.shown(rest[start..<end]), path: path))
        start = end + 1
      }
      rest.removeFirst(start)
    }
    if !rest.isEmpty { try output.put(DetailLine(LineText.shown(rest[...]), path: path)) }
  }

  private func asking<Result: ~Copyable>(
    _ body: () throws(RepositoryError) -> Result
  ) throws(DetailEnd) -> Result {
    do throws(RepositoryError) {
      return try body()
    } catch {
      throw DetailEnd(error)
    }
  }
}
