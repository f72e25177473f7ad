// Choosing among the changes of a text: a hunk is split into smaller ones, and the old text gets the hunks that were chosen.

extension TextDiff.Hunk {
  /// Whether equal lines stand between its changes, so that it can be split.
  public var isSplittable: Bool { edits.count > 1 }
}

extension TextDiff {
  /// Splits a hunk at the equal lines between its changes. Two of the new hunks may show the same equal lines. A hunk that
  /// cannot be split is returned as it is. `context`: how many equal lines to include before and after each change.
  public func split(_ hunk: Hunk, context: Int = 3) -> [Hunk] {
    guard hunk.isSplittable else { return [hunk] }
    let context = min(max(0, context), TextDiff.longest)
    return hunk.edits.indices.map { index in
      let edit = hunk.edits[index]
      let first = index > 0 ? hunk.edits[index - 1].old.upperBound : hunk.old.lowerBound
      let end = index + 1 < hunk.edits.count ? hunk.edits[index + 1].old.lowerBound : hunk.old.upperBound
      let before = min(context, edit.old.lowerBound - first)
      let after = min(context, end - edit.old.upperBound)
      return Hunk(
        old: edit.old.lowerBound - before..<edit.old.upperBound + after,
        new: edit.new.lowerBound - before..<edit.new.upperBound + after, edits: [edit])
    }
  }

  /// Whether these hunks have all changes.
  public func isEverything(_ hunks: [Hunk]) -> Bool {
    hunks.reduce(0) { $0 + $1.edits.count } == edits.count
  }

  /// The old text with the changes of these hunks, those that a user has made in others, and no others. Nil when two of
  /// them have a change or a line in common, or when a hunk is not of this comparison.
  public func text(applying hunks: [Hunk], edited: [HunkEdit] = []) -> [UInt8]? {
    let chosen = hunks.flatMap(\.edits).sorted {
      ($0.old.lowerBound, $0.new.lowerBound) < ($1.old.lowerBound, $1.new.lowerBound)
    }
    var next = 0
    for edit in chosen {
      while next < edits.count, edits[next] != edit { next += 1 }
      guard next < edits.count else { return nil }
      next += 1
    }
    var replacements: [(old: Range<Int>, text: ArraySlice<UInt8>)] = chosen.map { ($0.old, new[lines: $0.new]) }
    if !edited.isEmpty {
      replacements += edited.map { ($0.old, $0.text[...]) }
      replacements.sort { ($0.old.lowerBound, $0.old.upperBound) < ($1.old.lowerBound, $1.old.upperBound) }
    }
    var text: [UInt8] = []
    var line = 0
    for replacement in replacements {
      guard line <= replacement.old.lowerBound, replacement.old.upperBound <= old.count else { return nil }
      text += old[lines: line..<replacement.old.lowerBound]
      text += replacement.text
      line = replacement.old.upperBound
    }
    text += old[lines: line..<old.count]
    return text
  }

  /// The old text.
  package var oldText: [UInt8] { old.bytes }
}
