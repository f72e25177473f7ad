// What a snapshot says beside its tree: hard links, and paths that could not be recorded.

internal import MementoStore
internal import MementoSystem

/// The lists that a snapshot refers to.
struct SnapshotLists {
  private static let limit = 1 << 30
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  func links(of record: SnapshotRecord) throws(RepositoryError) -> [[[UInt8]]] {
    guard let list = record.links else { return [] }
    return try decode(list, LinkTable.decode)
  }

  func unrecorded(of record: SnapshotRecord) throws(RepositoryError) -> [Problem] {
    guard let list = record.unrecorded else { return [] }
    return try decode(list, UnrecordedList.decode)
  }

  private func decode<Result>(
    _ list: SizedContent, _ body: ([UInt8]) throws(FormatError) -> Result
  ) throws(RepositoryError) -> Result {
    try translating { () throws(StoreError) in
      guard list.size <= SnapshotLists.limit else {
        throw StoreError.damaged(file: "snapshot", reason: "one of its lists is too long")
      }
      let bytes = try list.read(from: repository.store)
      do throws(FormatError) {
        return try body(bytes)
      } catch {
        throw StoreError.damaged(file: "snapshot", reason: error.reason)
      }
    }
  }
}
