// `config`: text, a `key = value` a line. Inert: nothing in it is ever run.

internal import MementoSystem

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
    return Array(text.utf8)
  }

  package init(_ bytes: [UInt8]) throws(StoreError) {
    var version: Int?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
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
    default:
      break  // a key of a later version that older ones may ignore
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
