// The durable caretaker: it keeps each state as a value in a repository, so the command line sees the states, too.

/// Keeps mementos in the store of a folder (`.memento/`). They survive the end of the process, a crash and a power cut.
/// Several processes may save at once. The command line sees the same states: `memento list`, `memento show` and
/// `memento restore NAME --stdout` read what this caretaker saved, and it restores what `memento save NAME --stdin`
/// saved.
///
/// Equal values are stored once. Earlier values of a state stay in its history (`NAME~1`) until garbage collection
/// removes them.
@dynamicMemberLookup
public struct RepositoryCaretaker: BatchingCaretaker {
  /// The repository that stores the states.
  public let repository: Repository

  /// Uses a repository that is open.
  public init(_ repository: Repository) {
    self.repository = repository
  }

  /// Opens the store of a folder; makes the folder and the store where they are missing. Throws `RepositoryError`.
  public init(at path: BytePath, options: OpenOptions = OpenOptions()) throws(RepositoryError) {
    repository = try Repository.openOrCreate(folder: path, options: options)
  }

  /// Opens the store of a folder; makes the folder and the store where they are missing. Throws `RepositoryError`.
  public init(at path: String, options: OpenOptions = OpenOptions()) throws(RepositoryError) {
    try self.init(at: BytePath(path), options: options)
  }

  /// All states, also those of folders: the name, and the id of the snapshot as 64 hex digits. Empty when the store
  /// cannot be read; call `stateIDs()` to get the error.
  public var states: [String: String] {
    (try? stateIDs()) ?? [:]
  }

  /// All states: the name, and the id of the snapshot as 64 hex digits. Reads no pack, so the size of the states does
  /// not matter.
  public func stateIDs() throws(RepositoryError) -> [String: String] {
    try repository.stateNames().mapValues(\.description)
  }

  /// Saves a memento under a name; it is durable on return. Throws `CaretakerError` for data that cannot be stored, and
  /// `RepositoryError`. Nothing is saved then.
  public func save<T: Memento>(memento: T, for stateName: String) throws {
    try repository.saveValues([NamedValue(name: stateName, bytes: try ValueForms.bytes(memento))])
  }

  /// Saves a value under a name; it is durable on return. Throws `CaretakerError` for a value that cannot be encoded,
  /// and `RepositoryError`. Nothing is saved then.
  public func save<T: Encodable>(_ value: T, for stateName: String) throws {
    try repository.saveValues([NamedValue(name: stateName, bytes: try ValueForms.bytes(value))])
  }

  /// The memento of a state. Returns nil when there is no such state, when the state is a folder, or when `T` does not
  /// accept its data. Throws `RepositoryError` when the store is damaged or cannot be read.
  public func restore<T: Memento>(state: String) throws -> T? {
    try repository.content(ofState: state)?.value.flatMap { ValueForms.memento($0) }
  }

  /// The value of a state; nil when there is no such state. Throws `CaretakerError` when the state is a folder, or when
  /// its value cannot be decoded as `T`.
  public func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? {
    guard let content = try repository.content(ofState: state) else { return nil }
    guard let bytes = content.value else { throw CaretakerError.notAValue(state: state) }
    return try ValueForms.value(type, bytes, state: state)
  }

  /// Deletes a state, also one of a folder. Throws `RepositoryError` (`.noSuchState`).
  public func delete(state: String) throws {
    _ = try repository.delete([state])
  }

  /// Makes all changes in one commit; they are durable on return. Throws `RepositoryError`; nothing has changed then.
  public func apply(_ changes: [StateChange]) throws {
    var deletions = changes.filter { $0.value == nil }.map(\.name)
    if !deletions.isEmpty {
      let names = try repository.stateNames()
      deletions.removeAll { names[$0] == nil }
    }
    let values = changes.compactMap { change in change.value.map { NamedValue(name: change.name, bytes: $0) } }
    if values.isEmpty && deletions.isEmpty { return }
    try repository.saveValues(values, deleting: deletions)
  }

  /// The memento of the state of this name: `let user = try caretaker.defaultUser as User?`
  public subscript<T: Memento>(dynamicMember state: String) -> T? {
    get throws { try restore(state: state) }
  }
}

extension RepositoryCaretaker {
  /// Saves and deletes many states in one commit. When `body` or the commit throws, nothing is changed.
  ///
  ///     try caretaker.batch { batch in
  ///       for (name, user) in users { try batch.save(memento: user, for: name) }
  ///     }
  ///
  /// `body` can restore what it has saved. Others see it when the commit is done.
  public func batch<Result>(_ body: (inout CaretakerBatch) throws -> Result) throws -> Result {
    var batch = CaretakerBatch(self)
    let result = try body(&batch)
    try batch.commit()
    return result
  }
}
