// The patterns of one rule file, or of one place where they are given. Read once, kept in the bytes of the file: a rule is
// a few numbers that say where its pattern lies and how it is best compared.

/// Which rule decided, for people.
public struct IgnoreRule: Equatable, Sendable {
  /// Where it stands: a rule file relative to the folder, `--exclude`, the store's config.
  public var source: BytePath
  /// The line, or the how-manieth of the options; the first is 1.
  public var line: Int
  /// As it was written, without the white space that does not count.
  public var pattern: [UInt8]
  /// It begins with `!`: what it matches is not ignored.
  public var isNegated: Bool

  /// A rule by its parts.
  public init(source: BytePath, line: Int, pattern: [UInt8], isNegated: Bool) {
    self.source = source
    self.line = line
    self.pattern = pattern
    self.isNegated = isNegated
  }
}

package struct IgnoreList: Sendable {
  /// Longer files are not read, as in git; bytes.
  package static let largestFile = 100 << 20

  /// Where the patterns stand.
  package let source: BytePath
  /// The file, or all patterns back to back.
  package let bytes: [UInt8]
  private var rules: ContiguousArray<Rule> = []
  /// A pattern with a slash is compared with a path, others with a name alone.
  package private(set) var needsPaths = false

  package var isEmpty: Bool { rules.isEmpty }

  private struct Rule {
    enum Shape: UInt8 {
      /// Not a single wildcard.
      case literal
      /// A star, then none.
      case suffix
      case wildcards
    }

    /// Of the pattern, without `!`, the slash at the end and that at the beginning.
    var start: Int32
    var count: Int32
    /// As written, with `!` and slashes.
    var wholeStart: Int32
    var wholeCount: Int32
    var line: Int32
    /// Bytes before the first wildcard.
    var literal: Int32
    var shape: Shape
    var isNegated: Bool
    var onlyFolders: Bool
    var isPath: Bool
  }

  /// Reads a rule file: a pattern a line, `#` begins a comment, spaces at the end count only when escaped.
  package init(file bytes: [UInt8], source: BytePath) {
    self.source = source
    self.bytes = bytes
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

  /// Takes patterns as they are: nothing is a comment, and all spaces count.
  package init(patterns: [[UInt8]], source: BytePath) {
    self.init(lines: patterns.enumerated().map { (line: $0.offset + 1, pattern: $0.element) }, source: source)
  }

  /// The same, with the lines they stand on.
  package init(lines: [(line: Int, pattern: [UInt8])], source: BytePath) {
    self.source = source
    bytes = Array(lines.map(\.pattern).joined())
    var start = 0
    for (line, pattern) in lines {
      add(start..<start + pattern.count, line: line)
      start += pattern.count
    }
  }

  /// Without the spaces at the end, of which a backslash keeps one. A line that ends with a lone backslash keeps all.
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
    // A name has no NUL; to git the pattern ends there.
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
    // A pattern of nothing fits nothing.
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

  /// The last rule that fits; nil when none does. `path` is relative to the folder of the list, and looked at only when
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

  /// A rule that fits: cheap to make, since most are only asked whether they are negated.
  package struct Match {
    fileprivate let list: IgnoreList
    fileprivate let index: Int
    package let isNegated: Bool

    package var rule: IgnoreRule { list.rule(index) }
  }

  private func rule(_ index: Int) -> IgnoreRule {
    let rule = rules[index]
    return IgnoreRule(
      source: source, line: Int(rule.line),
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
      // One byte of it stays: `**` asks whether a slash stands before.
      let skipped = max(0, literal - 1)
      return Wildcard.matches(
        UnsafeBufferPointer(rebasing: pattern[skipped...]), UnsafeBufferPointer(rebasing: text[skipped...]),
        isPath: rule.isPath)
    }
  }
}
