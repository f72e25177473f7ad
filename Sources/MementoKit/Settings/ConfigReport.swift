// What holds for each key, and which file says so.

internal import MementoStore

/// A key with the values that hold.
public struct ConfigSetting: Equatable, Sendable {
  /// Where a value comes from. New sources may be added: a `switch` over sources needs a `default`.
  public struct Source: Hashable, Sendable, CustomStringConvertible {
    /// The source as a word.
    public let description: String

    /// No file says anything.
    public static let standard = Source(description: "default")
    /// The config of the user.
    public static let user = Source(description: "user")
    /// The config of the store.
    public static let store = Source(description: "store")
  }

  /// One value.
  public struct Value: Equatable, Sendable {
    /// The value; patterns are no text.
    public var bytes: [UInt8]
    /// Where it comes from.
    public var source: Source
    /// The file that says it, as an absolute path; nil for a default.
    public var file: BytePath?
    /// Its line in this file, the first line being 1; nil for a default.
    public var line: Int?
    /// Why it is not understood, so that the default holds; nil when it is.
    public var problem: String?
  }

  /// The key.
  public var key: ConfigKey
  /// The values that hold: at most one, unless the key is repeatable. Empty where there is no default either.
  public var values: [Value]
}

struct ConfigReport {
  /// The config of the store; nil where only that of the user is looked at.
  let store: ConfigFile?
  let user: ConfigFile?

  /// All keys that these files can have.
  func settings() throws(RepositoryError) -> [ConfigSetting] {
    let faults = try faults()
    var settings: [ConfigSetting] = []
    for key in ConfigKey.all where store == nil ? key.isOfUser : true {
      var values: [ConfigSetting.Value] = []
      if key.isOfUser { values += self.values(of: key, in: user, .user, faults) }
      if key.isOfStore { values += self.values(of: key, in: store, .store, faults) }
      if !key.isRepeatable { values = Array(values.suffix(1)) }
      if values.isEmpty, let standard = key.standard {
        values = [ConfigSetting.Value(bytes: Array(standard.utf8), source: .standard)]
      }
      settings.append(ConfigSetting(key: key, values: values))
    }
    return settings
  }

  private func values(
    of key: ConfigKey, in file: ConfigFile?, _ source: ConfigSetting.Source, _ faults: [ConfigFault]
  ) -> [ConfigSetting.Value] {
    guard let file else { return [] }
    let name = source == .user ? file.path.lossyText : nil
    return ConfigText(file.bytes).lines(of: key).map { line in
      ConfigSetting.Value(
        bytes: ConfigText.value(of: line, key), source: source, file: file.path, line: line.number,
        problem: faults.first { $0.file == name && $0.line == line.number }?.reason)
    }
  }

  private func faults() throws(RepositoryError) -> [ConfigFault] {
    guard let store else { return FolderConfig(Config(), below: user).faults }
    return try translating { () throws(StoreError) in
      let config = try Config(store.bytes)
      return config.faults + FolderConfig(config, below: user).faults
    }
  }
}
