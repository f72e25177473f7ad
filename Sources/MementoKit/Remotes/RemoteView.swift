// What a remote says at one time: its names, and where its blobs are.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

/// A remote that was asked for its names, with what this store remembers of it.
final class RemoteView {
  let repository: Repository
  let name: String
  let session: RemoteSession
  private(set) var entry: RemoteEntry
  /// What is remembered of the remote, with what it says now.
  var memory: RefsMark
  /// All records of the remote, merged.
  var table: NameTable { memory.table }
  /// What the names meant when this store last looked.
  let tableBefore: NameTable
  private let folder: RemoteFolder
  private var opened: RemoteStore?

  /// Reaches a remote that was added, and asks it for its names. Throws `.noSuchState` when there is none of this name, and
  /// `.invalidArgument` when its use was not confirmed for this store.
  init(
    _ repository: Repository, _ name: String, _ access: RemoteAccess, monitor: any Monitor
  ) throws(RepositoryError) {
    self.repository = repository
    self.name = name
    folder = RemoteFolder(repository)
    entry = try folder.entry(name)
    guard entry.isConfirmed(in: repository) else {
      throw RepositoryError(
        .invalidArgument, "the remote \(name) (\(entry.url)) was added to another store, of which this is a copy",
        reason: .unconfirmedRemote)
    }
    session = try RemoteSession(name, entry.url, access, expecting: entry, monitor: monitor)
    memory = try RemoteView.memory(of: name, folder, entry)
    tableBefore = memory.table
    try look()
  }

  /// What is remembered of a remote. What cannot be read is forgotten: names that were moved here and there then count as
  /// conflicts, which loses nothing.
  static func memory(
    of name: String, _ folder: RemoteFolder, _ entry: RemoteEntry
  ) throws(RepositoryError) -> RefsMark {
    guard let bytes = try folder.seen(name) else { return RefsMark() }
    do throws(RemoteError) {
      return try RefsMark(bytes)
    } catch {
      throw RepositoryError(error, of: entry.url)
    }
  }

  /// Asks the remote for the records that are newer than those that are known.
  private func look() throws(RepositoryError) {
    let page = try session.attempt { () throws(ObjectError) in try session.listed.list(RefsRecord.prefix, page: nil) }
    memory = try session.attempt { () throws(RemoteError) in
      try RecordReading(session.listed).look(page.objects.map(\.name), knowing: memory)
    }
  }

  /// The time by the clock of the remote.
  func now() throws(RepositoryError) -> Timestamp {
    try session.attempt { () throws(ObjectError) in try session.listed.list(RefsRecord.prefix, page: nil).now }
  }

  /// The packs of the remote, with an index that knows all that it says.
  func store() throws(RepositoryError) -> RemoteStore {
    if let opened { return opened }
    let root = try folder.make(name)
    let store = try session.openStore(in: root, like: repository.store)
    try takeOverIndexes(store)
    opened = store
    return store
  }

  /// Takes over what the indexes of the remote say that this store has not seen.
  private func takeOverIndexes(_ remote: RemoteStore) throws(RepositoryError) {
    let page = try session.attempt { () throws(ObjectError) in try session.listed.list(IndexRecord.prefix, page: nil) }
    let present = Set(page.objects.map(\.name))
    // Where nothing is left of the tables, all is asked for again.
    let known = remote.store.index.listedPacks().isEmpty ? [] : memory.indexes
    for object in page.objects where !known.contains(object.name) {
      let bytes = try session.attempt { () throws(RemoteError) in try RecordReading(session.listed).bytes(of: object) }
      let record = try session.attempt { () throws(RemoteError) in try IndexRecord(bytes, of: object.name) }
      try translating { () throws(StoreError) in
        try remote.store.index.takeOver(record.packs.map { ($0.id, $0.size, $0.contents) })
      }
    }
    remote.packs.expect(remote.store.index.listedPacks())
    memory.indexes = present
  }

  /// Keeps what was seen. `hasGiven`: whether snapshots were brought here.
  func remember(hasGiven: Bool = false) throws(RepositoryError) {
    entry.lastContact = repository.store.now
    if hasGiven { entry.hasGiven = true }
    let bytes = try session.attempt { () throws(RemoteError) in try memory.encoded() }
    try folder.keep(seen: bytes, name)
    try folder.keep(entry, name)
  }
}
