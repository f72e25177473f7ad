// Finds the shortest edits between two sequences of numbers, or short ones if finding the shortest would take too long.
//
// The algorithm is that of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986),
// section 4b. It searches from both ends at once for the middle of a shortest path, and then solves both halves
// separately, so its memory is linear. As in GNU diff, a search that costs too much takes the path that has come
// furthest instead.

/// How many steps a comparison may take.
struct DiffEffort: Sendable {
  /// After this many steps, the search for a middle takes a path that may not be the shortest.
  var search: Int
  /// After this many steps in total, everything that is not compared yet counts as different.
  var total: Int

  /// Enough steps for the shortest edits of all texts but the largest and most different ones. Those take a second or
  /// two at most.
  static func standard(lines: Int) -> DiffEffort {
    var root = 256
    while root * root < lines { root *= 2 }
    return DiffEffort(search: root, total: 1 << 28)
  }
}

struct SequenceDiff {
  private let old: [Int32]
  private let new: [Int32]
  private let effort: DiffEffort
  private var steps = 0
  /// For each diagonal (place in old - place in new), how far a path has come, as a place in old: from the start, and
  /// from the end.
  private var forward: [Int32]
  private var backward: [Int32]
  private let origin: Int
  /// The places that are not on the path: these are removed from old, or added in new.
  private(set) var removed: [Bool]
  private(set) var added: [Bool]

  private struct Box {
    var oldLow: Int
    var oldHigh: Int
    var newLow: Int
    var newHigh: Int
  }

  init(old: [Int32], new: [Int32], effort: DiffEffort) {
    self.old = old
    self.new = new
    self.effort = effort
    origin = new.count + 1
    forward = [Int32](repeating: 0, count: old.count + new.count + 3)
    backward = forward
    removed = [Bool](repeating: false, count: old.count)
    added = [Bool](repeating: false, count: new.count)
    run()
    forward = []
    backward = []
  }

  private mutating func run() {
    var boxes = [Box(oldLow: 0, oldHigh: old.count, newLow: 0, newHigh: new.count)]
    while var box = boxes.popLast() {
      trim(&box)
      if box.oldLow < box.oldHigh, box.newLow < box.newHigh, let (x, y) = middle(of: box) {
        let first = Box(oldLow: box.oldLow, oldHigh: x, newLow: box.newLow, newHigh: y)
        let second = Box(oldLow: x, oldHigh: box.oldHigh, newLow: y, newHigh: box.newHigh)
        boxes.append(second)
        boxes.append(first)
        continue
      }
      for place in box.oldLow..<box.oldHigh { removed[place] = true }
      for place in box.newLow..<box.newHigh { added[place] = true }
    }
  }

  private func trim(_ box: inout Box) {
    while box.oldLow < box.oldHigh, box.newLow < box.newHigh, old[box.oldLow] == new[box.newLow] {
      box.oldLow += 1
      box.newLow += 1
    }
    while box.oldLow < box.oldHigh, box.newLow < box.newHigh, old[box.oldHigh - 1] == new[box.newHigh - 1] {
      box.oldHigh -= 1
      box.newHigh -= 1
    }
  }

  /// A place inside the box through which a short path goes. Nil when no steps are left.
  private mutating func middle(of box: Box) -> (Int, Int)? {
    if steps > effort.total { return nil }
    let lowest = box.oldLow - box.newHigh
    let highest = box.oldHigh - box.newLow
    let start = box.oldLow - box.newLow
    let end = box.oldHigh - box.newHigh
    let isOdd = (start - end) & 1 != 0
    var ahead = start...start
    var behind = end...end
    forward[origin + start] = Int32(box.oldLow)
    backward[origin + end] = Int32(box.oldHigh)
    var cost = 0
    while true {
      cost += 1
      ahead = SequenceDiff.widened(ahead, lowest, highest, &forward, origin, outside: -1)
      if let meeting = goForward(box, ahead, meeting: isOdd ? behind : nil) { return inside(box, meeting) }
      behind = SequenceDiff.widened(behind, lowest, highest, &backward, origin, outside: .max)
      if let meeting = goBackward(box, behind, meeting: isOdd ? nil : ahead) { return inside(box, meeting) }
      steps += ahead.count + behind.count
      if cost >= effort.search || steps > effort.total { return inside(box, furthest(box, ahead, behind)) }
    }
  }

