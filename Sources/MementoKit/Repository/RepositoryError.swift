// The one error of the public interface: a code to act on, a path, and what lay underneath.

internal import MementoStore
internal import MementoSystem

/// Why an operation failed. Nothing was changed unless `code` says otherwise.
public struct RepositoryError: Error, Equatable, Sendable {
  /// What kind of failure it is; the raw value is the `id` in JSON.
  public enum Code: String, Sendable {
    /// A system call failed: disk full, no permission.
    case system = "system"
    case invalidName = "invalid-name"
    case invalidArgument = "invalid-argument"
    case nameInUse = "name-in-use"
    case noStore = "no-store"
    /// A folder in which a store is not made without being asked for (`/`, the home folder).
    case notInitialized = "not-initialized"
    case storeExists = "store-exists"
    /// A folder leads to a store that is not there.
    case storeUnreachable = "store-unreachable"
    /// The folder of the store is another one than the program works in, or is gone; the store itself can be used.
    case outsideFolder = "outside-folder"
    case foreignOwner = "foreign-owner"
    case locked = "locked"
    case noSuchState = "no-such-state"
    case ambiguous = "ambiguous"
    case noSuchPath = "no-such-path"
    case wrongKind = "wrong-kind"
    case notEmpty = "not-empty"
    case damaged = "damaged"
    /// A value in the config is not understood; what does not depend on the config still works.
    case badConfig = "bad-config"
    case newerFormat = "newer-format"
    case restorePending = "restore-pending"
    case noPendingRestore = "no-pending-restore"
    /// Nothing to undo or redo, or not so many steps.
    case timelineEnd = "timeline-end"
    /// Something in the folder cannot be changed; `problems` says what.
    case blocked = "blocked"
    case cancelled = "cancelled"
  }

  /// What kind of failure it is, to act on.
  public var code: Code
  /// What could not be done and why, one line, without a full stop: "state \"a\" does not exist".
  public var message: String
  /// What to do about it, one line; nil when there is nothing to say.
  public var advice: String?
  /// The path it is about, relative to the folder or as it was given.
  public var path: BytePath?
  /// The error number of the C library that lay underneath; 0 for none.
  public var systemError: Int32
  /// What stands in the way, a path each; empty for most errors.
  public var problems: [Problem] = []

  /// An error with all that is known of it.
  public init(
    _ code: Code, _ message: String, advice: String? = nil, path: BytePath? = nil,
    systemError: Int32 = 0
  ) {
    self.code = code
    self.message = message
    self.advice = advice
    self.path = path
    self.systemError = systemError
  }

  static let cancelled = RepositoryError(.cancelled, "interrupted")
}

extension RepositoryError {
  /// A restore that would stop half way.
  init(blockedBy problems: [Problem]) {
    self.init(
      .blocked,
      "nothing was restored: \(problems.count == 1 ? "1 path" : "\(problems.count) paths") cannot be changed",
      advice: "change that, or restore other paths alone: memento restore SNAPSHOT PATH",
      path: problems.first?.path)
    self.problems = problems
  }

  /// A part of the store that every command needs, or content that some states need.
  private static func advice(forDamaged file: String) -> String {
    if file == "refs" || file.hasPrefix("states/") {
      return "run `memento verify --repair` to get the names back, or what they were before the last command"
    }
    if ["config", "packs", "packs.lock", "folder.lock", "refs.lock", "index", "cache", "tmp"].contains(file) {
      return "run `memento verify --repair` to put it back"
    }
    if file == "rules" {
      return "run `memento verify --repair` to put it aside; what it left out of comparisons shows up again then"
    }
    return "run `memento verify --read-data` to see what is hurt"
  }

  /// The store's error in words for people.
  init(_ error: StoreError) {
    switch error {
    case .system(let operation, let path, let errno):
      self.init(
        .system, "cannot \(operation) \(path.isEmpty ? "the store" : ".memento/\(path)"): \(errno)",
        advice: RepositoryError.advice(for: errno), systemError: errno.code)
    case .damaged(let file, let reason):
      self.init(
        .damaged, "the store is damaged: \(file): \(reason)", advice: RepositoryError.advice(forDamaged: file))
    case .missing(let id):
      self.init(
        .damaged, "the store is damaged: blob \(id.short) is in no pack",
        advice: "run `memento verify` to see what is hurt")
    case .newerFormat(let found):
      self.init(
        .newerFormat, "the store was made by a newer memento (\(found))",
        advice: "use the version of memento that made it, or a later one")
    case .badConfig(let fault):
      self.init(
        .badConfig, "config: line \(fault.line): \(fault.reason): \(fault.text)",
        advice: "correct the line in .memento/config; `man memento-format` lists the keys")
    case .locked(let holder):
      self.init(
        .locked, "another process is using the store",
        advice: (holder.map { "it is process \($0.process); " } ?? "")
          + "try again, or wait longer with --wait SECONDS")
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

  static func advice(for errno: Errno) -> String? {
    switch errno {
    case .noSpace: "free some space; `memento gc` gives back what no state needs"
    case .readOnly: "the file system is read-only"
    case .tooManyOpenFiles: "raise the limit on open files (ulimit -n)"
    default: nil
    }
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
