// The one error of the public interface: what kind of failure it is, a sentence, and the facts that programs can act on.

internal import MementoStore
internal import MementoSystem

/// Why an operation failed. Nothing was changed unless `code` says otherwise.
public struct RepositoryError: Error, Equatable, Sendable {
  /// What kind of failure it is, to act on.
  public var code: Code
  /// What could not be done and why, one line, without a full stop: "state \"a\" does not exist".
  public var message: String
  /// Why exactly; nil where `code` says all.
  public var reason: Reason?
  /// The path it is about, relative to the folder or as it was given.
  public var path: BytePath?
  /// The store it is about, where that is not `path`.
  public var store: BytePath?
  /// The folder of the store it is about, where that is not `path`.
  public var folder: BytePath?
  /// The snapshot it is about, as the caller named it.
  public var revision: Revision?
  /// Who has the store, when it is locked; nil where that is not known.
  public var holder: StoreHolder?
  /// The error number of the C library that lay underneath; 0 for none.
  public var systemError: Int32
  /// What stands in the way, a path each; empty for most errors.
  public var problems: [Problem] = []

  /// An error with what is known of it; `store`, `folder`, `revision`, `holder` and `problems` can be set afterwards.
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
  /// A restore that would stop half way.
  init(blockedBy problems: [Problem]) {
    self.init(
      .blocked, "nothing was restored: \(problems.count == 1 ? "1 path" : "\(problems.count) paths") cannot be changed",
      path: problems.first?.path)
    self.problems = problems
  }
}

// MARK: - Errors of the store

extension RepositoryError {
  /// An error of the store, in words for people. This is the one place where these are translated.
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
      self.init(.badConfig, "config: line \(fault.line): \(fault.reason): \(fault.text)")
    case .locked(let holder):
      self.init(.locked, "another process is using the store")
      self.holder = holder.map { StoreHolder($0) }
    case .cancelled:
      self = .cancelled
    }
  }

  /// The same, saying which path it keeps from being read; empty for the folder itself.
  init(_ error: StoreError, reading path: BytePath) {
    self.init(error)
    guard code == .damaged, !path.bytes.isEmpty else { return }
    message = "cannot read \(path): \(message)"
    self.path = path
  }

  /// Parts of the store that every command needs can be put back; content cannot always.
  private static func reason(forDamaged file: String) -> Reason {
    if file == "refs" || file.hasPrefix("states/") { return .damagedNames }
    if ["config", "packs", "packs.lock", "folder.lock", "lock", "refs.lock", "index", "cache", "tmp"].contains(file) {
      return .damagedPart
    }
    return file == "rules" ? .damagedRules : .damagedContent
  }
}

/// Runs work on the store and says in words what failed.
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
