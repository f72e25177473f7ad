// `config`: text, a `key = value` a line. Inert: nothing in it is ever run.

internal import MementoSystem

/// A pattern of the config, as bytes: names are no text.
package struct ConfigPattern: Equatable, Sendable {
  /// Where it stands; the first line is 1.
  package var line: Int
  package var pattern: [UInt8]

  package init(line: Int, pattern: [UInt8]) {
    self.line = line
    self.pattern = pattern
  }
}

package struct Config: Equatable, Sendable {
  package static let formatVersion = 1

  package var compression = Compression.standard
  package var chunkSizes = ChunkSizes.standard
  /// Bytes of a block of file data before it is compressed.
  package var dataBlock = 768 << 10
  /// Bytes of a block of trees and lists before it is compressed.
  package var metaBlock = 64 << 10
  /// The folder that a store outside of it belongs to, as the bytes of its path.
  package var folder: [UInt8]?
  /// What saves leave out, in gitignore's grammar.
  package var ignored: [ConfigPattern] = []
  /// What restores leave as it is, in the same grammar.
  package var protected: [ConfigPattern] = []
  /// `.gitignore` is read beside `.mementoignore`.
  package var readsGitignore = false
  /// What lies in folders with a CACHEDIR.TAG is left out.
  package var excludesCaches = false
  /// Files of more bytes are left out.
  package var largestFile: UInt64?
  /// Other file systems that are mounted in the folder are entered.
  package var crossesMounts = false

  package init() {}

  package func encoded() -> [UInt8] {
    var text = """
      # A memento store. What the keys mean: man 5 memento-format
      format = \(Config.formatVersion)
      requires =
      compression = \(compression)
      chunk = \(chunkSizes.minimum) \(chunkSizes.average) \(chunkSizes.maximum)
      data-block = \(dataBlock)
      meta-block = \(metaBlock)

      """
    if let folder { text += "folder = \(PercentText.encode(folder))\n" }
    if readsGitignore { text += "gitignore = true\n" }
    if excludesCaches { text += "exclude-caches = true\n" }
    if let largestFile { text += "exclude-larger-than = \(largestFile)\n" }
    if crossesMounts { text += "cross-mounts = true\n" }
    var bytes = Array(text.utf8)
    for (key, patterns) in [("ignore", ignored), ("protect", protected)] {
      for pattern in patterns { bytes += Array("\(key) = ".utf8) + pattern.pattern + [UInt8(ascii: "\n")] }
    }
    return bytes
  }

  package init(_ bytes: [UInt8]) throws(StoreError) {
    var version: Int?
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("#") || text.allSatisfy(\.isWhitespace) { continue }
      guard let equals = text.firstIndex(of: "=") else {
        throw .badConfig(line: text, reason: "it is not of the form \"key = value\"")
      }
      let key = trimmed(text[..<equals])
      let value = trimmed(text[text.index(after: equals)...])
      switch key {
      case "format":
        guard let number = Int(value) else {
          throw .badConfig(line: text, reason: "the format is not a number")
        }
        version = number
      case "requires":
        if !value.isEmpty { throw .newerFormat(found: "feature \(value)") }
      case "ignore", "protect":
        guard let pattern = Config.pattern(in: line) else {
          throw .badConfig(line: text, reason: "it has no pattern")
        }
        let entry = ConfigPattern(line: index + 1, pattern: pattern)
        if key == "ignore" { ignored.append(entry) } else { protected.append(entry) }
      default:
        try set(key, to: value, line: text)
      }
      // A newer version may have changed any of the lines that follow.
      if let version, version != Config.formatVersion {
        throw .newerFormat(found: "format \(version)")
      }
    }
    if version == nil { throw .badConfig(line: "", reason: "it does not name its format") }
  }

  /// The bytes behind the equals sign, without the white space around them; a space behind a backslash stays.
  private static func pattern(in line: ArraySlice<UInt8>) -> [UInt8]? {
    let space: Set<UInt8> = [0x20, 0x09, 0x0d]
    var value = line.drop { $0 != UInt8(ascii: "=") }.dropFirst().drop { space.contains($0) }
    while let last = value.last, space.contains(last) {
      // An odd number of backslashes before it keeps it.
      let backslashes = value.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
      if last == 0x20, backslashes % 2 == 1 { break }
      value.removeLast()
    }
    return value.isEmpty ? nil : Array(value)
  }

  private mutating func set(_ key: String, to value: String, line: String) throws(StoreError) {
    switch key {
    case "compression":
      guard let compression = Compression(value) else {
        throw .badConfig(line: line, reason: "not none, zlib[:1-9] or zstd[:1-19]")
      }
      self.compression = compression
    case "chunk":
      let numbers = value.split(separator: " ").map { Int($0) ?? 0 }
      guard numbers.count == 3,
        let sizes = ChunkSizes(minimum: numbers[0], average: numbers[1], maximum: numbers[2])
      else { throw .badConfig(line: line, reason: "not three rising sizes in bytes") }
      chunkSizes = sizes
    case "data-block":
      dataBlock = try blockSize(value, line: line)
    case "meta-block":
      metaBlock = try blockSize(value, line: line)
    case "folder":
      guard let folder = PercentText.decode(value) else {
        throw .badConfig(line: line, reason: "not a path")
      }
      self.folder = folder
    case "gitignore":
      readsGitignore = try truth(value, line: line)
    case "exclude-caches":
      excludesCaches = try truth(value, line: line)
    case "cross-mounts":
      crossesMounts = try truth(value, line: line)
    case "exclude-larger-than":
      guard let size = SizeText.bytes(value) else {
        throw .badConfig(line: line, reason: "not a size such as 500k, 20M or 1.5G")
      }
      largestFile = size
    default:
      break  // a key of a later version that older ones may ignore
    }
  }

  private func truth(_ value: String, line: String) throws(StoreError) -> Bool {
    switch value {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw .badConfig(line: line, reason: "not true or false")
    }
  }

  private func blockSize(_ value: String, line: String) throws(StoreError) -> Int {
    guard let size = Int(value), (4096...(8 << 20)).contains(size) else {
      throw .badConfig(line: line, reason: "not a size of 4096 to 8388608 bytes")
    }
    return size
  }
}

private func trimmed(_ text: Substring) -> String {
  var text = text
  while let first = text.first, first.isWhitespace { text = text.dropFirst() }
  while let last = text.last, last.isWhitespace { text = text.dropLast() }
  return String(text)
}
