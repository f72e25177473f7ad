// Moves edits to where they read best. Lines added or removed between equal lines can often be placed in several ways:
// as `b} {b` or as `{b}`. An edit should begin and end where a block does: at little indentation and after a blank
// line.

struct EditSlider {
  /// An edit is moved by at most this many lines.
  private static let limit = 200

  let old: TextLines
  let new: TextLines

  /// The same edits after moving. Edits that touch each other become one.
  func slid(_ edits: [LineEdit]) -> [LineEdit] {
    var result: [LineEdit] = []
    for (index, edit) in edits.enumerated() {
      var edit = edit
      let next =
        index + 1 < edits.count ? edits[index + 1] : LineEdit(old: old.count..<old.count, new: new.count..<new.count)
      if edit.old.isEmpty || edit.new.isEmpty { edit = best(edit, after: result.last, before: next) }
      if let last = result.last, last.old.upperBound == edit.old.lowerBound, last.new.upperBound == edit.new.lowerBound
      {
        edit = LineEdit(
          old: last.old.lowerBound..<edit.old.upperBound, new: last.new.lowerBound..<edit.new.upperBound)
        result.removeLast()
      }
      result.append(edit)
    }
    return result
  }

  private func best(_ edit: LineEdit, after last: LineEdit?, before next: LineEdit) -> LineEdit {
    let isAdded = edit.old.isEmpty
    let text = isAdded ? new : old
    let range = isAdded ? edit.new : edit.old
    let first = isAdded ? last?.new.upperBound ?? 0 : last?.old.upperBound ?? 0
    let end = isAdded ? next.new.lowerBound : next.old.lowerBound
    var lowest = 0
    while lowest > -EditSlider.limit, range.lowerBound + lowest > first,
      text.isEqual(range.lowerBound + lowest - 1, text, range.upperBound + lowest - 1)
    {
      lowest -= 1
    }
    var highest = 0
    while highest < EditSlider.limit, range.upperBound + highest < end,
      text.isEqual(range.lowerBound + highest, text, range.upperBound + highest)
    {
      highest += 1
    }
    var chosen = 0
    var best = Int.max
    // Among equally good places, take the last.
    for shift in stride(from: highest, through: lowest, by: -1) {
      let badness =
        badness(of: range.lowerBound + shift, in: text) + badness(of: range.upperBound + shift, in: text)
      if badness < best { (best, chosen) = (badness, shift) }
    }
    return LineEdit(old: edit.old.moved(by: chosen), new: edit.new.moved(by: chosen))
  }

  /// How bad it is when an edit begins or ends before a line. 0 is best.
  private func badness(of line: Int, in text: TextLines) -> Int {
    if line == 0 || line == text.count { return 0 }
    let isAfterBlank = indentation(of: line - 1, in: text) == nil
    var next = line
    while next < min(line + 3, text.count) {
      if let indentation = indentation(of: next, in: text) {
        return min(indentation, 60) * 4 + (isAfterBlank ? 0 : 6) + (next - line)
      }
      next += 1
    }
    return isAfterBlank ? 1 : 6
  }

  /// How many columns precede the first visible character. Nil for a blank line.
  private func indentation(of line: Int, in text: TextLines) -> Int? {
    var columns = 0
    for byte in text[line] {
      switch byte {
      case UInt8(ascii: " "): columns += 1
      case UInt8(ascii: "\t"): columns += 8 - columns % 8
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return nil
      default: return columns
      }
    }
    return nil
  }
}

extension Range<Int> {
  fileprivate func moved(by shift: Int) -> Range<Int> {
    lowerBound + shift..<upperBound + shift
  }
}
