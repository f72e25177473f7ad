// A part of a store that a repair has put back.

internal import MementoStore

/// A part of the store that was missing or damaged, and is there again. What was in its place is in `damaged/` of the store.
public struct RepairedPart: Equatable, Sendable {
  /// Where it came from. New sources may be added: a `switch` over sources needs a `default`.
  public struct Source: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case backup
      case previous
      case standard
      case empty
    }

    private let kind: Kind

    private init(kind: Kind) {
      self.kind = kind
    }

    /// The word for it.
    public var description: String { kind.rawValue }

    /// The second copy that the store keeps of what cannot be derived.
    public static let backup = Source(kind: .backup)
    /// What it was before the last command.
    public static let previous = Source(kind: .previous)
    /// The values of a new store; what it said is lost.
    public static let standard = Source(kind: .standard)
    /// It is empty, or made when it is needed.
    public static let empty = Source(kind: .empty)
  }

  /// In the store: `config`.
  public var path: String
  /// Where it came from.
  public var source: Source

  static func list(_ mended: [MendedPart], _ names: RefsSource?) -> [RepairedPart] {
    var parts = mended.map { RepairedPart(path: $0.path, source: Source($0.source)) }
    guard let names else { return parts }
    // What was in the way of `refs` has been put aside before they came back.
    parts.removeAll { $0.path == "refs" || (names == .list && $0.path == "states/") }
    switch names {
    case .list: parts.append(RepairedPart(path: "states/", source: .backup))
    case .backup: parts.append(RepairedPart(path: "refs", source: .backup))
    case .previous: parts.append(RepairedPart(path: "refs", source: .previous))
    }
    return parts
  }
}

extension RepairedPart.Source {
  fileprivate init(_ source: MendedPart.Source) {
    switch source {
    case .backup: self = .backup
    case .standard: self = .standard
    case .empty: self = .empty
    }
  }
}
