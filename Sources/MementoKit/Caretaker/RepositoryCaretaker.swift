// The durable caretaker: each state is a value in a repository, where the command line sees it, too.

/// Keeps mementos in the store of a folder (`.memento/`). They survive the end of the process, a crash and a power cut;
/// several processes may save at once. What is saved here is listed by `memento list`, shown by `memento show` and written by
/// `memento restore NAME --stdout`; what `memento save NAME --stdin` recorded can be restored here.
///
/// A value that is saved twice is stored once. Earlier values of a state stay in its history (`NAME~1`) until they are
/// collected as garbage.
@dynamicMemberLookup
public struct RepositoryCaretaker: BatchingCaretaker {
  /// Where the states are.
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

  /// All states, also folders: name and id of the snapshot, 64 hex digits. Empty when the store cannot be read;
  /// `stateIDs()` says why.
  public var states: [String: String] {
    (try? stateIDs()) ?? [:]
  }

  /// All states: name and id of the snapshot. Reads no pack, so it costs the same whatever the states hold.
  public func stateIDs() throws(RepositoryError) -> [String: String] {
    try repository.stateNames().mapValues(\.description)
  }

  /// Keeps a memento under a name; durable when it returns. Throws `CaretakerError` for data that cannot be kept, and
  /// `RepositoryError`; then nothing is saved.
  public func save<T: Memento>(memento: T, for stateName: String) throws {
    try repository.saveValues([NamedValue(name: stateName, bytes: try ValueForms.bytes(memento))])
  }

  /// Keeps a value under a name; durable when it returns. Throws `CaretakerError` for a value that cannot be encoded, and
  /// `RepositoryError`; then nothing is saved.
  public func save<T: Encodable>(_ value: T, for stateName: String) throws {
    try repository.saveValues([NamedValue(name: stateName, bytes: try ValueForms.bytes(value))])
  }

  /// Nil when there is no such state, when it is a folder, or when its data is not what `T` accepts. Throws
  /// `RepositoryError` when the store is damaged or cannot be read.
  public func restore<T: Memento>(state: String) throws -> T? {
    try repository.content(ofState: state)?.value.flatMap { ValueForms.memento($0) }
  }

  /// Nil when there is no such state. Throws `CaretakerError` for a folder and for a value of another shape.
  public func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? {
    guard let content = try repository.content(ofState: state) else { return nil }
    guard let bytes = content.value else { throw CaretakerError.notAValue(state: state) }
    return try ValueForms.value(type, bytes, state: state)
  }

  /// Forgets a state, also a folder's. Throws `RepositoryError` (`.noSuchState`).
  public func delete(state: String) throws {
    _ = try repository.delete([state])
  }

  /// Makes all of the changes in one commit; durable when it returns. Throws `RepositoryError`; then nothing has changed.
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

  /// The memento of a state by its name: `let user = try caretaker.defaultUser as User?`
  public subscript<T: Memento>(dynamicMember state: String) -> T? {
    get throws { try restore(state: state) }
  }
}

extension RepositoryCaretaker {
  /// Saves and deletes many states in one commit: all of them or, when `body` or the commit throws, none.
  ///
  ///     try caretaker.batch { batch in
  ///       for (name, user) in users { try batch.save(memento: user, for: name) }
  ///     }
  ///
  /// What `body` has saved it can restore; others see it when the commit is done.
  public func batch<Result>(_ body: (inout CaretakerBatch) throws -> Result) throws -> Result {
    var batch = CaretakerBatch(self)
    let result = try body(&batch)
    try batch.commit()
    return result
  }
}
