// Finds the lines in which two texts differ. It removes the common start and end, replaces lines by numbers, and sets
// aside lines that the other text does not have. For the rest it searches a shortest path.

/// Lines of the old text, and the lines of the new text that replace them. One range may be empty, but not both.
struct LineEdit: Equatable, Sendable {
  var old: Range<Int>
  var new: Range<Int>
}

enum LineDiff {
  /// The edits that turn the old text into the new one, in order. There are equal lines between them.
  static func edits(from old: TextLines, to new: TextLines, effort: DiffEffort? = nil) -> [LineEdit] {
    var head = 0
    let shorter = min(old.count, new.count)
    while head < shorter, old.isEqual(head, new, head) { head += 1 }
    var tail = 0
    while tail < shorter - head, old.isEqual(old.count - 1 - tail, new, new.count - 1 - tail) { tail += 1 }
    let oldRange = head..<old.count - tail
    let newRange = head..<new.count - tail
    if oldRange.isEmpty && newRange.isEmpty { return [] }
    if oldRange.isEmpty || newRange.isEmpty {
      return EditSlider(old: old, new: new).slid([LineEdit(old: oldRange, new: newRange)])
    }
    let (removed, added) = changes(LineNumbering(old: old, oldRange, new: new, newRange), effort)
    var edits: [LineEdit] = []
    var (x, y) = (0, 0)
    while x < removed.count || y < added.count {
      let start = (x, y)
      while x < removed.count, removed[x] { x += 1 }
      while y < added.count, added[y] { y += 1 }
      if (x, y) == start {
        x += 1
        y += 1
      } else {
        edits.append(LineEdit(old: head + start.0..<head + x, new: head + start.1..<head + y))
      }
    }
    return EditSlider(old: old, new: new).slid(edits)
  }

  /// Which lines are removed and which added.
  private static func changes(_ lines: LineNumbering, _ effort: DiffEffort?) -> (removed: [Bool], added: [Bool]) {
    // A line that is not in the other text at all is on no path.
    var isInOld = [Bool](repeating: false, count: lines.count)
    var isInNew = isInOld
    for number in lines.old { isInOld[Int(number)] = true }
    for number in lines.new { isInNew[Int(number)] = true }
    let oldPlaces = lines.old.indices.filter { isInNew[Int(lines.old[$0])] }
    let newPlaces = lines.new.indices.filter { isInOld[Int(lines.new[$0])] }
    let search = SequenceDiff(
      old: oldPlaces.map { lines.old[$0] }, new: newPlaces.map { lines.new[$0] },
      effort: effort ?? .standard(lines: oldPlaces.count + newPlaces.count))
    var removed = [Bool](repeating: true, count: lines.old.count)
    var added = [Bool](repeating: true, count: lines.new.count)
    for (index, place) in oldPlaces.enumerated() { removed[place] = search.removed[index] }
    for (index, place) in newPlaces.enumerated() { added[place] = search.added[index] }
    return (removed, added)
  }
}
