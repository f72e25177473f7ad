// The table of all keys of a config: what may be written, where, and what holds without it. What reads the values
// (`Config`, `FolderConfig`, and the user's own file) stands elsewhere; a test holds the table against the readers.

/// A key of a config.
public struct ConfigKey: Equatable, Sendable {
  /// The key as it is written.
  public let name: String
  /// What it says, as a phrase without a full stop.
  public let meaning: String
  /// The value that holds where nothing is written, as it would be written; nil where there is none.
  public let standard: String?
  /// Whether it may be written several times, each time with another value.
  public let isRepeatable: Bool
  /// Whether it counts in the config of a store.
  public let isOfStore: Bool
  /// Whether it counts in the config of a user.
  public let isOfUser: Bool
  /// Whether only memento writes it, and never on request.
  public let isFixed: Bool

  private init(
    _ name: String, _ meaning: String, standard: String? = nil, repeats: Bool = false, ofStore: Bool = true,
    ofUser: Bool = true, isFixed: Bool = false
  ) {
    self.name = name
    self.meaning = meaning
    self.standard = standard
    isRepeatable = repeats
    isOfStore = ofStore
    isOfUser = ofUser
    self.isFixed = isFixed
  }

  /// All keys, in the order in which they are listed.
  public static let all = [
    ConfigKey("ignore", "a pattern of gitignore(5): what it matches is not recorded", repeats: true),
    ConfigKey("protect", "such a pattern: no restore overwrites or removes what it matches", repeats: true),
    ConfigKey("gitignore", "read .gitignore as well as .mementoignore", standard: "false"),
    ConfigKey("exclude-caches", "do not record what is in folders with a CACHEDIR.TAG", standard: "false"),
    ConfigKey("exclude-larger-than", "do not record files of more bytes than this, as in 20M"),
    ConfigKey("cross-mounts", "enter other file systems that are mounted in the folder", standard: "false"),
    ConfigKey(
      "max-new-files", "from how many files on, more than the save before has, a save asks first, or none",
      standard: GrowthLimits.standardTexts.files),
    ConfigKey(
      "max-new-size", "the same for their bytes, as in 10G, or none", standard: GrowthLimits.standardTexts.bytes),
    ConfigKey(
      "keep", "how long gc keeps unnamed snapshots and steps of the timeline, and at least how many of the newest",
      standard: RetentionPolicy.standard.keep.text),
    ConfigKey(
      "trash", "how long gc keeps deleted states, replaced values and undone steps",
      standard: AgeText.text(RetentionPolicy.standard.trash)),
    ConfigKey("max-size", "the most space for the store, as in 5G, or as a share of the disk, 10%", standard: "none"),
    ConfigKey("auto-gc", "let saves tidy up the store, a little at a time", standard: "true"),
    ConfigKey("remote", "the remote that push, fetch and pull use when none is named", ofUser: false),
    ConfigKey("auto-push", "the remote to which each save is pushed", ofUser: false),
    ConfigKey("s3-endpoint", "where buckets of new remotes are: http[s]://HOST[:PORT]", ofStore: false),
    ConfigKey("s3-region", "the region of these buckets", ofStore: false),
    ConfigKey(
      "s3-path-style", "whether the bucket stands in the path of a request, not before its host", ofStore: false),
    ConfigKey("folder", "the folder of a store that does not lie in it, as percent text", ofUser: false),
    ConfigKey(
      "compression", "of what is stored from now on: none, zlib[:1-9] or zstd[:1-19]", standard: "zstd:1",
      ofUser: false),
    ConfigKey(
      "chunk", "smallest, average and largest size of a chunk in bytes", standard: "16384 65536 262144", ofUser: false),
    ConfigKey("data-block", "size in bytes at which a block of file data is closed", standard: "786432", ofUser: false),
    ConfigKey("meta-block", "the same for blocks of trees and lists", standard: "65536", ofUser: false),
    ConfigKey(
      "parity", "how much parity is kept of new packs: none, or a share of 1% to 50%", standard: "2%", ofUser: false),
    ConfigKey("format", "the version of the store", ofUser: false, isFixed: true),
    ConfigKey("requires", "what a program must know to read the store", ofUser: false, isFixed: true),
    ConfigKey("trust", "a store or folder of another user that is used all the same", repeats: true, ofStore: false),
  ]

  /// The key of this name; nil when there is none.
  public static func named(_ name: String) -> ConfigKey? {
    all.first { $0.name == name }
  }
}
