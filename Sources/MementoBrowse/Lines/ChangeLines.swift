// A change of a file as lines: what it is, what differs beside the content, and the lines that differ.

import MementoKit
import MementoText

struct ChangeLines {
  let change: FileChange
  /// The snapshot that a restore of the path takes it from, if it is not the one that is shown.
  let version: SnapshotID?

  /// The lines above those that differ.
  var heading: [DetailLine] {
    let letter = ChangeLetter.of(change.kind)
    let old = change.oldPath.map { TerminalText.escaped($0) + " -> " } ?? ""
    return [line("\(letter) \(old)\(TerminalText.escaped(change.path))", .heading)]
      + remarks.map { line("  " + $0, .faint) }
  }

  private func line(_ text: String, _ ink: Ink) -> DetailLine {
    var line = DetailLine(text, ink, path: change.path, isFolder: (change.new ?? change.old)?.type == .directory)
    line.version = version
    return line
  }

  private var remarks: [String] {
    guard let old = change.old, let new = change.new else {
      guard let only = change.new ?? change.old, only.type != .file else { return [] }
      return [only.type.description]
    }
    var remarks: [String] = []
    func add(_ what: String, _ before: String, _ after: String) {
      if before != after { remarks.append("\(what) \(before) -> \(after)") }
    }
    add("type", old.type.description, new.type.description)
    add("mode", String(old.permissions, radix: 8), String(new.permissions, radix: 8))
    add("owner", "\(old.user):\(old.group)", "\(new.user):\(new.group)")
    if change.kind == .metadata, old.type != .directory {
      add("time", old.modified.rfc3339, new.modified.rfc3339)
    }
    if old.attributes != new.attributes { remarks.append("other attributes") }
    return remarks
  }

  /// The line for a content that is not shown line by line.
  func remark(_ text: String, _ ink: Ink = .faint) -> DetailLine {
    line("  " + text, ink)
  }

  /// The sizes of both sides, for example `1.2 KiB -> 1.3 KiB`.
  var sizes: String {
    switch (change.old, change.new) {
    case (let old?, let new?): "\(Quantity.bytes(old.size)) -> \(Quantity.bytes(new.size))"
    case (let only?, nil), (nil, let only?): Quantity.bytes(only.size)
    case (nil, nil): ""
    }
  }

  /// Gives each line that differs, with those around it, to `put`.
  func forEachLine<Failure: Error>(
    of text: TextDiff, _ put: (DetailLine) throws(Failure) -> Void
  ) throws(Failure) {
    for hunk in text.hunks(context: 3) {
      try put(line("@@ -\(ChangeLines.range(hunk.old)) +\(ChangeLines.range(hunk.new)) @@", .hunk))
      try text.forEachLine(of: hunk) { (origin, bytes) throws(Failure) in
        let shown = LineText.shown(bytes)
        switch origin {
        case .both: try put(line(" " + shown, .plain))
        case .old: try put(line("-" + shown, .removed))
        case .new: try put(line("+" + shown, .added))
        }
        if bytes.last != UInt8(ascii: "\n") { try put(line("\\ No newline at end of file", .faint)) }
      }
    }
  }

  private static func range(_ lines: Range<Int>) -> String {
    let start = lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
    return lines.count == 1 ? "\(start)" : "\(start),\(lines.count)"
  }
}

extension ChangeLines {
  /// The line of `stat`: the letter, how much differs, the path. `content` is nil where it was not compared.
  func stat(_ content: ContentDiff?) -> DetailLine {
    let amount =
      if let text = content?.text {
        ChangeLines.padded("+\(text.insertions)", 7) + ChangeLines.padded("-\(text.deletions)", 7)
      } else {
        ChangeLines.padded(content?.kind == .same ? "" : sizes, 14)
      }
    let ink: Ink =
      switch change.kind {
      case .added: .added
      case .removed: .removed
      default: .plain
      }
    let old = change.oldPath.map { TerminalText.escaped($0) + " -> " } ?? ""
    return line("\(ChangeLetter.of(change.kind)) \(amount)  \(old)\(TerminalText.escaped(change.path))", ink)
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
