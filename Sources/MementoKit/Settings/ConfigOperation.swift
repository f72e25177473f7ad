// Reads and changes the config of a store. It works on a config that is not understood as a whole, since this is how a
// user mends it.

internal import MementoStore

struct ConfigOperation {
  let repository: Repository

  private var path: BytePath { repository.storePath.appending(StoreFolder.configName) }

  func settings() throws(RepositoryError) -> [ConfigSetting] {
    let bytes = try translating { () throws(StoreError) in try repository.store.configNow() }
    return try ConfigReport(store: ConfigFile(path: path, bytes: bytes), user: repository.userConfig).settings()
  }

  func change(_ change: ConfigChange, isDryRun: Bool) throws(RepositoryError) -> ConfigChangeSummary {
    if isDryRun {
      let bytes = try translating { () throws(StoreError) in try repository.store.configNow() }
      return try summary(change.applied(to: bytes, in: .store, at: path), change, isCommitted: false)
    }
    return try self.change(change, holding: try repository.lockForReading())
  }

  private func change<Use: StoreUse>(
    _ change: ConfigChange, holding lock: borrowing StoreLock<Use>
  ) throws(RepositoryError) -> ConfigChangeSummary {
    var done: (bytes: [UInt8], before: [[UInt8]], after: [[UInt8]])?
    let outcome = try translating { () throws(StoreError) in
      try repository.store.changeConfig(holding: lock, waiting: repository.wait()) {
        (bytes) throws(RepositoryError) in
        let applied = try change.applied(to: bytes, in: .store, at: path)
        done = applied
        return applied.bytes
      }
    }
    let bytes = try outcome.get()
    // A copy is kept only of a config of which every line is understood.
    if let config = try? Config(bytes), (config.faults + FolderConfig(config).faults).isEmpty {
      repository.store.backUp(config: bytes)
    }
    return try summary(done ?? (bytes, [], []), change, isCommitted: true)
  }

  private func summary(
    _ done: (bytes: [UInt8], before: [[UInt8]], after: [[UInt8]]), _ change: ConfigChange, isCommitted: Bool
  ) throws(RepositoryError) -> ConfigChangeSummary {
    guard let key = ConfigKey.named(change.key) else { throw RepositoryError(unknownKey: change.key) }
    return ConfigChangeSummary(key: key, file: path, before: done.before, after: done.after, isCommitted: isCommitted)
  }
}
