// Changes as a unified diff that `patch -p1` and `git apply` read. What these programs can apply stands below a line
// `diff --git`, in git's extended form. The rest stands below a line `diff --memento`, which these programs skip.

import MementoKit

struct PatchText {
  /// Receives the text in pieces, so that the whole text need not be in memory.
  typealias Receiver = ([UInt8]) throws -> Void

  let form: TextForm
  /// The number of unchanged lines around each change.
  var context = 3

  /// Writes one change. `content` is the difference of the contents.
  func write(_ change: FileChange, _ content: ContentDiff, to put: Receiver) throws {
    try writeHeading(change, content, to: put)
    guard PatchText.applies(change, content), let diff = content.text else { return }
    for hunk in diff.hunks(context: context) { try write(hunk, of: diff, to: put) }
  }

  /// Writes what stands above the hunks of a change.
  func writeHeading(_ change: FileChange, _ content: ContentDiff, to put: Receiver) throws {
    let names = Names(change)
    let applies = PatchText.applies(change, content)
    let remarks = self.remarks(change, content, names, isAlone: !applies)
    if !remarks.isEmpty {
      try heading("diff --memento \(names.oldWord) \(names.newWord)", to: put)
      for remark in remarks { try heading(remark, to: put) }
    }
    guard applies else { return }
    try heading("diff --git \(names.oldWord) \(names.newWord)", to: put)
    for line in modes(change) { try heading(line, to: put) }
    if change.kind == .renamed {
      try heading("similarity index 100%", to: put)
      try heading("rename from \(PatchName.text(change.oldPath?.bytes ?? []))", to: put)
      try heading("rename to \(PatchName.text(change.path.bytes))", to: put)
    }
    if let old = change.old, let new = change.new, new.type == .link {
      // The mode in this line says that it is a link. The ids before it are for people.
      try heading(
        "index \((old.sha256 ?? "").prefix(12))..\((new.sha256 ?? "").prefix(12)) \(PatchText.mode(new))", to: put)
    }
    guard let diff = content.text, !diff.isEmpty else { return }
    try heading("--- " + (change.old == nil ? "/dev/null" : PatchName.header(names.old)), to: put)
    try heading("+++ " + (change.new == nil ? "/dev/null" : PatchName.header(names.new)), to: put)
  }

  /// The paths of both sides, with `a/` and `b/` in front.
  private struct Names {
    let old: [UInt8]
    let new: [UInt8]
    var oldWord: String { PatchName.word(old) }
    var newWord: String { PatchName.word(new) }

    init(_ change: FileChange) {
      old = Array("a/".utf8) + (change.oldPath ?? change.path).bytes
      new = Array("b/".utf8) + change.path.bytes
    }
  }

  /// Whether a patch program can apply the change: it is of a regular file or link, and of its text, mode or name.
  private static func applies(_ change: FileChange, _ content: ContentDiff) -> Bool {
    for entry in [change.old, change.new] {
      if let entry, entry.type != .file, entry.type != .link { return false }
    }
    if let diff = content.text {
      if !diff.isEmpty { return true }
    } else if content.kind != .same {
      return false
    }
    return change.old == nil || change.new == nil || change.kind == .renamed
      || change.old.map(PatchText.mode) != change.new.map(PatchText.mode)
  }

  private func modes(_ change: FileChange) -> [String] {
    switch (change.old, change.new) {
    case (nil, let new?): return ["new file mode \(PatchText.mode(new))"]
    case (let old?, nil): return ["deleted file mode \(PatchText.mode(old))"]
    case (let old?, let new?) where PatchText.mode(old) != PatchText.mode(new):
      return ["old mode \(PatchText.mode(old))", "new mode \(PatchText.mode(new))"]
    default: return []
    }
  }

  /// The mode as git writes it. Links have no permissions, so git writes 120000.
  private static func mode(_ entry: FileEntry) -> String {
    entry.type == .link ? "120000" : octal(entry.mode)
  }

  static func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  // MARK: What patch programs cannot do

