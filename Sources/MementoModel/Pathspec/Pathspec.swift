// One pathspec: which paths of a tree a command is about. What it means is what git means by it, see gitglossary(7).

/// A path or a pattern that selects paths of a folder, or leaves some of them out.
public struct Pathspec: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// The path itself, with all that is in it.
    case literal
    /// Wildcards that also match slashes. A folder that matches counts with all that is in it.
    case wildcard
    /// Wildcards that match no slash, and `**` for any number of folders. A folder that matches counts alone.
    case glob
  }

  /// How far a pathspec covers a path that it is compared with.
  enum Match {
    case none
    /// The path itself.
    case itself
    /// The path and all that is in it.
    case whole
  }

  /// The path or pattern, relative to the folder, in lower case when letters of both cases are the same.
  let pattern: [UInt8]
  let form: Form
  let ignoresCase: Bool
  /// Whether only folders match.
  let onlyFolders: Bool
  /// Whether it leaves out what it matches.
  public let isExclusion: Bool
  /// The pathspec as it was given, for messages.
  public let text: [UInt8]
  /// The bytes before the first wildcard.
  private let fixed: ArraySlice<UInt8>

  /// A path that means itself, whatever bytes it has. Relative to the folder; empty for the folder itself.
  public init(path: BytePath) {
    self.init(
      Array(path.components.joined(separator: [UInt8(ascii: "/")])), .literal, ignoresCase: false, onlyFolders: false,
      isExclusion: false, text: path.bytes)
  }

  init(
    _ pattern: [UInt8], _ form: Form, ignoresCase: Bool, onlyFolders: Bool, isExclusion: Bool, text: [UInt8]
  ) {
    self.pattern = ignoresCase ? pattern.map(Pathspec.lowered) : pattern
    self.form = form
    self.ignoresCase = ignoresCase
    self.onlyFolders = onlyFolders
    self.isExclusion = isExclusion
    self.text = text
    fixed =
      form == .literal
      ? self.pattern[...]
      : self.pattern[..<(self.pattern.firstIndex(where: Wildcard.isSpecial) ?? self.pattern.endIndex)]
  }

  /// Its path, if it means one path and nothing else.
  package var plainPath: BytePath? {
    form == .literal && !ignoresCase && !isExclusion && !onlyFolders ? BytePath(pattern) : nil
  }

  /// Whether it means everything in the folder.
  var isEverything: Bool { pattern.isEmpty }

  /// How far it covers a path. The folders above the path have been compared before.
  func match(_ path: [UInt8], isFolder: Bool) -> Match {
    if onlyFolders, !isFolder { return .none }
    if isEverything { return .whole }
    let path = ignoresCase ? path.map(Pathspec.lowered) : path
    if path == pattern { return .whole }
    if form == .literal { return .none }
    let isMatch = path.withUnsafeBufferPointer { path in
      pattern.withUnsafeBufferPointer { Wildcard.matches($0, path, isPath: form == .glob) }
    }
    guard isMatch else { return .none }
    if form == .wildcard || !isFolder || onlyFolders { return .whole }
    return pattern.count > 1 && pattern.suffix(2).elementsEqual("**".utf8) ? .whole : .itself
  }

  /// Whether it may match something in this folder.
  func mayMatch(in folder: [UInt8]) -> Bool {
    let folder = (ignoresCase ? folder.map(Pathspec.lowered) : folder) + [UInt8(ascii: "/")]
    if form == .literal { return fixed.starts(with: folder) }
    return fixed.starts(with: folder) || folder.starts(with: fixed)
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
