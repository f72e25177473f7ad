// A hunk that a user changes in an editor, as with `e` of `git add -p`. Its lines are those of a unified diff: a space before
// a line that stays, `-` before one that goes, `+` before one that comes, and `\` after a line that ends without a newline.

extension TextDiff {
  /// What a user has made of a hunk.
  public struct HunkEdit: Equatable, Sendable {
    /// The lines of the old text whose place is taken, counted from 0.
    let old: Range<Int>
    let text: [UInt8]
  }

  /// Why the text of a hunk does not fit.
  public struct HunkEditError: Error, Equatable, Sendable {
    /// The line of the text, counted from 1; nil when lines are missing at its end.
    public let line: Int?
    /// What is wrong, to follow the number of the line.
    public let reason: String
  }

  private struct Line {
    let number: Int
    let origin: Origin
    var bytes: ArraySlice<UInt8>
  }

  /// A hunk as text to edit.
  public func editableText(of hunk: Hunk) -> [UInt8] {
    var text: [UInt8] = []
    forEachLine(of: hunk) { origin, line in
      text.append(UInt8(ascii: origin == .both ? " " : origin == .old ? "-" : "+"))
      text += line
      if line.last != UInt8(ascii: "\n") { text += "\n\\ No newline at end of file\n".utf8 }
    }
    return text
  }

  /// Reads what a user has made of the text of a hunk. Lines that begin with `#` do not count, and an empty line is an empty
  /// one that stays, since editors cut blanks at the end. Nil when no line is left: the user does not want to edit. Throws
  /// unless the lines that stay and go are those of the old text, in their order.
  public func edit(_ hunk: Hunk, as text: [UInt8]) throws(HunkEditError) -> HunkEdit? {
    let lines = try TextDiff.lines(of: text)
    if lines.allSatisfy({ $0.origin == .both && $0.bytes.elementsEqual("\n".utf8) }) { return nil }
    var line = hunk.old.lowerBound
    for found in lines where found.origin != .new {
      guard line < hunk.old.upperBound, old[line] == found.bytes else {
        throw HunkEditError(line: found.number, reason: "it is not the line of the file at this place")
      }
      line += 1
    }
    guard line == hunk.old.upperBound else {
      throw HunkEditError(
        line: nil, reason: "lines of the file are missing: to keep one, put a space in the place of -")
    }
    let left = lines.filter { $0.origin != .old }
    for (index, found) in left.enumerated() where found.bytes.last != UInt8(ascii: "\n") {
      guard index == left.count - 1, hunk.old.upperBound == old.count else {
        throw HunkEditError(line: found.number, reason: "only the last line of a file ends without a newline")
      }
    }
    // Only what changes is replaced: hunks that were split show the same lines around them.
    let leading = lines.prefix { $0.origin == .both }.count
    let trailing = lines.dropFirst(leading).reversed().prefix { $0.origin == .both }.count
    return HunkEdit(
      old: hunk.old.lowerBound + leading..<max(hunk.old.lowerBound + leading, hunk.old.upperBound - trailing),
      text: lines[leading..<lines.count - trailing].filter { $0.origin != .old }.flatMap(\.bytes))
  }

  private static func lines(of text: [UInt8]) throws(HunkEditError) -> [Line] {
    var lines: [Line] = []
    var number = 0
    var start = 0
    while start < text.count {
      let newline = text[start...].firstIndex(of: UInt8(ascii: "\n"))
      let end = newline ?? text.count
      let line = text[start..<end]
      start = end + 1
      number += 1
      let rest = line.dropFirst() + [UInt8(ascii: "\n")]
      switch line.first {
      case UInt8(ascii: "#"): continue
      case nil, UInt8(ascii: " "): lines.append(Line(number: number, origin: .both, bytes: rest))
      case UInt8(ascii: "-"): lines.append(Line(number: number, origin: .old, bytes: rest))
      case UInt8(ascii: "+"): lines.append(Line(number: number, origin: .new, bytes: rest))
      case UInt8(ascii: "\\"):
        guard let last = lines.last, last.bytes.last == UInt8(ascii: "\n") else {
          throw HunkEditError(line: number, reason: "there is no line before it")
        }
        lines[lines.count - 1].bytes.removeLast()
      default: throw HunkEditError(line: number, reason: "it begins with none of: a space, -, +, #")
      }
    }
    return lines
  }
}
