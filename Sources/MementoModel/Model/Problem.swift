/// Something that could not be recorded or done for one path, while the rest went on.
public struct Problem: Equatable, Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// What happened and why, as a phrase: "cannot be read: Permission denied".
  public var message: String
  /// A note says what was left out on purpose (a socket) and does not make a snapshot incomplete.
  public var isNote: Bool

  /// A problem of one path.
  public init(path: BytePath, message: String, isNote: Bool = false) {
    self.path = path
    self.message = message
    self.isNote = isNote
  }
}
