// Shell patterns for state names, as fnmatch without FNM_PATHNAME: `*` also matches a slash. Matching goes by
// character, not by byte, in every locale. It is never exponential, as simple matchers are for `*a*a*a*b`.

/// A shell pattern for names of states: `*`, `?`, `[a-z]`, `[!a-z]`, and a backslash before a character that stands for
/// itself.
public struct NamePattern: Sendable {
  private enum Piece: Sendable {
    case anything
    case anyCharacter
    case literal(Unicode.Scalar)
    case set(ranges: [ClosedRange<UInt32>], isNegated: Bool)
  }

  private let pieces: [Piece]

  /// Every text is a pattern: a `[` without its `]` stands for itself.
  public init(_ text: String) {
    var pieces: [Piece] = []
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": pieces.append(.anything)
      case "?": pieces.append(.anyCharacter)
      case "\\": pieces.append(.literal(rest.popFirst() ?? "\\"))
      case "[": pieces.append(NamePattern.set(&rest) ?? .literal("["))
      default: pieces.append(.literal(scalar))
      }
    }
    self.pieces = pieces
  }

  /// Whether the whole name is as the pattern says.
  public func matches(_ name: String) -> Bool {
    let name = Array(name.unicodeScalars)
    var piece = 0
    var position = 0
    // Where to continue when the pieces after the last `*` do not match: that `*` takes one more character.
    var retry: (piece: Int, position: Int)?
    while position < name.count || piece < pieces.count {
      if piece < pieces.count {
        if case .anything = pieces[piece] {
          retry = (piece, position + 1)
          piece += 1
          continue
        }
        if position < name.count, NamePattern.fits(pieces[piece], name[position]) {
          piece += 1
          position += 1
          continue
        }
      }
      guard let again = retry, again.position <= name.count else { return false }
      piece = again.piece
      position = again.position
    }
    return true
  }

  private static func fits(_ piece: Piece, _ scalar: Unicode.Scalar) -> Bool {
    switch piece {
    case .anything, .anyCharacter: true
    case .literal(let literal): literal == scalar
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar.value) } != isNegated
    }
  }

  /// Reads a set after its `[`. Returns nil and reads nothing when no `]` closes it.
  private static func set(_ text: inout ArraySlice<Unicode.Scalar>) -> Piece? {
    var rest = text
    var isNegated = false
    if rest.first == "!" || rest.first == "^" {
      isNegated = true
      rest.removeFirst()
    }
    var ranges: [ClosedRange<UInt32>] = []
    var isFirst = true
    while var low = rest.popFirst() {
      // A `]` at the first place is a member of the set.
      if low == "]", !isFirst {
        text = rest
        return .set(ranges: ranges, isNegated: isNegated)
      }
      isFirst = false
      if low == "\\", let next = rest.popFirst() { low = next }
      var high = low
      if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
        rest.removeFirst(2)
        high = end == "\\" ? rest.popFirst() ?? end : end
      }
      if low <= high { ranges.append(low.value...high.value) }
    }
    return nil
  }
}
