// A key of a config that nobody knows, and the known key that is closest to it.

/// A key that is not known.
struct UnknownKey: Equatable, Sendable {
  /// Where it stands; the first line is 1.
  var line: Int
  var key: String

  /// The known key that is spelt most like it; nil when none is close.
  var nearest: String? { ConfigKey.nearest(to: key) }
}

extension ConfigKey {
  /// The name of the key that is spelt most like a text; nil when none is close.
  public static func nearest(to text: String) -> String? {
    // A key has no such length by a slip of the hand; and the config may be anybody's.
    guard text.utf8.count <= 40 else { return nil }
    let spelt = text.lowercased()
    let known = all.map(\.name)
    if spelt.count >= 4, let longer = known.first(where: { $0.hasPrefix(spelt) }) { return longer }
    let distances = known.map { (key: $0, distance: distance(Array($0), Array(spelt))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.key.count / 3) ? best.key : nil
  }

  /// The Levenshtein distance: how many letters must be inserted, removed or changed to turn one word into the other.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (number, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = number + 1
      for (place, other) in right.enumerated() {
        let change = diagonal + (letter == other ? 0 : 1)
        diagonal = row[place + 1]
        row[place + 1] = min(change, diagonal + 1, row[place] + 1)
      }
    }
    return row[right.count]
  }
}
