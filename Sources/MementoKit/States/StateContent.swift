// Values in memory that are saved or read.

internal import MementoStore

/// A value to be saved under a name.
public struct NamedValue: Equatable, Sendable {
  /// The name of the state.
  public var name: String
  /// The bytes of the value.
  public var bytes: [UInt8]
  /// A message that is stored with the snapshot.
  public var message: String?

  /// Makes a value for a state.
  public init(name: String, bytes: [UInt8], message: String? = nil) {
    self.name = name
    self.bytes = bytes
    self.message = message
  }
}

/// What a state holds.
public struct StateContent: Equatable, Sendable {
  /// Whether the state is a folder, which `Repository.restore` restores, or a single value.
  public let kind: SnapshotKind
  /// The bytes of a value; nil for a folder.
  public let value: [UInt8]?

  static let folder = StateContent(kind: .tree, value: nil)

  static func value(_ bytes: [UInt8]) -> StateContent {
    StateContent(kind: .value, value: bytes)
  }
}

struct StateReader {
  /// The largest value that is read into memory, in bytes. Larger values can be written to a descriptor.
  private static let limit: UInt64 = 1 << 30
  let repository: Repository

  func run(_ name: String) throws(RepositoryError) -> StateContent? {
    try repository.withoutWaiting { () throws(RepositoryError) in try read(name) }
  }

  private func read(_ name: String) throws(RepositoryError) -> StateContent? {
    guard let record = try repository.record(of: try repository.readRefs()[name])?.record else { return nil }
    guard case .value(let content) = record.body else { return .folder }
    guard content.size <= StateReader.limit else {
      throw RepositoryError(
        .invalidArgument, "the value \"\(name)\" is too large to be held in memory (\(content.size) bytes)",
        reason: .valueIsTooLarge, revision: Revision(name))
    }
    return .value(try translating { () throws(StoreError) in try content.read(from: repository.store) })
  }
}
