// Gives an existing snapshot a name. Reads and stores no content.

internal import MementoStore
internal import MementoSystem

struct NameOperation {
  let repository: Repository
  let name: String
  let options: NamingOptions

  func run(_ revision: Revision) throws(RepositoryError) -> SaveSummary {
    try StateName.validate(name)
    let lock = try repository.lockForNaming(changes: !options.isDryRun)
    let refs = try repository.readRefs()
    let snapshot = try RevisionResolver(repository, refs).resolve(revision)
    try checkWhole(snapshot.id, refs)
    try repository.checkName(name, noClobber: options.noClobber, in: refs)
    let replaced = refs[name]
    if !options.isDryRun {
      _ = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
        try repository.checkName(name, noClobber: options.noClobber, in: refs)
        refs[name] = snapshot.id
      }
      repository.journal("name", snapshot: snapshot.id, name: name, at: Clock.now())
    }
    return SaveSummary(
      snapshot: Snapshot(snapshot), replaced: replaced.map { SnapshotID($0) }, changes: ChangeCounts(), bytesRead: 0,
      bytesStored: 0, problems: [], isCommitted: !options.isDryRun)
  }

  /// Of a snapshot that nothing keeps, a part may have been removed already. It gets no name then.
  private func checkWhole(_ id: ObjectID, _ refs: Refs) throws(RepositoryError) {
    if refs.keeps(id) { return }
    let trash = try translating { () throws(StoreError) in try repository.store.refs.trash(refs) }
    if trash.contains(where: { $0.snapshot == id }) { return }
    do throws(RepositoryError) {
      try translating { () throws(StoreError) in
        var reachability = Reachability(repository)
        try reachability.add(id)
      }
    } catch {
      guard error.isDamage else { throw error }
      throw RepositoryError(
        .noSuchState, "the snapshot \(id.short) is not kept any more", reason: .collectedSnapshot)
    }
  }
}
