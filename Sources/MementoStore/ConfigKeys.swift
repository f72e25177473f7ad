// The keys of `config`, and which known key is closest to an unknown one.

enum ConfigKeys {
  static let all = [
    "format", "requires", "compression", "chunk", "data-block", "meta-block", "folder", "ignore", "protect",
    "gitignore",
    "exclude-caches", "exclude-larger-than", "cross-mounts",
  ]

  /// The known key that is spelt most like `key`. Nil when none is close.
  static func nearest(to key: String) -> String? {
    // A key this long is not a typo, and comparing it would take long: anybody may have written the config.
    guard key.utf8.count <= 40 else { return nil }
    let spelt = key.lowercased()
    if spelt.count >= 4, let longer = all.first(where: { $0.hasPrefix(spelt) }) { return longer }
    let distances = all.map { (key: $0, distance: distance(Array($0), Array(spelt))) }
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
