// The wildcards of gitignore(5), byte by byte: `*`, `?`, `[...]`, `\` and, in paths, `**`. The same language as wildmatch.c
// of git, found by another way: what git finds by recursion is found here with two places to go back to, so that no
// pattern takes longer than the lengths of pattern, path and one component multiplied.
//
// Two places are enough. All that stands between two stars has a fixed length, so the leftmost fit of it leaves the most to
// what follows; a `*` stays inside one component, so once it fails only the `**` before it can help; and a later `**`
// reaches all that an earlier one could.

package enum Wildcard {
  private static let star = UInt8(ascii: "*")
  private static let slash = UInt8(ascii: "/")
  private static let backslash = UInt8(ascii: "\\")
  private static let bracket = UInt8(ascii: "[")

  /// Whether a byte of a pattern may mean something else than itself.
  package static func isSpecial(_ byte: UInt8) -> Bool {
    byte == star || byte == UInt8(ascii: "?") || byte == bracket || byte == backslash
  }

  /// Whether a pattern fits a whole text. `isPath`: `*`, `?` and `[...]` fit no slash, and `**` between slashes fits any
  /// number of folders.
  static func matches(
    _ pattern: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, isPath: Bool
  ) -> Bool {
    var p = 0
    var t = 0
    /// The last `*`: what follows it, and how far it has reached.
    var star: (pattern: Int, text: Int)?
    /// The last `**`. `folders`: it is followed by a slash, so it reaches from one component to the next.
    var deep: (pattern: Int, text: Int, folders: Bool)?
    while true {
      if p < pattern.count, pattern[p] == Wildcard.star {
        let stars = Stars(pattern, at: p, isPath: isPath)
        switch stars.kind {
        case .rest: return true
        case .restOfComponent:
          if !text[t...].contains(slash) { return true }
          star = nil  // it cannot reach the end either
        case .component:
          star = (stars.end, t)
          p = stars.end
          continue
        case .any, .folders:
          star = nil
          deep = (stars.end, t, stars.kind == .folders)
          p = stars.end
          continue
        }
      } else if p < pattern.count, t < text.count {
        switch one(pattern, at: p, text[t], isPath: isPath) {
        case .fits(let next):
          p = next
          t += 1
          continue
        case .differs: break
        case .broken: return false
        }
      } else if p == pattern.count, t == text.count {
        return true
      }
      if let last = star, last.text < text.count, !isPath || text[last.text] != slash {
        t = last.text + 1
        p = last.pattern
        star = (p, t)
        continue
      }
      star = nil
      guard let last = deep else { return false }
      t = last.text
      if last.folders {
        while t < text.count, text[t] != slash { t += 1 }
      }
      guard t < text.count else { return false }
      t += 1
      p = last.pattern
      deep = (p, t, last.folders)
    }
  }

  /// A run of stars, and what it reaches.
  private struct Stars {
    enum Kind {
      /// Up to the end of the text.
      case rest
      /// Up to the end, and over no slash.
      case restOfComponent
      /// Over no slash.
      case component
      /// Over anything.
      case any
      /// Nothing, or all up to some slash.
      case folders
    }

    let kind: Kind
    /// Where the pattern goes on.
    let end: Int

    init(_ pattern: UnsafeBufferPointer<UInt8>, at start: Int, isPath: Bool) {
      var end = start
      while end < pattern.count, pattern[end] == Wildcard.star { end += 1 }
      let isLast = end == pattern.count
      guard isPath else {
        self.end = end
        kind = isLast ? .rest : .any
        return
      }
      let isDeep = end - start > 1 && (start == 0 || pattern[start - 1] == slash)
      if isDeep, isLast {
        kind = .rest
      } else if isDeep, pattern[end] == slash {
        kind = .folders
        end += 1
      } else if isDeep, pattern[end] == backslash, end + 1 < pattern.count, pattern[end + 1] == slash {
        kind = .any
      } else {
        kind = isLast ? .restOfComponent : .component
      }
      self.end = end
    }
  }

  private enum Fit {
    /// The pattern goes on there.
    case fits(Int)
    case differs
    /// The pattern is none: it fits nothing.
    case broken
  }

  /// Whether one byte fits what stands in the pattern.
  private static func one(
    _ pattern: UnsafeBufferPointer<UInt8>, at start: Int, _ byte: UInt8, isPath: Bool
  ) -> Fit {
    switch pattern[start] {
    case backslash:
      guard start + 1 < pattern.count else { return .broken }
      return pattern[start + 1] == byte ? .fits(start + 2) : .differs
    case UInt8(ascii: "?"):
      return isPath && byte == slash ? .differs : .fits(start + 1)
    case bracket:
      guard let (contains, end) = CharacterClass.contains(byte, pattern, at: start) else { return .broken }
      return contains && !(isPath && byte == slash) ? .fits(end) : .differs
    case let literal:
      return literal == byte ? .fits(start + 1) : .differs
    }
  }
}
