// One run of the command of `memento bisect`.

import MementoKit

struct BisectStep {
  let state: LogEntry
  let verdict: BisectVerdict
  /// The exit status of the command; nil when it was not run, because the state could not be put into the scratch folder.
  let status: Int32?
}
