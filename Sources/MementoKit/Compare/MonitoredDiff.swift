// Limits how many differences a comparison holds in memory, and lets a monitor stop it.

internal import MementoStore
internal import MementoSystem

extension EntryLimit {
  /// The limit for callers that keep the entries that differ: half of the memory of this machine but at most 256 MiB
  /// stays free for the program, and each entry counts as a kilobyte.
  static let held = {
    let memory = Host.memory()
    return Int(clamping: min(UInt64(folder), max((memory - min(memory / 2, 256 << 20)) / 1024, 1 << 16)))
  }()
}

extension TreeDiff where Failure == StoreError {
  /// `monitor` can cancel a walk.
  init(
    old: any MetaSource, new: any MetaSource, noted: NotedDifferences? = nil, monitor: any Monitor,
    limit: Int = EntryLimit.folder
  ) {
    self.init(old: old, new: new, noted: noted, limit: limit, isCancelled: { monitor.isCancelled })
  }
}
