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
    // No key is that long, and the config may be anybody's.
    guard text.utf8.count <= 64 else { return nil }
    let spelt = text.lowercased()
    let known = all.map(\.name)
    if spelt.count >= 4, let longer = known.first(where: { $0.hasPrefix(spelt) }) { return longer }
    return Spelling.nearest(to: spelt, among: known)
  }
}
