// A change of one key of a config, checked as a whole before anything is written.

internal import MementoStore

/// What is to be done with one key of a config. Values are bytes: patterns match names of files, which are no text.
public struct ConfigChange: Equatable, Sendable {
  private enum Kind: Equatable, Sendable {
    case set([UInt8])
    case add([UInt8])
    case unset([UInt8]?)
    case unsetAll
  }

  /// The key, as it is written in the config.
  public let key: String
  private let kind: Kind

  private init(_ key: String, _ kind: Kind) {
    self.key = key
    self.kind = kind
  }

  /// Writes a value in the place of the one there is. Refused when a repeatable key has several.
  public static func set(_ key: String, to value: [UInt8]) -> ConfigChange { ConfigChange(key, .set(value)) }

  /// Writes one more value of a repeatable key.
  public static func add(_ key: String, _ value: [UInt8]) -> ConfigChange { ConfigChange(key, .add(value)) }

  /// Removes a value. `value`: nil where there is only one.
  public static func unset(_ key: String, _ value: [UInt8]? = nil) -> ConfigChange { ConfigChange(key, .unset(value)) }

  /// Removes all values of the key.
  public static func unsetAll(_ key: String) -> ConfigChange { ConfigChange(key, .unsetAll) }
}

/// What a change of a config has done.
public struct ConfigChangeSummary: Equatable, Sendable {
  /// The key.
  public var key: ConfigKey
  /// The file that was changed, as an absolute path.
  public var file: BytePath
  /// The values in this file before, in their order.
  public var before: [[UInt8]]
  /// The values in this file now.
  public var after: [[UInt8]]
  /// False for a dry run, which changes nothing.
  public var isCommitted: Bool

  /// The values that were there and are not any more.
  public var removed: [[UInt8]] { ConfigChangeSummary.difference(before, after) }
  /// The values that are there now and were not.
  public var added: [[UInt8]] { ConfigChangeSummary.difference(after, before) }

  private static func difference(_ first: [[UInt8]], _ second: [[UInt8]]) -> [[UInt8]] {
    var rest = second
    return first.filter { value in
      guard let index = rest.firstIndex(of: value) else { return true }
      rest.remove(at: index)
      return false
    }
  }
}

extension ConfigChange {
  /// Which file is changed.
  enum Place {
    case store
    case user
  }

  /// Changes the bytes of a config. Throws `.invalidArgument` when there is no such key, when it does not belong there,
  /// or when the value is none of its values, and `.notSet` when there is nothing to remove.
  func applied(
    to bytes: [UInt8], in place: Place, at file: BytePath
  ) throws(RepositoryError) -> (bytes: [UInt8], before: [[UInt8]], after: [[UInt8]]) {
    let key = try find(in: place)
    var text = ConfigText(bytes)
    let before = text.values(of: key)
    switch kind {
    case .set(let value):
      if key.isRepeatable, before.count > 1 { throw severalValues(key, before.count, file) }
      text.set(key, to: value)
    case .add(let value):
      if !key.isRepeatable { throw RepositoryError(.invalidArgument, "\(key.name) has only one value; set it") }
      text.add(key, value)
    case .unset(let value):
      if value == nil, key.isRepeatable, before.count > 1 { throw severalValues(key, before.count, file) }
      text.remove(key, value)
    case .unsetAll: text.remove(key, nil)
    }
    let after = text.values(of: key)
    switch kind {
    case .set(let value), .add(let value):
      if let reason = ConfigChange.fault(of: value, key, after) {
        throw RepositoryError(
          .invalidArgument, "\(key.name) = \(String(decoding: value, as: UTF8.self)): \(reason)", reason: .unusableValue
        )
      }
    case .unset, .unsetAll:
      if after.count == before.count {
        throw RepositoryError(.notSet, "\(key.name) has no such value in \(file)", reason: .unsetKey, path: file)
      }
    }
    return (text.bytes, before, after)
  }

  private func find(in place: Place) throws(RepositoryError) -> ConfigKey {
    guard let found = ConfigKey.named(key) else { throw RepositoryError(unknownKey: key) }
    if found.isFixed { throw RepositoryError(.invalidArgument, "memento alone writes \(key)", reason: .foreignKey) }
    switch place {
    case .store where !found.isOfStore:
      throw RepositoryError(.invalidArgument, "\(key) counts in a user's config only", reason: .keyOfUser)
    case .user where !found.isOfUser:
      throw RepositoryError(.invalidArgument, "\(key) counts in the config of a store only", reason: .foreignKey)
    default: return found
    }
  }

  private func severalValues(_ key: ConfigKey, _ count: Int, _ file: BytePath) -> RepositoryError {
    RepositoryError(
      .invalidArgument, "\(key.name) has \(count) values in \(file)", reason: .severalValues, path: file)
  }

  /// Why a value cannot be used; nil when it can. The readers of the config decide. `values`: what is read back of the
  /// key once the value is written.
  private static func fault(of value: [UInt8], _ key: ConfigKey, _ values: [[UInt8]]) -> String? {
    if value.contains(UInt8(ascii: "\n")) || value.contains(0) { return "a value is one line, without NUL" }
    if value.isEmpty { return "it is empty" }
    guard values.contains(value) else {
      return "white space at either end does not count; write \"\\ \" for a space at the end of a pattern"
    }
    let line = Array("\(key.name) = ".utf8) + value + [UInt8(ascii: "\n")]
    if key.name == "trust" {
      let isPath = value.starts(with: "/".utf8) || value.starts(with: "~/".utf8) || value == Array("*".utf8)
      return isPath ? nil : "not an absolute path"
    }
    if !key.isOfStore {
      return FolderConfig(Config(), below: ConfigFile(path: "/", bytes: line)).faults.first?.reason
    }
    // A config of nothing but this line, which both readers understand or not.
    let whole = Array("format = \(Config.formatVersion)\n".utf8) + line
    do throws(StoreError) {
      let config = try Config(whole)
      return (config.faults + FolderConfig(config).faults).first?.reason
    } catch {
      return RepositoryError(error).message
    }
  }
}

extension RepositoryError {
  /// There is no such key.
  init(unknownKey key: String) {
    let nearest = ConfigKey.nearest(to: key).map { "; did you mean \"\($0)\"?" } ?? ""
    self.init(.invalidArgument, "there is no key \"\(key)\"" + nearest, reason: .unknownKey)
  }
}
