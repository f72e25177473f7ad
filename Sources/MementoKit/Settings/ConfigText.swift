// The text of a config as lines that can be changed one by one. All other lines stay as they are, byte for byte.

internal import MementoStore

struct ConfigText {
  private var lines: [[UInt8]]

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
  }

  var bytes: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

  /// The lines of a key, in their order. The last one counts, unless the key is repeatable.
  func lines(of key: ConfigKey) -> [ConfigLine] {
    lines.enumerated().compactMap {
      guard let line = ConfigLine($0.element, number: $0.offset + 1), line.key == key.name else { return nil }
      return line
    }
  }

  /// The value of a line. Patterns are bytes, in which a space at the end may count.
  static func value(of line: ConfigLine, _ key: ConfigKey) -> [UInt8] {
    key.isRepeatable ? FolderConfig.pattern(in: line) : Array(line.value.utf8)
  }

  /// The values of a key, in their order.
  func values(of key: ConfigKey) -> [[UInt8]] {
    lines(of: key).map { ConfigText.value(of: $0, key) }
  }

  /// Puts a value in the place of the last one of its key, or adds its line at the end.
  mutating func set(_ key: ConfigKey, to value: [UInt8]) {
    guard let last = lines(of: key).last else { return add(key, value) }
    lines[last.number - 1] = ConfigText.line(key, value)
  }

  /// Adds a value: below the other ones of its key, or at the end.
  mutating func add(_ key: ConfigKey, _ value: [UInt8]) {
    let line = ConfigText.line(key, value)
    if let last = lines(of: key).last {
      lines.insert(line, at: last.number)
    } else if lines.last?.isEmpty == true {
      lines.insert(line, at: lines.count - 1)
    } else {
      lines += [line, []]
    }
    // The last line of the file may have been one without an end.
    if lines.last?.isEmpty == false { lines.append([]) }
  }

  /// Removes the lines of a key; with `value`, only those with this value.
  mutating func remove(_ key: ConfigKey, _ value: [UInt8]?) {
    for line in lines(of: key).reversed() where value == nil || ConfigText.value(of: line, key) == value {
      lines.remove(at: line.number - 1)
    }
  }

  private static func line(_ key: ConfigKey, _ value: [UInt8]) -> [UInt8] {
    Array("\(key.name) = ".utf8) + value
  }
}
