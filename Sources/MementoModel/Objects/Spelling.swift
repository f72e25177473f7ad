// Which known word was probably meant by one that is not known.

/// Finds the known word that is spelt most like another one.
public enum Spelling {
  /// No slip of the hand makes a longer word, and the words may be anybody's.
  private static let longest = 64

  /// The first of the words that are spelt most like `text`. Nil when none is near: one letter in three may be wrong, and
  /// one of a short word.
  public static func nearest(to text: String, among words: some Sequence<String>) -> String? {
    guard text.utf8.count <= longest else { return nil }
    let spelt = Array(text)
    var best: (word: String, distance: Int)?
    for word in words where word.utf8.count <= longest {
      let letters = Array(word)
      let most = max(1, min(letters.count, spelt.count) / 3)
      guard abs(letters.count - spelt.count) <= most else { continue }
      let distance = distance(letters, spelt)
      if distance <= most, distance < best?.distance ?? .max { best = (word, distance) }
    }
    return best?.word
  }

  /// How many letters must be inserted, removed, changed or exchanged with their neighbour to turn one word into the other:
  /// the optimal string alignment distance (Damerau 1964, without edits between exchanged letters).
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var now = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, now[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        now.append(cost)
      }
      (before, last) = (last, now)
    }
    return last[right.count]
  }
}
