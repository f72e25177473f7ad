// How remotes are reached and opened. What depends on the process, such as its environment, its terminal and the programs
// that it may start, comes from the caller.

internal import MementoSeal
internal import Synchronization

/// The two ends of a program that speaks the protocol of remote helpers (docs/remote-helpers.md).
public struct RemoteConnection: Sendable {
  /// A descriptor from which the answers of the helper are read.
  public var answers: Int32
  /// A descriptor to which requests are written.
  public var requests: Int32
  /// Ends the helper, after both descriptors have been closed. Returns what the helper said why it failed, in one line;
  /// nil when it said nothing.
  public var finish: @Sendable () -> String?
  /// Ends a helper of which nothing was asked, at once; `finish` follows.
  public var abandon: @Sendable () -> Void = {}

  /// Makes a connection. The library closes both descriptors.
  public init(answers: Int32, requests: Int32, finish: @escaping @Sendable () -> String?) {
    self.answers = answers
    self.requests = requests
    self.finish = finish
  }
}

/// What opens a sealed remote.
public enum RemoteSecret: Sendable {
  /// A passphrase, in bytes.
  case passphrase([UInt8])
  /// The content of a key file.
  case keyFile([UInt8])
  /// A recovery key, as it was printed.
  case recoveryKey(String)
}

/// Why a secret is needed.
public struct RemoteUnlocking: Sendable {
  /// The name of the remote; nil for one that has none yet.
  public var remote: String?
  /// Where it is.
  public var url: RemoteURL
  /// The remote or its key is new: the secret is going to open it from now on, so a caller with a terminal asks for it twice.
  public var isNew: Bool
  /// The secret is a further one for a remote that others open already. `isNew` is true, too.
  public var isFurtherKey: Bool

  /// Makes a request.
  public init(remote: String?, url: RemoteURL, isNew: Bool, isFurtherKey: Bool = false) {
    self.remote = remote
    self.url = url
    self.isNew = isNew || isFurtherKey
    self.isFurtherKey = isFurtherKey
  }
}

/// How remotes are reached and opened.
public struct RemoteAccess: Sendable {
  /// Starts the helper for a URL that is not `file:`.
  public var connect: @Sendable (RemoteURL) throws(RepositoryError) -> RemoteConnection
  /// Returns the secret of a sealed remote. Called once for each repository, however often the access is used, and
  /// once for each key that is made.
  public var unlock: @Sendable (RemoteUnlocking) throws(RepositoryError) -> RemoteSecret
  /// Returns the secret of a sealed remote if it is at hand, and nil where somebody or a program would have to be asked: it is
  /// stretched while the remote is being reached. Whoever returns one here is not asked for it by `unlock` again. None is at
  /// hand unless this is set.
  public var secretAtHand: @Sendable (RemoteUnlocking) -> RemoteSecret? = { _ in nil }
  /// Starts the helper while something else is going on; nil where it might ask somebody. None is started ahead unless this is
  /// set.
  public var connectAhead: @Sendable (RemoteURL) -> RemoteConnection? = { _ in nil }
  /// The name of this machine, for names that two machines have moved at once.
  public var host: String
  /// The most bytes a second that are sent or received; nil for no limit.
  public var bytesPerSecond: UInt64?
  /// How much work a passphrase of a new repository costs. Tests take less.
  var scrypt = ScryptParameters.standard
  let opened = OpenedRepositories()
  let connectors = OpenConnectors()

  /// Makes an access.
  public init(
    host: String, bytesPerSecond: UInt64? = nil,
    connect: @escaping @Sendable (RemoteURL) throws(RepositoryError) -> RemoteConnection,
    unlock: @escaping @Sendable (RemoteUnlocking) throws(RepositoryError) -> RemoteSecret
  ) {
    self.host = host
    self.bytesPerSecond = bytesPerSecond
    self.connect = connect
    self.unlock = unlock
  }
}

/// The connections of one access that are in use, so that an operation of several steps connects once.
final class OpenConnectors: Sendable {
  private struct Held {
    weak var connector: RemoteConnector?
  }

  private let held = Mutex<[RemoteURL: Held]>([:])

  /// A connection that somebody has and that others can use, too. Keeps none alive.
  subscript(url: RemoteURL) -> RemoteConnector? {
    get { held.withLock { $0[url]?.connector }.flatMap { $0.isUsable() ? $0 : nil } }
    set { held.withLock { $0[url] = Held(connector: newValue) } }
  }
}

/// The repositories that were opened by one access: their keys are stretched once.
final class OpenedRepositories: Sendable {
  private let keys = Mutex<[RepositoryID: MasterKey]>([:])
  private let slots = Mutex<[RepositoryID: KeySlot]>([:])
  private let early = Mutex<[RepositoryID: EarlyKeyInUse]>([:])

  private struct EarlyKeyInUse {
    weak var key: EarlyKey?
  }

  subscript(id: RepositoryID) -> MasterKey? {
    get { keys.withLock { $0[id] } }
    set { keys.withLock { $0[id] = newValue } }
  }

  /// The slot with which a repository was opened.
  func slot(of id: RepositoryID) -> KeySlot? { slots.withLock { $0[id] } }

  func note(_ slot: KeySlot) { slots.withLock { $0[slot.repository] = slot } }

  /// The key that is being computed from a slot for somebody who has the same access.
  func early(of slot: KeySlot) -> EarlyKey? {
    early.withLock { $0[slot.repository]?.key }.flatMap { $0.slot == slot ? $0 : nil }
  }

  func note(_ key: EarlyKey) { early.withLock { $0[key.slot.repository] = EarlyKeyInUse(key: key) } }
}
