// A part of a store that a repair has put back.

internal import MementoStore

/// A part of the store that was missing or damaged, and is there again. What was in its place is in `damaged/` of the store.
public struct RepairedPart: Equatable, Sendable {
  /// Where it came from.
  public enum Source: String, Sendable {
    /// The second copy that the store keeps of what cannot be derived.
    case backup
    /// What it was before the last command.
    case previous
    /// The values of a new store: what it said is lost.
    case standard
    /// It is empty, or made when it is needed.
    case empty
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
