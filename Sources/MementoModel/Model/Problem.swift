/// A path that could not be saved or restored, while the operation continued with the others.
public struct Problem: Equatable, Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// What happened and why, as a phrase: "cannot be read: Permission denied".
  public var message: String
  /// Whether this is only a note about something that is never saved, such as a socket. A note does not make a snapshot
  /// incomplete.
  public var isNote: Bool
  /// Why exactly; nil where `message` says all.
  public var reason: Reason?

  /// A problem of one path.
  public init(path: BytePath, message: String, isNote: Bool = false, reason: Reason? = nil) {
    self.path = path
    self.message = message
    self.isNote = isNote
    self.reason = reason
  }
}

extension Problem {
  /// Why exactly something could not be done. New reasons may be added: a `switch` over reasons needs a `default`.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case withheldRight
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// The name of the reason, as in this source.
    public var description: String { kind.rawValue }

    /// A restore by root has not given an owner or a privilege that the snapshot has, since the store or the folder belongs to
    /// another user. `RestoreOptions.asRecorded` gives it.
    public static let withheldRight = Reason(.withheldRight)
  }
}
