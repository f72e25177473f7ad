// The lines of `config` that are about the folder: which one it is, what saves and restores leave alone, and how long what
// has no name is kept. The store knows nothing of them.

internal import MementoStore

/// A pattern of the config, as bytes: names are no text.
struct ConfigPattern: Equatable, Sendable {
  /// Where it stands; the first line is 1.
  var line: Int
  var pattern: [UInt8]
  /// Whether it stands in the user's own config.
  var isOfUser = false
}

struct FolderConfig: Equatable, Sendable {
  /// The folder that a store outside of it belongs to.
  var folder: BytePath?
  /// What saves leave out, in gitignore's grammar.
  var ignored: [ConfigPattern] = []
  /// What restores leave as it is, in the same grammar.
  var protected: [ConfigPattern] = []
  /// `.gitignore` is read beside `.mementoignore`.
  var readsGitignore = false
  /// What lies in folders with a CACHEDIR.TAG is left out.
  var excludesCaches = false
  /// Files of more bytes are left out.
  var largestFile: UInt64?
  /// Other file systems that are mounted in the folder are entered.
  var crossesMounts = false
  /// Where a save asks first.
  var growth = GrowthLimits.standard
  /// What gc keeps beside named states.
  var retention = RetentionPolicy.standard
  /// The remote that is meant where none is named.
  var remote: String?
  /// The remote to which each save is pushed.
  var autoPush: String?
  /// Lines whose value is not understood. What they would set has its standard value.
  var faults: [ConfigFault] = []
  /// Keys that this version does not know: of a later one, or misspelt.
  var unknownKeys: [UnknownKey] = []

  init() {}

  /// Reads what the store leaves of its config. `user`: the user's own config, which counts where that of the store says
  /// nothing. Patterns of both count; those of the store come last, and so they decide.
  init(_ config: Config, below user: ConfigFile? = nil) {
    for line in user?.lines ?? [] where ConfigKey.named(line.key)?.isOfUser == true {
      read(line, of: user)
    }
    for line in config.otherLines { read(line, of: nil) }
  }

  private mutating func read(_ line: ConfigLine, of user: ConfigFile?) {
    do throws(ValueFault) {
      try read(line, isOfUser: user != nil)
    } catch {
      let file = user?.path.lossyText
      faults.append(ConfigFault(file: file, line: line.number, text: line.text, reason: error.reason))
    }
  }

  /// The line of a new store that lies outside of its folder.
  static func line(naming folder: BytePath) -> ConfigLine {
    ConfigLine(key: "folder", value: PercentText.encode(folder.bytes))
  }

  private mutating func read(_ line: ConfigLine, isOfUser: Bool) throws(ValueFault) {
    switch line.key {
    case "folder":
      guard let path = PercentText.decode(line.value) else { throw ValueFault("not a path") }
      folder = BytePath(path)
    case "ignore": ignored.append(try FolderConfig.pattern(in: line, isOfUser: isOfUser))
    case "protect": protected.append(try FolderConfig.pattern(in: line, isOfUser: isOfUser))
    case "gitignore": readsGitignore = try FolderConfig.truth(line.value)
    case "exclude-caches": excludesCaches = try FolderConfig.truth(line.value)
    case "cross-mounts": crossesMounts = try FolderConfig.truth(line.value)
    case "exclude-larger-than":
      guard let size = SizeText.bytes(line.value) else { throw ValueFault("not a size such as 500k, 20M or 1.5G") }
      largestFile = size
    case "max-new-files":
      if line.value == "none" {
        growth.files = nil
        return
      }
      guard let count = RetentionPolicy.count(line.value[...]) else {
        throw ValueFault("not a number such as 100000, and not none")
      }
      growth.files = count
    case "max-new-size":
      if line.value == "none" {
        growth.bytes = nil
        return
      }
      guard let size = SizeText.bytes(line.value) else {
        throw ValueFault("not a size such as 500M or 10G, and not none")
      }
      growth.bytes = size
    case "keep":
      guard let keep = RetentionPolicy.Keep(line.value) else {
        throw ValueFault("not an age and a number such as 30d, 200")
      }
      retention.keep = keep
    case "trash":
      guard let time = AgeText.seconds(line.value) else { throw ValueFault("not an age such as 14d, 3w or 6mo") }
      retention.trash = time
    case "max-size":
      if line.value == "none" {
        retention.budget = nil
        return
      }
      guard let budget = RetentionPolicy.Budget(line.value) else {
        throw ValueFault("not a size such as 500M or 5G, or a share of the disk such as 10%")
      }
      retention.budget = budget
    case "auto-gc": retention.isAutomatic = try FolderConfig.truth(line.value)
    case "remote": remote = try FolderConfig.remote(line.value)
    case "auto-push": autoPush = try FolderConfig.remote(line.value)
    // The command line reads it in the user's own config, before any store is opened.
    case "trust" where isOfUser: break
    // The command line takes these into the URLs of new remotes.
    case "s3-endpoint" where isOfUser:
      guard ["http://", "https://"].contains(where: { line.value.hasPrefix($0) && line.value != $0 }) else {
        throw ValueFault("not http[s]://HOST[:PORT]")
      }
    case "s3-region" where isOfUser:
      guard !line.value.isEmpty, !line.value.contains(" ") else { throw ValueFault("not the name of a region") }
    case "s3-path-style" where isOfUser:
      guard Bool(line.value) != nil else { throw ValueFault("not true or false") }
    default: unknownKeys.append(UnknownKey(line: line.number, key: line.key))
    }
  }

  private static func pattern(in line: ConfigLine, isOfUser: Bool) throws(ValueFault) -> ConfigPattern {
    let value = pattern(in: line)
    if value.isEmpty { throw ValueFault("it has no pattern") }
    return ConfigPattern(line: line.number, pattern: value, isOfUser: isOfUser)
  }

  /// The bytes behind the equals sign, without the white space around them; a space behind a backslash stays.
  static func pattern(in line: ConfigLine) -> [UInt8] {
    let space: Set<UInt8> = [0x20, 0x09, 0x0d]
    var value = line.bytes.drop { $0 != UInt8(ascii: "=") }.dropFirst().drop { space.contains($0) }
    while let last = value.last, space.contains(last) {
      // An odd number of backslashes before it keeps it.
      let backslashes = value.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
      if last == 0x20, backslashes % 2 == 1 { break }
      value.removeLast()
    }
    return Array(value)
  }

  private static func remote(_ value: String) throws(ValueFault) -> String {
    if value.isEmpty || value.contains("/") { throw ValueFault("not the name of a remote") }
    return value
  }

  private static func truth(_ value: String) throws(ValueFault) -> Bool {
    switch value {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw ValueFault("not true or false")
    }
  }
}

/// What is wrong with a value.
private struct ValueFault: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
