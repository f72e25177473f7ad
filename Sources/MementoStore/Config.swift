// `config`: text, a `key = value` a line. Inert: nothing in it is ever run. The store reads the keys of storage; all others
// belong to whoever uses the store.

internal import MementoSystem

/// A line of the config with a key that is not of storage.
package struct ConfigLine: Equatable, Sendable {
  /// Where it stands; the first line is 1.
  package let number: Int
  /// All of it, without the end of the line: names of files are no text.
  package let bytes: [UInt8]
  package let text: String
  package let key: String
  package let value: String

  /// Nil when it is not of the form `key = value`.
  package init?(_ bytes: [UInt8], number: Int) {
    self.bytes = bytes
    self.number = number
    text = String(decoding: bytes, as: UTF8.self)
    guard let equals = text.firstIndex(of: "=") else { return nil }
    key = ConfigLine.trimmed(text[..<equals])
    value = ConfigLine.trimmed(text[text.index(after: equals)...])
  }

  /// A line to be written; it has no number yet.
  package init(key: String, value: String) {
    number = 0
    text = "\(key) = \(value)"
    bytes = Array(text.utf8)
    self.key = key
    self.value = value
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.first, first.isWhitespace { text = text.dropFirst() }
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return String(text)
  }
}

/// The content of `config`.
package struct Config: Equatable, Sendable {
  package static let formatVersion = 1
  /// The keys of storage.
  package static let keys = ["format", "requires", "compression", "chunk", "data-block", "meta-block", "parity"]

  /// The features that a program must know to read the store.
  package var features: Set<ConfigFeature> = [.twoLocks]
  package var compression = Compression.standard
  package var chunkSizes = ChunkSizes.standard
  /// The size in bytes, before compression, at which a block of file data is full.
  package var dataBlock = 768 << 10
  /// The size in bytes, before compression, at which a block of trees and lists is full.
  package var metaBlock = 64 << 10
  /// How much parity is kept of new packs.
  package var parity = ParityShare.standard
  /// Lines with keys that are not of storage, in their order.
  package var otherLines: [ConfigLine] = []
  /// Lines whose value is not understood. What they would set has its standard value.
  package var faults: [ConfigFault] = []

  package init() {}

  /// Throws the first fault: whatever depends on the config must not go by half of it. `others`: faults of other lines.
  /// Those of another file come after those of this one.
  package func check(besides others: [ConfigFault] = []) throws(StoreError) {
    let all = faults + others
    if let fault = all.min(by: { ($0.file == nil ? 0 : 1, $0.line) < ($1.file == nil ? 0 : 1, $1.line) }) {
      throw .badConfig(fault)
    }
  }

  /// The bytes of a new `config` file with these settings. They contain no faults and no unknown keys.
  package func encoded() -> [UInt8] {
    let text = """
      # A memento store. What the keys mean: man 5 memento-format
      format = \(Config.formatVersion)
      requires = \(ConfigFeature.text(features))
      compression = \(compression)
      chunk = \(chunkSizes.minimum) \(chunkSizes.average) \(chunkSizes.maximum)
      data-block = \(dataBlock)
      meta-block = \(metaBlock)

      """
    // Programs of earlier versions complain of a key that they do not know, so the standard is not written.
    let share = parity == .standard ? [] : Array("parity = \(parity)\n".utf8)
    return Array(text.utf8) + share + otherLines.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
  }
}
