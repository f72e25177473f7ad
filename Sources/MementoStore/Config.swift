// `config`: a text file with one `key = value` on each line. Nothing in it is ever run.

internal import MementoSystem

/// A pattern in the config, as bytes: file names need not be valid text.
package struct ConfigPattern: Equatable, Sendable {
  /// The number of its line; the first line is 1.
  package var line: Int
  package var pattern: [UInt8]

  package init(line: Int, pattern: [UInt8]) {
    self.line = line
    self.pattern = pattern
  }
}

/// A key in the config that this version does not know.
package struct UnknownKey: Equatable, Sendable {
  /// The number of its line; the first line is 1.
  package var line: Int
  package var key: String
  /// The known key that is spelt most like it. Nil when none is close.
  package var nearest: String?

  package init(line: Int, key: String, nearest: String?) {
    self.line = line
    self.key = key
    self.nearest = nearest
  }
}

/// The content of `config`.
package struct Config: Equatable, Sendable {
  package static let formatVersion = 1

  /// The features that a program must know to read the store.
  package var features: Set<ConfigFeature> = [.twoLocks]
  package var compression = Compression.standard
  package var chunkSizes = ChunkSizes.standard
  /// The size in bytes, before compression, at which a block of file data is full.
  package var dataBlock = 768 << 10
  /// The size in bytes, before compression, at which a block of trees and lists is full.
  package var metaBlock = 64 << 10
  /// For a store outside the folder that it saves: the path of that folder, as bytes.
  package var folder: [UInt8]?
  /// Patterns in gitignore's grammar. A save leaves out what they match.
  package var ignored: [ConfigPattern] = []
  /// Patterns in gitignore's grammar. A restore does not change what they match.
  package var protected: [ConfigPattern] = []
  /// Whether a save also follows `.gitignore`, beside `.mementoignore`.
  package var readsGitignore = false
  /// Whether a save leaves out the content of folders with a CACHEDIR.TAG.
  package var excludesCaches = false
  /// A save leaves out files of more bytes than this.
  package var largestFile: UInt64?
  /// Whether a save enters other file systems that are mounted in the folder.
  package var crossesMounts = false
  /// Lines whose value is not understood. The setting has its default value instead.
  package var faults: [ConfigFault] = []
  /// Keys that this version does not know: they belong to a later version, or are misspelt.
  package var unknownKeys: [UnknownKey] = []

  package init() {}

  /// Throws `.badConfig` with the first fault. To be called by everything that depends on the whole config.
  package func check() throws(StoreError) {
    if let fault = faults.first { throw .badConfig(fault) }
  }

  /// The bytes of a new `config` file with these settings. They contain no faults and no unknown keys.
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
