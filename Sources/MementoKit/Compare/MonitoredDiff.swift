// How much of a comparison fits into the memory of this machine.

internal import MementoStore
internal import MementoSystem

extension EntryLimit {
  /// For those who hold what differs: as many entries as fit into memory, beside the program, at a kilobyte each.
  static let held = {
    let memory = Host.memory()
    return Int(clamping: min(UInt64(folder), max((memory - min(memory / 2, 256 << 20)) / 1024, 1 << 16)))
  }()
}

extension TreeDiff where Failure == StoreError {
  /// `monitor` can end a walk.
  init(
    old: any MetaSource, new: any MetaSource, noted: NotedDifferences? = nil, monitor: any Monitor,
    limit: Int = EntryLimit.folder
  ) {
    self.init(old: old, new: new, noted: noted, limit: limit, isCancelled: { monitor.isCancelled })
  }
}
