/// A path that could not be saved or restored, while the operation continued with the others.
public struct Problem: Equatable, Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// What happened and why, as a phrase: "cannot be read: Permission denied".
  public var message: String
  /// Whether this is only a note about something that is never saved, such as a socket. A note does not make a snapshot
  /// incomplete.
  public var isNote: Bool

  /// A problem of one path.
  public init(path: BytePath, message: String, isNote: Bool = false) {
    self.path = path
    self.message = message
    self.isNote = isNote
  }
}
