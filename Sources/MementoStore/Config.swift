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

/// A key that is not known.
package struct UnknownKey: Equatable, Sendable {
  /// Where it stands; the first line is 1.
  package var line: Int
  package var key: String
  /// The known key that is spelt most like it; nil when none is close.
  package var nearest: String?

  package init(line: Int, key: String, nearest: String?) {
    self.line = line
    self.key = key
    self.nearest = nearest
  }
}

package struct Config: Equatable, Sendable {
  package static let formatVersion = 1

  /// What a reader of the store must know.
  package var features: Set<ConfigFeature> = [.twoLocks]
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
  /// Lines whose value is not understood. What they would set has its standard value.
  package var faults: [ConfigFault] = []
  /// Keys that this version does not know: of a later one, or misspelt.
  package var unknownKeys: [UnknownKey] = []

  package init() {}

  /// Throws the first fault: whatever depends on the config must not go by half of it.
  package func check() throws(StoreError) {
    if let fault = faults.first { throw .badConfig(fault) }
  }

  package func encoded() -> [UInt8] {
    var text = """
      # A memento store. What the keys mean: man 5 memento-format
      format = \(Config.formatVersion)
      requires = \(ConfigFeature.text(features))
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
}
