// The keys of a sealed remote, as plain values.

/// A key of a sealed remote: each of them opens it.
public struct RemoteKey: Equatable, Sendable {
  /// What a key is. New kinds may be added: a `switch` needs a `default`.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    /// The kind as a word.
    public let description: String

    init(_ word: String) {
      description = word
    }

    /// A passphrase.
    public static let passphrase = Kind("passphrase")
    /// The content of a key file.
    public static let keyFile = Kind("file")
    /// A recovery key.
    public static let recoveryKey = Kind("recovery")
  }

  /// 16 hexadecimal digits. No secret.
  public var id: String
  /// What it is.
  public var kind: Kind
  /// Whose or where it is, as its maker said. Only who can open the remote sees it.
  public var label: String
  /// When it was made, by the clock of its maker.
  public var made: SnapshotTime
  /// Whether the remote was opened with it just now.
  public var isCurrent: Bool
}

/// The keys of a remote.
public struct RemoteKeyList: Equatable, Sendable {
  /// The remote.
  public var remote: String
  /// Its keys, the oldest first.
  public var keys: [RemoteKey]
  /// What is wrong with others, a line each. They open nothing, and hinder nobody.
  public var problems: [String]
}

/// Which key to add.
public struct RemoteKeyOptions: Sendable {
  /// Whose or where it is, at most 64 bytes; nil for the name of this machine, or that of the key that it replaces.
  public var label: String?
  /// Makes a recovery key. Otherwise `RemoteAccess.unlock` is asked for a passphrase or a key file.
  public var isRecoveryKey = false
  /// Changes nothing, and asks for no new secret.
  public var isDryRun = false

  /// The standard.
  public init() {}
}

/// What became of the keys of a remote.
public struct RemoteKeyChange: Equatable, Sendable {
  /// The remote.
  public var remote: String
  /// The new key; nil when none was made, as in a dry run.
  public var added: RemoteKey?
  /// The key that was removed, or would be; nil for none.
  public var removed: RemoteKey?
  /// The new recovery key. It is not kept anywhere, and never shown again.
  public var recoveryKey: String?
  /// False for a dry run.
  public var isCommitted: Bool
}
