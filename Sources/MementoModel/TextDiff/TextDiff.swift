// The difference of two texts as in a unified diff: groups of changed lines with some equal lines around them.

/// The difference of two texts.
public struct TextDiff: Sendable {
  /// Texts of more lines than this are not compared.
  static let longest = 1 << 22

  /// A group of changes that are close to each other, with the equal lines around them.
  public struct Hunk: Equatable, Sendable {
    /// Its lines in the old text, counted from 0.
    public let old: Range<Int>
    /// Its lines in the new text, counted from 0.
    public let new: Range<Int>
    let edits: [LineEdit]
  }

  /// Where a line of a hunk comes from.
  public enum Origin: Sendable {
    case both
    case old
    case new
  }

  let old: TextLines
  let new: TextLines
  let edits: [LineEdit]

  /// Compares two texts. Nil when one of them has too many lines.
  package init?(old: [UInt8], new: [UInt8]) {
    guard let old = TextLines(old, limit: TextDiff.longest), let new = TextLines(new, limit: TextDiff.longest)
    else { return nil }
    self.old = old
    self.new = new
    edits = LineDiff.edits(from: old, to: new)
  }

  /// How many lines were added.
  public var insertions: Int { edits.reduce(0) { $0 + $1.new.count } }
  /// How many lines were removed.
  public var deletions: Int { edits.reduce(0) { $0 + $1.old.count } }
  /// Whether the texts are equal.
  public var isEmpty: Bool { edits.isEmpty }

  /// The hunks, in order. `context`: how many equal lines to include before and after each change.
  public func hunks(context: Int) -> [Hunk] {
    let context = min(max(0, context), TextDiff.longest)
    var hunks: [Hunk] = []
    var group: [LineEdit] = []
    for edit in edits {
      if let last = group.last, edit.old.lowerBound - last.old.upperBound > context * 2 {
        hunks.append(hunk(group, context))
        group = []
      }
      group.append(edit)
    }
    if !group.isEmpty { hunks.append(hunk(group, context)) }
    return hunks
  }

  private func hunk(_ edits: [LineEdit], _ context: Int) -> Hunk {
    let (first, last) = (edits[0], edits[edits.count - 1])
    let before = min(context, first.old.lowerBound)
    let after = min(context, old.count - last.old.upperBound)
    return Hunk(
      old: first.old.lowerBound - before..<last.old.upperBound + after,
      new: first.new.lowerBound - before..<last.new.upperBound + after, edits: edits)
  }

  /// Calls `body` with each line of a hunk, including its newline. Only the last line of a text may have none.
  public func forEachLine<Failure: Error>(
    of hunk: Hunk, _ body: (Origin, ArraySlice<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    var line = hunk.old.lowerBound
    for edit in hunk.edits {
      for common in line..<edit.old.lowerBound { try body(.both, old[common]) }
      for removed in edit.old { try body(.old, old[removed]) }
      for added in edit.new { try body(.new, new[added]) }
      line = edit.old.upperBound
    }
    for common in line..<hunk.old.upperBound { try body(.both, old[common]) }
  }
}
