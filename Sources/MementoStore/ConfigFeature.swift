// The features that a program must know to read a store: the line `requires` of `config`. A version that does not know
// one of them refuses the store.

package enum ConfigFeature: String, CaseIterable, Sendable {
  /// The store has one lock for packs and one for the folder. Nobody takes the old lock, `lock`.
  case twoLocks = "two-locks"

  /// Parses the value of `requires`. Returns the known features that come before the first unknown word, and that word;
  /// nil if all words are known.
  static func read(_ value: String) -> (known: Set<ConfigFeature>, unknown: String?) {
    var known: Set<ConfigFeature> = []
    for word in value.split(whereSeparator: \.isWhitespace) {
      guard let feature = ConfigFeature(rawValue: String(word)) else { return (known, String(word)) }
      known.insert(feature)
    }
    return (known, nil)
  }

  /// Whether `found`, which is `feature` and a name, is the beginning of the name of a known feature.
  static func isBeginning(_ found: String) -> Bool {
    allCases.contains { "feature \($0.rawValue)".hasPrefix(found) }
  }

  static func text(_ features: Set<ConfigFeature>) -> String {
    features.map(\.rawValue).sorted().joined(separator: " ")
  }

  /// Returns the bytes of `config` with this feature added to `requires`. All other lines stay as they are.
  package func added(to config: [UInt8]) -> [UInt8] {
    var lines = config.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    func line(of key: String) -> Int? {
      lines.firstIndex { line in
        let text = String(decoding: line, as: UTF8.self)
        guard let equals = text.firstIndex(of: "=") else { return false }
        return text[..<equals].split(whereSeparator: \.isWhitespace) == [key[...]]
      }
    }
    if let index = line(of: "requires") {
      let value = String(decoding: lines[index].drop { $0 != UInt8(ascii: "=") }.dropFirst(), as: UTF8.self)
      let features = ConfigFeature.read(value).known.union([self])
      lines[index] = Array("requires = \(ConfigFeature.text(features))".utf8)
    } else {
      lines.insert(Array("requires = \(rawValue)".utf8), at: (line(of: "format") ?? -1) + 1)
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}
