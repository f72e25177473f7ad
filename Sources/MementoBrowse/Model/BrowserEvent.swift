// What happens to the browser, and what it asks for.

package import MementoKit

package enum BrowserEvent: Sendable {
  case key(Key)
  case resized(ScreenSize)
  /// The history; `isAll` is false for the newest part of it, when the rest is still being read.
  case history([LogEntry], isAll: Bool)
  case historyFailed(ScreenMessage)
  /// What is not saved. `isPending`: a restore was interrupted.
  case unsaved(UnsavedChanges, isPending: Bool)
  case unsavedFailed(ScreenMessage)
  case detail([DetailLine], token: Int)
  case detailEnd(token: Int)
  case detailFailed(ScreenMessage, token: Int)
  case planned(ChangePlan, token: Int)
  case progress(String, token: Int)
  case changed(ScreenMessage, token: Int)
  case changeFailed(ScreenMessage, token: Int)
  /// Something that belongs to nothing that was asked for.
  case notice(ScreenMessage)
  /// A signal asks for an end.
  case interrupted(status: Int32)
  /// This process was stopped and goes on.
  case resumed
}

package enum BrowserEffect: Equatable, Sendable {
  case loadHistory
  case loadUnsaved
  case load(DetailRequest)
  case cancelLoad
  case plan(FolderChange, token: Int)
  case perform(FolderChange, token: Int)
  case cancelChange
  /// The screen is not what it should be.
  case redraw
  case suspend
  case end(status: Int32)
}
