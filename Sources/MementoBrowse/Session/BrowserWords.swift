// What only the caller can say: the words for results and failures that its other commands print, too.

package import MementoKit

package struct BrowserWords: Sendable {
  /// The lines for an error: what failed and why, and what can be done about it.
  package var failure: @Sendable (RepositoryError) -> [String]
  /// The lines for a restore that was done or planned. `label` is what people call the snapshot.
  package var restored: @Sendable (_ summary: RestoreSummary, _ label: String, _ isOfPaths: Bool) -> [String]
  /// The lines for an undo or a redo that was done or planned.
  package var moved: @Sendable (_ summary: MoveSummary, _ change: FolderChange) -> [String]
  /// The line for a wait.
  package var waiting: @Sendable (StoreHolder?) -> String
  /// The line for a path with a problem.
  package var problem: @Sendable (Problem) -> String

  package init(
    failure: @escaping @Sendable (RepositoryError) -> [String],
    restored: @escaping @Sendable (RestoreSummary, String, Bool) -> [String],
    moved: @escaping @Sendable (MoveSummary, FolderChange) -> [String],
    waiting: @escaping @Sendable (StoreHolder?) -> String,
    problem: @escaping @Sendable (Problem) -> String
  ) {
    self.failure = failure
    self.restored = restored
    self.moved = moved
    self.waiting = waiting
    self.problem = problem
  }

  func alarm(_ error: RepositoryError) -> ScreenMessage {
    ScreenMessage(failure(error), isAlarm: true)
  }
}