  private func remarks(_ change: FileChange, _ content: ContentDiff, _ names: Names, isAlone: Bool) -> [String] {
    var lines: [String] = []
    if isAlone { lines += kinds(change) }
    if let old = change.old, let new = change.new { lines += metadata(old, new, change.kind) }
    let sides = [
      change.old == nil ? "/dev/null" : PatchName.word(names.old),
      change.new == nil ? "/dev/null" : PatchName.word(names.new),
    ]
    let sizes = "(\(change.old?.size ?? 0) and \(change.new?.size ?? 0) bytes)"
    switch content.kind {
    case .binary: lines.append("Binary files \(sides[0]) and \(sides[1]) differ \(sizes)")
    case .tooLarge: lines.append("Large files \(sides[0]) and \(sides[1]) differ \(sizes)")
    case .unreadable: lines.append("Files \(sides[0]) and \(sides[1]) differ \(sizes)")
    case .text where content.text?.isEmpty == true && change.kind == .modified: lines.append("only holes differ")
    default: break
    }
    return lines
  }

  private func kinds(_ change: FileChange) -> [String] {
    switch (change.old, change.new) {
    case (nil, let new?): return ["new \(new.type.description) mode \(PatchText.octal(new.mode))"]
    case (let old?, nil): return ["deleted \(old.type.description) mode \(PatchText.octal(old.mode))"]
    default: return modes(change)
    }
  }

  private func metadata(_ old: FileEntry, _ new: FileEntry, _ kind: ChangeKind) -> [String] {
    var lines: [String] = []
    func add(_ what: String, _ before: String, _ after: String) {
      if before != after { lines += ["old \(what) \(before)", "new \(what) \(after)"] }
    }
    add("owner", "\(old.user):\(old.group)", "\(new.user):\(new.group)")
    if let before = old.device, let after = new.device {
      add("device", "\(before.major):\(before.minor)", "\(after.major):\(after.minor)")
    }
    // A change of content also changes the time of a file, and a change of an entry that of a folder. So the time is
    // shown only for files of which only metadata changed.
    if kind == .metadata, old.type != .directory { add("time", old.modified.rfc3339, new.modified.rfc3339) }
    for name in Set((old.attributes + new.attributes).map(\.name)).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let before = old.attributes.first { $0.name == name }
      let after = new.attributes.first { $0.name == name }
      if before == after { continue }
      let verb = before == nil ? "new" : after == nil ? "deleted" : "changed"
      lines.append("\(verb) attribute \(PatchName.text(name))")
    }
    return lines
  }

  // MARK: Hunks

  /// Writes one hunk: its place, and its lines.
  func write(_ hunk: TextDiff.Hunk, of diff: TextDiff, to put: Receiver) throws {
    let line = PatchText.place(of: hunk)
    try put(Array((form.style.hunk(line) + "\n").utf8))
    try diff.forEachLine(of: hunk) { origin, line in
      switch origin {
      case .both: try self.line(" ", line, { $0 }, to: put)
      case .old: try self.line("-", line, form.style.removed, to: put)
      case .new: try self.line("+", line, form.style.added, to: put)
      }
    }
  }

  static func place(of hunk: TextDiff.Hunk) -> String {
    "@@ -\(range(hunk.old)) +\(range(hunk.new)) @@"
  }

  /// The range of a hunk, counted from line 1. An empty range has the number of the line before it.
  private static func range(_ lines: Range<Int>) -> String {
    let start = lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
    return lines.count == 1 ? "\(start)" : "\(start),\(lines.count)"
  }

  private func line(_ mark: String, _ line: ArraySlice<UInt8>, _ paint: (String) -> String, to put: Receiver) throws {
    let isEnded = line.last == UInt8(ascii: "\n")
    let bytes = isEnded ? line.dropLast() : line
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + 16)
    if form.isTerminal {
      out += paint(mark + VisibleContent.line(bytes)).utf8
    } else if form.style.isColored {
      // The bytes need not be text, so the colour codes are put around them as bytes.
      let painted = Array(paint(mark + "\n").utf8)
      let parts = painted.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
      out += parts[0] + bytes + parts[1]
    } else {
      out += mark.utf8
      out += bytes
    }
    out.append(UInt8(ascii: "\n"))
    if !isEnded { out += "\\ No newline at end of file\n".utf8 }
    try put(out)
  }

  private func heading(_ line: String, to put: Receiver) throws {
    try put(Array((form.style.heading(line) + "\n").utf8))
  }
}
