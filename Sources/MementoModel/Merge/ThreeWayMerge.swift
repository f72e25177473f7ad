// Joins two versions of a text that come from the same third one.
//
// The algorithm is diff3, as S. Khanna, K. Kunal and B. C. Pierce describe it in "A Formal Investigation of Diff3"
// (FSTTCS 2007): both versions are compared with the base, and the base is cut where neither of them changed it. Between
// two cuts, a piece that one side changed is taken from that side, and one that both changed in the same way from either.
// Any other piece that both changed is a conflict. As in git, changes that touch without a line between them are one piece.

/// Two versions of a text joined into one.
public struct ThreeWayMerge: Sendable {
  /// What the marks around a conflict call the three texts.
  public struct Labels: Sendable {
    let ours: String
    let base: String
    let theirs: String

    /// Labels of the side that is there, of the text that both come from, and of the side that is brought in.
    public init(ours: String, base: String, theirs: String) {
      self.ours = ours
      self.base = base
      self.theirs = theirs
    }
  }

  /// The joined text. Each conflict shows all three texts, between marks.
  public private(set) var text: [UInt8] = []
  /// How many pieces both sides changed in different ways.
  public private(set) var conflicts = 0

  /// A piece of the base, and the lines of each side in its place.
  private struct Piece {
    var base: Range<Int>
    var ours: Range<Int>
    var theirs: Range<Int>
  }

  /// Joins `ours` and `theirs`, which both come from `base`. Nil when one of them has too many lines.
  package init?(base: [UInt8], ours: [UInt8], theirs: [UInt8], labels: Labels) {
    guard let base = TextLines(base, limit: TextDiff.longest), let ours = TextLines(ours, limit: TextDiff.longest),
      let theirs = TextLines(theirs, limit: TextDiff.longest)
    else { return nil }
    let edits = (LineDiff.edits(from: base, to: ours), LineDiff.edits(from: base, to: theirs))
    var next = (0, 0)
    /// The piece before the next edits: where the lines that nobody changed begin on each side.
    var done = (base: 0, ours: 0, theirs: 0)
    while next.0 < edits.0.count || next.1 < edits.1.count {
      let piece = ThreeWayMerge.takePiece(edits, &next, done)
      let common = piece.base.lowerBound - done.base
      for line in done.ours..<done.ours + common { text += ours[line] }
      add(piece, base, ours, theirs, labels)
      done = (piece.base.upperBound, piece.ours.upperBound, piece.theirs.upperBound)
    }
    for line in done.ours..<ours.count { text += ours[line] }
  }

  /// Takes the next edits of both sides that overlap or touch.
  private static func takePiece(
    _ edits: ([LineEdit], [LineEdit]), _ next: inout (Int, Int), _ done: (base: Int, ours: Int, theirs: Int)
  ) -> Piece {
    let starts = [
      next.0 < edits.0.count ? edits.0[next.0].old.lowerBound : nil,
      next.1 < edits.1.count ? edits.1[next.1].old.lowerBound : nil,
    ]
    let low = starts.compactMap { $0 }.min() ?? done.base
    var high = low
    // By how much a place in each side is ahead of that in the base, before and after the piece.
    let before = (done.ours - done.base, done.theirs - done.base)
    var after = before
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      if next.0 < edits.0.count, edits.0[next.0].old.lowerBound <= high {
        high = max(high, edits.0[next.0].old.upperBound)
        after.0 = edits.0[next.0].new.upperBound - edits.0[next.0].old.upperBound
        next.0 += 1
        isGrowing = true
      }
      if next.1 < edits.1.count, edits.1[next.1].old.lowerBound <= high {
        high = max(high, edits.1[next.1].old.upperBound)
        after.1 = edits.1[next.1].new.upperBound - edits.1[next.1].old.upperBound
        next.1 += 1
        isGrowing = true
      }
    }
    return Piece(
      base: low..<high, ours: low + before.0..<high + after.0, theirs: low + before.1..<high + after.1)
  }

  private mutating func add(
    _ piece: Piece, _ base: TextLines, _ ours: TextLines, _ theirs: TextLines, _ labels: Labels
  ) {
    let (old, left, right) = (base[lines: piece.base], ours[lines: piece.ours], theirs[lines: piece.theirs])
    if left == right || right == old {
      text += left
      return
    }
    if left == old {
      text += right
      return
    }
    conflicts += 1
    let newline = (left.isEmpty ? right : left).suffix(2).elementsEqual("\r\n".utf8) ? "\r\n" : "\n"
    add("<<<<<<< \(labels.ours)", left, newline)
    add("||||||| \(labels.base)", old, newline)
    add("=======", right, newline)
    text += ">>>>>>> \(labels.theirs)\(newline)".utf8
  }

  private mutating func add(_ mark: String, _ lines: ArraySlice<UInt8>, _ newline: String) {
    text += (mark + newline).utf8
    text += lines
    // A mark begins a line, also after the last line of a file that ends without a newline.
    if let last = lines.last, last != UInt8(ascii: "\n") { text += newline.utf8 }
  }
}
