// Stops a save that finds far more than the one before: a home folder by mistake, or what a build has left. It counts
// while the folder is walked, so it costs nothing where there is less.

internal import MementoStore
internal import Synchronization

final class GrowthGuard: Sendable {
  /// So many files and bytes may be met, those of the snapshot before included.
  private let mostFiles: Int
  private let mostBytes: UInt64
  /// Asks whether the save goes on. Returns why it does not.
  private let ask: @Sendable () -> RepositoryError?
  private let isAllowed = Atomic<Bool>(false)
  /// Why it does not go on; `.some(nil)` when it does.
  private let answer = Mutex<RepositoryError??>(nil)

  /// `known`: what the snapshot at the position has.
  init(
    _ limits: GrowthLimits, known: (files: Int, bytes: UInt64), ask: @escaping @Sendable () -> RepositoryError?
  ) {
    mostFiles = limits.files.map { $0.addingSaturated(known.files) } ?? .max
    mostBytes = limits.bytes.map { $0.addingSaturated(known.bytes) } ?? .max
    self.ask = ask
  }

  /// Called with what was met so far. Beyond the limit the first caller asks, and the others wait. Returns why the save
  /// must end; nil when it goes on.
  func check(files: Int, bytes: UInt64) -> RepositoryError? {
    guard files > mostFiles || bytes > mostBytes, !isAllowed.load(ordering: .relaxed) else { return nil }
    return answer.withLock { answer in
      if let known = answer { return known }
      let refusal = ask()
      answer = .some(refusal)
      isAllowed.store(refusal == nil, ordering: .relaxed)
      return refusal
    }
  }
}

extension FixedWidthInteger {
  fileprivate func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
