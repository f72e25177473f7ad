// The wildcards of gitignore(5): `*`, `?`, `[...]`, `\` and, in paths, `**`. They mean the same as in wildmatch.c of
// git, but the algorithm is another: git uses recursion; this one remembers two places to go back to. So matching takes
// at most time in proportion to the product of the lengths of the pattern, the path and one component.
//
// Two places are enough, for these reasons. The text between two stars has a fixed length, so its leftmost match leaves
// the most for what follows. A `*` stays in one component, so when it fails, only the `**` before it can help. And a
// later `**` can reach everything that an earlier one can.

package enum Wildcard {
  private static let star = UInt8(ascii: "*")
  private static let slash = UInt8(ascii: "/")
  private static let backslash = UInt8(ascii: "\\")
  private static let bracket = UInt8(ascii: "[")

  /// Whether a byte of a pattern may have a special meaning.
  package static func isSpecial(_ byte: UInt8) -> Bool {
    byte == star || byte == UInt8(ascii: "?") || byte == bracket || byte == backslash
  }

  /// Whether a pattern matches a whole text. `isPath`: `*`, `?` and `[...]` match no slash, and `**` between slashes
  /// matches any number of folders.
  static func matches(
    _ pattern: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, isPath: Bool
  ) -> Bool {
    var p = 0
    var t = 0
    /// The last `*`: where the pattern continues after it, and the end of the text that it has matched.
    var star: (pattern: Int, text: Int)?
    /// The last `**`, in the same way. `folders`: a slash follows it, so it ends only at the start of a component.
    var deep: (pattern: Int, text: Int, folders: Bool)?
    while true {
      if p < pattern.count, pattern[p] == Wildcard.star {
        let stars = Stars(pattern, at: p, isPath: isPath)
        switch stars.kind {
        case .rest: return true
        case .restOfComponent:
          if !text[t...].contains(slash) { return true }
          star = nil  // it cannot match up to the end either
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

  /// A run of stars, and what it can match.
  private struct Stars {
    enum Kind {
      /// All the rest of the text.
      case rest
      /// The rest of the text, if that has no slash.
      case restOfComponent
      /// Any bytes but slashes.
      case component
      /// Any bytes.
      case any
      /// Nothing, or any bytes up to and including a slash.
      case folders
    }

    let kind: Kind
    /// Where the pattern continues.
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
    /// The byte matches. The pattern continues at this index.
    case fits(Int)
    case differs
    /// The pattern is not valid, so it matches nothing.
    case broken
  }

  /// Whether a byte matches the pattern at `start`.
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
