// What the browser can do to the folder, and the plan that is shown before.

package import MementoKit

package enum FolderChange: Equatable, Sendable {
  /// Takes the folder, or these paths, back to a snapshot. `label` is what people call it.
  case restore(SnapshotID, label: String, paths: [BytePath])
  case undo
  case redo

  /// For example `restore before-upgrade`.
  package var verb: String {
    switch self {
    case .restore: "restore"
    case .undo: "undo"
    case .redo: "redo"
    }
  }
}

/// What a change would do.
package struct ChangePlan: Equatable, Sendable {
  package let change: FolderChange
  /// What happens, in a few lines that can be shown as they are.
  package let summary: [String]
  package let steps: [PlannedChange]

  package init(_ change: FolderChange, summary: [String], steps: [PlannedChange]) {
    self.change = change
    self.summary = summary
    self.steps = steps
  }

  /// Whether it would leave everything as it is.
  package var isEmpty: Bool {
    if case .restore = change { return steps.isEmpty }
    return false
  }
}
