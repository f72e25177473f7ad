// A part of a store that a repair put back.

internal import MementoStore

/// A part of the store that was missing or damaged and that a repair put back. The damaged part is in `damaged/` of the
/// store.
public struct RepairedPart: Equatable, Sendable {
  /// Where the new part came from. New sources may be added: a `switch` over sources needs a `default`.
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

    /// The source as a word.
    public var description: String { kind.rawValue }

    /// The second copy that the store keeps of parts that cannot be derived.
    public static let backup = Source(kind: .backup)
    /// The part as it was before the last command.
    public static let previous = Source(kind: .previous)
    /// The values of a new store; the former values are lost.
    public static let standard = Source(kind: .standard)
    /// Nothing: the part is empty, or is made when it is needed.
    public static let empty = Source(kind: .empty)
  }

  /// The path in the store, for example `config`.
  public var path: String
  /// Where the new part came from.
  public var source: Source

  static func list(_ mended: [MendedPart], _ names: RefsSource?) -> [RepairedPart] {
    var parts = mended.map { RepairedPart(path: $0.path, source: Source($0.source)) }
    guard let names else { return parts }
    // What stood in the way of `refs` was moved aside first. Only the list that came back is reported.
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
