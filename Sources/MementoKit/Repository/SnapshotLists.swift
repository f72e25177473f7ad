// Reads what a snapshot holds beside its tree: hard links, and paths that could not be recorded.

internal import MementoStore
internal import MementoSystem

/// The lists of a snapshot.
struct SnapshotLists {
  private static let limit = 1 << 30
  private let store: Store

  init(_ repository: Repository) {
    store = repository.store
  }

  init(_ store: Store) {
    self.store = store
  }

  /// The limit for bytes of lists, and of names in them, given the bytes that are stored for them. A name of 4,096
  /// bytes takes at least four in a table.
  private static func maximum(_ stored: Int) -> Int {
    let (product, overflow) = stored.multipliedReportingOverflow(by: 1024)
    return overflow ? .max : product.addingReportingOverflow(64 << 20).partialValue
  }

  func links(of record: SnapshotRecord) throws(RepositoryError) -> [[[UInt8]]] {
    guard let list = record.links else { return [] }
    let (bytes, stored) = try measured(list)
    return try decoding { () throws(FormatError) in
      try LinkTable.decode(bytes, limit: SnapshotLists.maximum(stored))
    }
  }

  /// Whether a snapshot has exactly these hard links. Holds one name in memory at a time.
  func areLinks(of record: SnapshotRecord, _ groups: [[[UInt8]]]) throws(RepositoryError) -> Bool {
    var group = -1
    var name = 0
    var isSame = true
    try forEachLink(of: record) { (path, isFirst) throws(RepositoryError) in
      if isFirst {
        isSame = isSame && (group < 0 || name == groups[group].count)
        group += 1
        name = 0
      }
      isSame = isSame && group < groups.count && name < groups[group].count && groups[group][name] == path
      name += 1
      return isSame
    }
    return isSame && group == groups.count - 1 && (group < 0 || name == groups[group].count)
  }

  /// Calls `body` with each hard-linked name, group by group, and tells whether it is the first of its group. Stops
  /// when `body` returns false.
  func forEachLink(
    of record: SnapshotRecord, _ body: (_ name: [UInt8], _ isFirst: Bool) throws(RepositoryError) -> Bool
  ) throws(RepositoryError) {
    guard let list = record.links else { return }
    let bytes = try contents(list)
    var reader = try decoding { () throws(FormatError) in try LinkTableReader(bytes) }
    while let isFirst = try decoding({ () throws(FormatError) in try reader.next() }) {
      guard try body(reader.name, isFirst) else { return }
    }
  }

  func unrecorded(of record: SnapshotRecord) throws(RepositoryError) -> [Problem] {
    guard let list = record.unrecorded else { return [] }
    let bytes = try contents(list)
    return try decoding { () throws(FormatError) in try UnrecordedList.decode(bytes) }
  }

  private func decoding<Result>(_ body: () throws(FormatError) -> Result) throws(RepositoryError) -> Result {
    try translating { () throws(StoreError) in
      do throws(FormatError) {
        return try body()
      } catch {
        throw .damaged(file: "snapshot", reason: error.reason)
      }
    }
  }

  /// The bytes of a list. Throws `.damaged` for a list of more than 1 GiB.
  func contents(_ list: SizedContent) throws(RepositoryError) -> [UInt8] {
    try measured(list).bytes
  }

  /// The bytes of a list, and how many bytes are stored for it.
  private func measured(_ list: SizedContent) throws(RepositoryError) -> (bytes: [UInt8], stored: Int) {
    try translating { () throws(StoreError) in
      guard list.size <= SnapshotLists.limit else {
        throw StoreError.damaged(file: "snapshot", reason: "one of its lists is too long")
      }
      return try list.read(from: store, maximum: SnapshotLists.maximum)
    }
  }
}
