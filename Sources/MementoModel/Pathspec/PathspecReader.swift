// Reads pathspecs as git does: magic words in `:(…)`, their short forms in `:!`, and a pattern that is relative to where
// the command was started.

/// Why a text is no pathspec.
public struct PathspecError: Error, Equatable, Sendable {
  /// A phrase that says what is wrong.
  public let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// Reads pathspecs for one folder.
public struct PathspecReader: Sendable {
  private let folder: [[UInt8]]
  private let place: [[UInt8]]

  /// `folder`: the folder, as an absolute path. `place`: where patterns start, relative to the folder.
  public init(folder: BytePath, place: BytePath) {
    self.folder = folder.components
    self.place = place.components
  }

  /// Whether a text can mean anything but the path that it spells.
  public static func isSpecial(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: ":") || text.contains(where: Wildcard.isSpecial)
  }

  /// Reads one pathspec. Throws when it has a magic word that is not known, and when it leads out of the folder.
  public func read(_ text: [UInt8]) throws(PathspecError) -> Pathspec {
    var rest = text[...]
    let magic = try PathspecReader.takeMagic(&rest)
    let form: Pathspec.Form =
      magic.isLiteral
      ? .literal : magic.isGlob ? .glob : rest.contains(where: Wildcard.isSpecial) ? .wildcard : .literal
    let names = try names(of: rest, magic, isPattern: form != .literal)
    let onlyFolders = rest.last == UInt8(ascii: "/") && !names.isEmpty
    return Pathspec(
      Array(names.joined(separator: [UInt8(ascii: "/")])), form, ignoresCase: magic.ignoresCase,
      onlyFolders: onlyFolders, isExclusion: magic.isExclusion, text: text)
  }

  private struct Magic {
    var isTop = false
    var isExclusion = false
    var ignoresCase = false
    var isLiteral = false
    var isGlob = false
  }

  /// Takes the magic from the beginning of a text.
  private static func takeMagic(_ rest: inout ArraySlice<UInt8>) throws(PathspecError) -> Magic {
    var magic = Magic()
    guard rest.first == UInt8(ascii: ":") else { return magic }
    rest.removeFirst()
    guard rest.first == UInt8(ascii: "(") else {
      try takeSigns(&rest, &magic)
      return magic
    }
    guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else {
      throw PathspecError("the magic words are not closed with a )")
    }
    for word in rest[rest.startIndex..<end].dropFirst().split(separator: UInt8(ascii: ",")) {
      switch String(decoding: word, as: UTF8.self) {
      case "top": magic.isTop = true
      case "exclude": magic.isExclusion = true
      case "icase": magic.ignoresCase = true
      case "literal": magic.isLiteral = true
      case "glob": magic.isGlob = true
      case let other:
        throw PathspecError("there is no magic word \"\(other)\"")
      }
    }
    if magic.isLiteral, magic.isGlob { throw PathspecError("literal and glob do not go together") }
    rest = rest[(end + 1)...]
    return magic
  }

  /// Takes the signs of the short form: `:!`, `:^`, `:/`.
  private static func takeSigns(_ rest: inout ArraySlice<UInt8>, _ magic: inout Magic) throws(PathspecError) {
    while let sign = rest.first, sign != UInt8(ascii: ":") {
      switch sign {
      case UInt8(ascii: "!"), UInt8(ascii: "^"): magic.isExclusion = true
      case UInt8(ascii: "/"): magic.isTop = true
      default:
        if reserved.contains(sign) {
          throw PathspecError("there is no magic sign \"\(String(UnicodeScalar(sign)))\"")
        }
        return
      }
      rest.removeFirst()
    }
    if !rest.isEmpty { rest.removeFirst() }
  }

  /// The signs that git keeps for magic of later versions.
  private static let reserved = Array("\"#%&',-;<=>@_`~".utf8)

  /// The names of a pattern from the folder on, with `.` and `..` resolved. Names of the place where it starts are spelled
  /// so that they match only themselves.
  private func names(
    of text: ArraySlice<UInt8>, _ magic: Magic, isPattern: Bool
  ) throws(PathspecError) -> [[UInt8]] {
    var given = text.split(separator: UInt8(ascii: "/")).map { Array($0) }
    var start = magic.isTop ? [] : place
    if text.first == UInt8(ascii: "/"), !magic.isTop {
      guard given.starts(with: folder) else { throw outside }
      given.removeFirst(folder.count)
      start = []
    }
    var names: [[UInt8]] = start.map { isPattern ? PathspecReader.escaped($0) : $0 }
    for name in given where name != Array(".".utf8) {
      if name == Array("..".utf8) {
        guard names.popLast() != nil else { throw outside }
      } else {
        names.append(name)
      }
    }
    return names
  }

  private var outside: PathspecError {
    PathspecError(
      "it is not in the folder /\(String(decoding: Array(folder.joined(separator: [0x2f])), as: UTF8.self))")
  }

  private static func escaped(_ name: [UInt8]) -> [UInt8] {
    name.flatMap { Wildcard.isSpecial($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
  }
}