  /// The diagonals of the next step: one more at each end, or one fewer where the box ends.
  private static func widened(
    _ range: ClosedRange<Int>, _ lowest: Int, _ highest: Int, _ places: inout [Int32], _ origin: Int, outside: Int32
  ) -> ClosedRange<Int> {
    var (low, high) = (range.lowerBound, range.upperBound)
    if low > lowest {
      low -= 1
      places[origin + low - 1] = outside
    } else {
      low += 1
    }
    if high < highest {
      high += 1
      places[origin + high + 1] = outside
    } else {
      high -= 1
    }
    return low...max(low, high)
  }

  private mutating func goForward(
    _ box: Box, _ diagonals: ClosedRange<Int>, meeting others: ClosedRange<Int>?
  ) -> (Int, Int)? {
    for diagonal in stride(from: diagonals.upperBound, through: diagonals.lowerBound, by: -2) {
      let (below, above) = (Int(forward[origin + diagonal - 1]), Int(forward[origin + diagonal + 1]))
      var x = below < above ? above : below + 1
      var y = x - diagonal
      while x < box.oldHigh, y < box.newHigh, old[x] == new[y] {
        x += 1
        y += 1
      }
      forward[origin + diagonal] = Int32(x)
      if let others, others.contains(diagonal), Int(backward[origin + diagonal]) <= x { return (x, y) }
    }
    return nil
  }

  private mutating func goBackward(
    _ box: Box, _ diagonals: ClosedRange<Int>, meeting others: ClosedRange<Int>?
  ) -> (Int, Int)? {
    for diagonal in stride(from: diagonals.upperBound, through: diagonals.lowerBound, by: -2) {
      let (below, above) = (Int(backward[origin + diagonal - 1]), Int(backward[origin + diagonal + 1]))
      var x = below < above ? below : above - 1
      var y = x - diagonal
      while x > box.oldLow, y > box.newLow, old[x - 1] == new[y - 1] {
        x -= 1
        y -= 1
      }
      backward[origin + diagonal] = Int32(x)
      if let others, others.contains(diagonal), x <= Int(forward[origin + diagonal]) { return (x, y) }
    }
    return nil
  }

  /// The end of the path that has come furthest, from the start or from the end.
  private func furthest(_ box: Box, _ ahead: ClosedRange<Int>, _ behind: ClosedRange<Int>) -> (Int, Int) {
    var best = (box.oldLow, box.newLow)
    for diagonal in stride(from: ahead.upperBound, through: ahead.lowerBound, by: -2) {
      var x = min(Int(forward[origin + diagonal]), box.oldHigh)
      if x - diagonal > box.newHigh { x = box.newHigh + diagonal }
      if x + (x - diagonal) > best.0 + best.1 { best = (x, x - diagonal) }
    }
    var last = (box.oldHigh, box.newHigh)
    for diagonal in stride(from: behind.upperBound, through: behind.lowerBound, by: -2) {
      var x = max(box.oldLow, Int(backward[origin + diagonal]))
      if x - diagonal < box.newLow { x = box.newLow + diagonal }
      if x + (x - diagonal) < last.0 + last.1 { last = (x, x - diagonal) }
    }
    let covered = best.0 + best.1 - box.oldLow - box.newLow
    return covered >= box.oldHigh + box.newHigh - last.0 - last.1 ? best : last
  }

  /// Returns the place if it is in the box and makes both halves smaller than the box. Nil otherwise, which ends the
  /// search.
  private func inside(_ box: Box, _ place: (Int, Int)) -> (Int, Int)? {
    let (x, y) = place
    guard (box.oldLow...box.oldHigh).contains(x), (box.newLow...box.newHigh).contains(y),
      (x, y) != (box.oldLow, box.newLow), (x, y) != (box.oldHigh, box.newHigh)
    else { return nil }
    return place
  }
}
