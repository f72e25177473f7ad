// The patterns of one rule file, of the config or of the command line. They are parsed once and stay in the bytes of
// the file: a rule is a few numbers that say where its pattern is and how to compare it fast.

/// A rule that decided about a name, for messages.
public struct IgnoreRule: Equatable, Sendable {
  /// Where the rule is: the path of a rule file relative to the folder, `--exclude`, or the config of the store.
  public var source: BytePath
  /// The number of its line, or of the option; the first is 1.
  public var line: Int
  /// The pattern as it was written, without ignored white space.
  public var pattern: [UInt8]
  /// Whether it begins with `!`: names that it matches are not ignored.
  public var isNegated: Bool

  /// A rule made of its parts.
  public init(source: BytePath, line: Int, pattern: [UInt8], isNegated: Bool) {
    self.source = source
    self.line = line
    self.pattern = pattern
    self.isNegated = isNegated
  }
}

/// A list of patterns from one source.
package struct IgnoreList: Sendable {
  /// A rule file of more bytes than this is not read, as in git.
  package static let largestFile = 100 << 20

  /// Where the patterns come from; the last place, where there are several.
  package let source: BytePath
  /// Where the first of them come from, if that is elsewhere, and how many bytes they take.
  private let earlier: (source: BytePath, count: Int)?
  /// The bytes of the file, or of all patterns one after the other.
  package let bytes: [UInt8]
  private var rules: ContiguousArray<Rule> = []
  /// Whether some pattern contains a slash: it is compared with a path, and others only with a name.
  package private(set) var needsPaths = false

  package var isEmpty: Bool { rules.isEmpty }

  private struct Rule {
    enum Shape: UInt8 {
      /// The pattern has no wildcard.
      case literal
      /// The pattern is a star and then text without wildcards.
      case suffix
      case wildcards
    }

    /// The range of the pattern without `!`, and without a slash at its start or end.
    var start: Int32
    var count: Int32
    /// The range of the pattern as written, with `!` and slashes.
    var wholeStart: Int32
    var wholeCount: Int32
    var line: Int32
    /// How many bytes precede the first wildcard.
    var literal: Int32
    var shape: Shape
    var isNegated: Bool
    var onlyFolders: Bool
    var isPath: Bool
  }

  /// Reads a rule file, with one pattern on each line. `#` at the start of a line begins a comment. Spaces at the end
  /// of a line count only when escaped.
  package init(file bytes: [UInt8], source: BytePath) {
    self.source = source
    self.bytes = bytes
    earlier = nil
    var start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    var line = 1
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if end > start, bytes[start] != UInt8(ascii: "#") {
        add(IgnoreList.trimmed(bytes, start, bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end), line: line)
      }
      line += 1
      start = end + 1
    }
  }

  /// Takes patterns as they are: there are no comments, and all spaces count.
  package init(patterns: [[UInt8]], source: BytePath) {
    self.init(lines: patterns.enumerated().map { (line: $0.offset + 1, pattern: $0.element) }, source: source)
  }

  /// Same, with the number of the line of each pattern.
  package init(lines: [(line: Int, pattern: [UInt8])], source: BytePath) {
    self.init(lines: lines, source: source, after: nil)
  }

  /// Same, after the patterns of another place, which decide only where the patterns of this one do not.
  package init(
    lines: [(line: Int, pattern: [UInt8])], source: BytePath,
    after first: (lines: [(line: Int, pattern: [UInt8])], source: BytePath)?
  ) {
    self.source = source
    let all = (first?.lines ?? []) + lines
    bytes = Array(all.map(\.pattern).joined())
    earlier = first.map { ($0.source, $0.lines.reduce(0) { $0 + $1.pattern.count }) }
    var start = 0
    for (line, pattern) in all {
      add(start..<start + pattern.count, line: line)
      start += pattern.count
    }
  }

  /// The line without the spaces at its end, apart from an escaped one. A line that ends with a lone backslash is not
  /// trimmed.
  private static func trimmed(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Range<Int> {
    var spaces: Int?
    var index = start
    while index < end {
      if bytes[index] == UInt8(ascii: " ") {
        if spaces == nil { spaces = index }
      } else {
        if bytes[index] == UInt8(ascii: "\\") {
          index += 1
          if index >= end || bytes[index] == 0 { return start..<end }
        }
        if bytes[index] == 0 { break }
        spaces = nil
      }
      index += 1
    }
    return start..<(spaces ?? end)
  }

  private mutating func add(_ given: Range<Int>, line: Int) {
    // No name contains a NUL, and git ends the pattern there.
    let end = bytes[given].firstIndex(of: 0) ?? given.upperBound
    var range = given.lowerBound..<end
    let whole = range
    var isNegated = false
    var onlyFolders = false
    if range.first.map({ bytes[$0] }) == UInt8(ascii: "!") {
      isNegated = true
      range = range.dropFirst()
    }
    if range.last.map({ bytes[$0] }) == UInt8(ascii: "/") {
      onlyFolders = true
      range = range.dropLast()
    }
    let isPath = bytes[range].contains(UInt8(ascii: "/"))
    if isPath, bytes[range.lowerBound] == UInt8(ascii: "/") { range = range.dropFirst() }
    // An empty pattern matches nothing.
    guard !range.isEmpty, let last = Int32(exactly: whole.upperBound), let line = Int32(exactly: line) else { return }
    let literal = range.firstIndex { Wildcard.isSpecial(bytes[$0]) } ?? range.upperBound
    var shape = Rule.Shape.wildcards
    if literal == range.upperBound {
      shape = .literal
    } else if !isPath, bytes[range.lowerBound] == UInt8(ascii: "*"),
      !bytes[range.dropFirst()].contains(where: Wildcard.isSpecial)
    {
      shape = .suffix
    }
    needsPaths = needsPaths || isPath
    rules.append(
      Rule(
        start: Int32(range.lowerBound), count: Int32(range.count), wholeStart: Int32(whole.lowerBound),
        wholeCount: last - Int32(whole.lowerBound), line: line, literal: Int32(literal - range.lowerBound),
        shape: shape, isNegated: isNegated, onlyFolders: onlyFolders, isPath: isPath))
  }

  /// The last rule that matches. Nil when none does. `path`: relative to the folder of the list, used only if
  /// `needsPaths`.
  package func lastMatch(
    name: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>, isFolder: Bool
  ) -> Match? {
    bytes.withUnsafeBufferPointer { bytes in
      var index = rules.count
      while index > 0 {
        index -= 1
        let rule = rules[index]
        if rule.onlyFolders, !isFolder { continue }
        let pattern = UnsafeBufferPointer(rebasing: bytes[Int(rule.start)..<Int(rule.start + rule.count)])
        if IgnoreList.fits(rule, pattern, rule.isPath ? path : name) {
          return Match(list: self, index: index, isNegated: rule.isNegated)
        }
      }
      return nil
    }
  }

  /// A rule that matches. It is cheap to make, since callers mostly ask only whether it is negated.
  package struct Match {
    fileprivate let list: IgnoreList
    fileprivate let index: Int
    package let isNegated: Bool

    package var rule: IgnoreRule { list.rule(index) }
  }

  private func rule(_ index: Int) -> IgnoreRule {
    let rule = rules[index]
    var place = source
    if let earlier, Int(rule.wholeStart) < earlier.count { place = earlier.source }
    return IgnoreRule(
      source: place, line: Int(rule.line),
      pattern: Array(bytes[Int(rule.wholeStart)..<Int(rule.wholeStart + rule.wholeCount)]), isNegated: rule.isNegated)
  }

  private static func fits(
    _ rule: Rule, _ pattern: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    switch rule.shape {
    case .literal:
      return text.count == pattern.count && text.elementsEqual(pattern)
    case .suffix:
      let suffix = pattern.dropFirst()
      return text.count >= suffix.count && text.suffix(suffix.count).elementsEqual(suffix)
    case .wildcards:
      let literal = Int(rule.literal)
      guard text.count >= literal, text.prefix(literal).elementsEqual(pattern.prefix(literal)) else { return false }
      // Keep the last byte before the wildcard: `**` checks whether a slash precedes it.
      let skipped = max(0, literal - 1)
      return Wildcard.matches(
        UnsafeBufferPointer(rebasing: pattern[skipped...]), UnsafeBufferPointer(rebasing: text[skipped...]),
        isPath: rule.isPath)
    }
  }
}
