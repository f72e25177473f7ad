// Records a single value: bytes from a descriptor, cut and stored like a file, with no folder around them.

internal import MementoStore
internal import MementoSystem

struct ValueSave {
  let repository: Repository
  let name: String
  let options: ValueOptions
  let monitor: any Monitor

  func run(
    reading descriptor: Int32, confirm: () throws(RepositoryError) -> Void
  ) throws(RepositoryError) -> SaveSummary {
    try StateName.validate(name)
    let lock = try repository.lockForNaming(changes: !options.isDryRun)
    let store = repository.store
    try repository.checkName(name, noClobber: options.noClobber, in: try repository.readRefs())
    let packs = try translating { () throws(StoreError) in try store.packWriter() }
    do throws(RepositoryError) {
      let sink: ObjectSink = options.isDryRun ? .memory(ScratchObjects(over: store)) : .packs(packs)
      let contents = ValueContent(sink, store: store, monitor: monitor)
      let value = try contents.save(readingFrom: descriptor)
      try confirm()
      return try record(value, contents.writer, packs, holding: lock)
    } catch {
      packs.discard()
      throw error
    }
  }

  private func record(
    _ value: SizedContent, _ writer: ObjectWriter, _ packs: PackWriter,
    holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> SaveSummary {
    let saved = try ValueCommit(repository: repository, writer: writer, packs: packs).run(
      [StoredValue(name: name, message: options.message, content: value)], noClobber: options.noClobber,
      isDryRun: options.isDryRun, holding: lock)[0]
    return SaveSummary(
      snapshot: Snapshot(saved), replaced: saved.record.replaces.map { SnapshotID($0) }, changes: ChangeCounts(),
      bytesRead: value.size, bytesStored: packs.bytesStored, problems: [], isCommitted: !options.isDryRun)
  }
}
