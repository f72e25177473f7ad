// The one error of the public interface: a code, a sentence for people, and facts that programs can act on.

internal import MementoStore
internal import MementoSystem

/// Why an operation failed. In general, nothing has changed then. There are two exceptions: a restore that has begun to
/// change the folder is pending, and after a failed flush a commit may be in place.
public struct RepositoryError: Error, Equatable, Sendable {
  /// The kind of failure, for programs to act on.
  public var code: Code
  /// What failed and why, in one line without a full stop: "state \"a\" does not exist".
  public var message: String
  /// The exact cause; nil where `code` says enough.
  public var reason: Reason?
  /// The path that the error is about, relative to the folder or as the caller gave it.
  public var path: BytePath?
  /// The store that the error is about, unless `path` is the store.
  public var store: BytePath?
  /// The folder of the store that the error is about, unless `path` is the folder.
  public var folder: BytePath?
  /// The snapshot that the error is about, as the caller named it.
  public var revision: Revision?
  /// A name that exists and is spelt like the one that does not: nil when there is none, for most errors.
  public var similar: String?
  /// The process that holds the lock of the store; nil where it is not known.
  public var holder: StoreHolder?
  /// The `errno` of the system call that failed; 0 when none did.
  public var systemError: Int32
  /// The paths that stand in the way, one problem each; empty for most errors.
  public var problems: [Problem] = []

  /// Makes an error. The caller can set `store`, `folder`, `revision`, `holder` and `problems` afterwards.
  public init(
    _ code: Code, _ message: String, reason: Reason? = nil, path: BytePath? = nil, systemError: Int32 = 0
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.path = path
    self.systemError = systemError
  }

  init(
    _ code: Code, _ message: String, reason: Reason, revision: Revision, path: BytePath? = nil
  ) {
    self.init(code, message, reason: reason, path: path)
    self.revision = revision
  }

  static let cancelled = RepositoryError(.cancelled, "interrupted")

  /// Whether something is not as it was written, or the medium gives it no more. What can be done without it goes on.
  var isDamage: Bool { code == .damaged || (code == .system && systemError == Errno.input.code) }
}

extension RepositoryError {
  /// The paths in `problems` cannot be changed, so a restore would stop half way.
  init(blockedBy problems: [Problem]) {
    self.init(
      .blocked, "nothing was restored: \(problems.count == 1 ? "1 path" : "\(problems.count) paths") cannot be changed",
      path: problems.first?.path)
    self.problems = problems
  }
}

// MARK: - Errors of the store

extension RepositoryError {
  /// Translates an error of the store into words for people. No other code does this.
  init(_ error: StoreError) {
    switch error {
    case .system(let operation, let path, let errno):
      self.init(
        .system, "cannot \(operation) \(path.isEmpty ? "the store" : ".memento/\(path)"): \(errno)",
        systemError: errno.code)
    case .damaged(let file, let reason):
      self.init(.damaged, "the store is damaged: \(file): \(reason)", reason: RepositoryError.reason(forDamaged: file))
    case .missing(let id):
      self.init(.damaged, "the store is damaged: blob \(id.short) is in no pack", reason: .missingBlob)
    case .newerFormat(let found):
      self.init(.newerFormat, "the store was made by a newer memento (\(found))")
    case .badConfig(let fault):
      self.init(.badConfig, "\(fault.file ?? "config"): line \(fault.line): \(fault.reason): \(fault.text)")
    case .locked(let holder):
      self.init(.locked, "another process is using the store")
      self.holder = holder.map { StoreHolder($0) }
    case .cancelled:
      self = .cancelled
    case .unknownFork(let id):
      self.init(.storeUnreachable, "the store knows no fork \(id)", reason: .unknownFork)
    }
  }

  /// Translates an error of the store. When it is damage, the error also names `path`, which could not be read. An
  /// empty path is the folder itself and is not named.
  init(_ error: StoreError, reading path: BytePath) {
    self.init(error)
    guard code == .damaged, !path.bytes.isEmpty else { return }
    message = "cannot read \(path): \(message)"
    self.path = path
  }

  /// Repair can make again the parts of the store that every command needs. It cannot always recover content.
  private static func reason(forDamaged file: String) -> Reason {
    if file == "refs" || file.hasPrefix("states/") { return .damagedNames }
    if ["config", "packs", "packs.lock", "folder.lock", "lock", "refs.lock", "index", "cache", "tmp"].contains(file) {
      return .damagedPart
    }
    if file.hasPrefix("folder.lock-") { return .damagedPart }
    return file == "rules" || file.hasPrefix("rules-") ? .damagedRules : .damagedContent
  }
}

/// Runs `body` and translates an error of the store.
func translating<Result: ~Copyable>(
  _ body: () throws(StoreError) -> Result
) throws(RepositoryError) -> Result {
  do throws(StoreError) {
    return try body()
  } catch {
    throw RepositoryError(error)
  }
}

/// The same for work that takes something over.
func translating<Input: ~Copyable, Result: ~Copyable>(
  _ input: consuming Input, _ body: (consuming Input) throws(StoreError) -> Result
) throws(RepositoryError) -> Result {
  do throws(StoreError) {
    return try body(input)
  } catch {
    throw RepositoryError(error)
  }
}

extension StoreError {
  /// The sentence for people.
  var message: String { RepositoryError(self).message }
}

/// The same for work that reads the content of a path: damage names the path. Empty for the folder itself.
func translating<Result: ~Copyable>(
  reading path: @autoclosure () -> BytePath, _ body: () throws(StoreError) -> Result
) throws(RepositoryError) -> Result {
  do throws(StoreError) {
    return try body()
  } catch {
    throw RepositoryError(error, reading: path())
  }
}
