// Makes a snapshot of an archive: reads it once, stores the contents as they come, and then the trees. The folder is not touched.
// The name moves in one commit at the end, so after an error nothing has changed.

internal import MementoStore
internal import MementoSystem
internal import MementoTar

struct ImportOperation {
  /// Problems that are listed. An archive can make up any number of them.
  private static let most = 10_000

  let repository: Repository
  let name: String
  let options: ImportOptions
  let monitor: any Monitor

  func run(reading descriptor: Int32) throws(RepositoryError) -> SaveSummary {
    try StateName.validate(name)
    let lock = try repository.lockForNaming(monitor, changes: !options.isDryRun)
    try repository.checkName(name, noClobber: options.noClobber, in: try repository.readRefs())
    monitor.begin(.importing)
    let store = repository.store
    let packs = try translating { () throws(StoreError) in try store.packWriter() }
    do throws(RepositoryError) {
      let sink: ObjectSink = options.isDryRun ? .memory(ScratchObjects(over: store)) : .packs(packs)
      let input = try ArchiveInput(descriptor)
      let contents = ValueContent(sink, store: store, monitor: monitor)
      var reading = ArchiveReading(repository, ArchiveContents(input), contents, monitor, limit: ImportOperation.most)
      let (tree, problems) = try reading.run()
      let saved = try record(tree, problems, contents.writer, packs, holding: lock)
      return SaveSummary(
        snapshot: Snapshot(saved), replaced: saved.record.replaces.map { SnapshotID($0) },
        changes: saved.record.changes,
        bytesRead: input.bytesRead, bytesStored: packs.bytesStored, problems: problems,
        isCommitted: !options.isDryRun)
    } catch {
      packs.discard()
      throw error
    }
  }

  private func record(
    _ tree: ImportedTree, _ problems: [Problem], _ writer: ObjectWriter, _ packs: PackWriter,
    holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> StoredSnapshot {
    let chunker = Chunker(sizes: repository.store.config.chunkSizes)
    var record = try translating { () throws(StoreError) in
      let totals = try tree.finish(writer)
      let links =
        totals.links.isEmpty ? nil : try writer.storeContent(LinkTable.encode(totals.links), chunker: chunker)
      return SnapshotRecord(
        body: .tree(totals.tree, totals.root), files: totals.files, bytes: totals.bytes, time: Clock.now(),
        user: Host.userName(), host: Host.name(), name: name, message: options.message,
        changes: ChangeCounts(added: totals.entries), isComplete: problems.allSatisfy(\.isNote), links: links)
    }
    if options.isDryRun {
      record.replaces = try repository.readRefs()[name]
      return StoredSnapshot(.zero, record)
    }
    // Before the commit: nothing that came from elsewhere is ever in the store without the mark.
    try ReceivedMark(repository).set()
    var save = SaveOptions(name: name)
    save.noClobber = options.noClobber
    while true {
      record.replaces = try repository.readRefs()[name]
      let id = try translating { () throws(StoreError) in
        let id = try writer.storeMeta(record.encoded())
        try writer.flush()
        try packs.finish()
        return id
      }
      // False: another save was faster, and the record must say so.
      if try repository.nameSaved(id, record, save, holding: lock) {
        repository.journal("save", snapshot: id, name: name, at: record.time)
        return StoredSnapshot(id, record)
      }
    }
  }
}
