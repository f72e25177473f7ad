// The public interface to the upkeep of remotes: their keys, their space, their health.

extension Repository {
  /// The keys of a sealed remote. `remote`: nil for the only one, or that of the config. Throws `.invalidArgument` for a
  /// plain one.
  public func remoteKeys(
    of remote: String?, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteKeyList {
    try RemoteKeyOperation(repository: self, access: access, monitor: monitor).list(remote)
  }

  /// Adds a key to a sealed remote. Nothing is sent anew: all keys open the same. When this returns, the new key was read
  /// back and does open the remote.
  public func addRemoteKey(
    to remote: String?, _ options: RemoteKeyOptions = RemoteKeyOptions(), access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteKeyChange {
    try RemoteKeyOperation(repository: self, access: access, monitor: monitor).add(remote, options)
  }

  /// Puts a new key in the place of one: a change of passphrase. The old one goes after the new one was read back.
  /// `remote`: nil for the only one, or that of the config. `key`: the first digits of the id of the old one, four at
  /// least; nil for the one that opens the remote now.
  public func changeRemoteKey(
    of remote: String?, key: String? = nil, _ options: RemoteKeyOptions = RemoteKeyOptions(), access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteKeyChange {
    try RemoteKeyOperation(repository: self, access: access, monitor: monitor).change(remote, key, options)
  }

  /// Removes a key. The remote must be opened with another one, so that it is certain that one stays. Throws
  /// `.invalidArgument` when it is the last one, or the one that opens the remote now.
  public func removeRemoteKey(
    _ key: String, from remote: String?, isDryRun: Bool = false, access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteKeyChange {
    try RemoteKeyOperation(repository: self, access: access, monitor: monitor).remove(remote, key, isDryRun: isDryRun)
  }

  /// Gives back space on a remote: marks packs that none of its names needs, and removes those that were marked longer ago
  /// than the grace period of 24 hours and that no name needs even now. No name is touched. Throws `.damaged` when
  /// something that a name needs is missing there; then nothing is removed.
  public func collectRemoteGarbage(
    on remote: String?, isDryRun: Bool = false, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteCollectionSummary {
    try RemoteCollection(repository: self, access: access, monitor: monitor).run(remote, isDryRun: isDryRun)
  }

  /// Deletes names of a remote by a policy, all in one step, as `deleteRemoteStates` does: of a name with several values,
  /// those that the policy removes. `options`: `names` are patterns of names there. Throws `.wouldRemoveAll` when the policy
  /// keeps none and the options do not allow that.
  public func pruneRemote(
    _ remote: String?, _ options: PruneOptions, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemotePruneSummary {
    try RemotePruning(repository: self, access: access, monitor: monitor).run(remote, options)
  }

  /// What a remote holds: objects, bytes, names, and what a collection is going to remove.
  public func remoteStatistics(
    of remote: String?, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteStatistics {
    try RemoteStatisticsOperation(repository: self, access: access, monitor: monitor).run(remote)
  }

  /// Checks a remote: all records, and all that its names need; and reads as much of the content as the options say.
  /// `repairs`: sends what the remote has lost and this store has.
  public func verifyRemote(
    _ remote: String?, _ options: VerifyOptions = VerifyOptions(), repairs: Bool = false, access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteVerifyReport {
    try RemoteCheck(repository: self, access: access, monitor: monitor).run(remote, options, repairs: repairs)
  }

  /// Repairs the store as `repair(monitor:)` does, and brings from the remotes what is damaged after that.
  public func repair(
    access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RepairSummary {
    let healing = RemoteHealing(repository: self, access: access, monitor: monitor)
    return try Repair(
      repository: self, monitor: monitor,
      elsewhere: { (snapshots) throws(RepositoryError) in try healing.run(snapshots) }
    ).run()
  }
}
