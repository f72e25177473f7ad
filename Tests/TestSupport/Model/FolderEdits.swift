// Random edits of a folder: everything that people, editors and programs do to files. The edits do not report what they
// changed; the test reads the folder afterwards. An edit that fails, because a path does not exist any more, counts as
// none.

/// Edits one folder. The same seed makes the same edits.
package struct FolderEdits {
  private let folder: FolderTools
  private let mayOwn: Bool
  /// The folder before the current edits.
  private var tree: FolderTree
  private var counter = 0

  /// `mayOwn`: whether files may be given to other users, and devices may be made.
  package init(_ folder: FolderTools, _ tree: FolderTree, mayOwn: Bool) {
    self.folder = folder
    self.mayOwn = mayOwn
    self.tree = tree
  }

  package enum Kind: CaseIterable, Sendable {
    case create, createLarge, createSparse, overwriteInPlace, overwriteUnseen, append, truncate, punch
    case remove, retype, rename, exchange, copy
    case setMode, setTime, setOwner, setAttribute, removeAttribute
    case hardLink, separate, symbolicLink, makeFolder, makeDeep, makeMany
  }

  /// How often each kind is chosen.
  private static let weights: [Kind: Int] = [
    .create: 12, .overwriteInPlace: 8, .append: 4, .remove: 10, .retype: 8, .rename: 8, .hardLink: 5, .symbolicLink: 4,
    .makeFolder: 4, .setMode: 4, .setTime: 3, .setAttribute: 3, .overwriteUnseen: 3, .separate: 2, .truncate: 2,
  ]
  private static let choices: [Kind] = Kind.allCases.flatMap {
    Array(repeating: $0, count: ($0 == .createLarge || $0 == .makeMany) ? 1 : 2 * (weights[$0] ?? 1))
  }
  private static let enough = 120

  /// Makes a few edits of a folder whose content is `tree`. Returns their kinds and paths as text.
  package mutating func make(in tree: FolderTree, _ generator: inout SplitMix64) throws -> String {
    self.tree = tree
    var words: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) { words.append(try make(&generator)) }
    return words.joined(separator: ", ")
  }

  private mutating func make(_ generator: inout SplitMix64) throws -> String {
    var kind = FolderEdits.choices[Int.random(in: 0..<FolderEdits.choices.count, using: &generator)]
    if tree.entries.count > FolderEdits.enough, Bool.random(using: &generator) { kind = .remove }
    counter += 1
    let old = any(&generator)
    let new = newPath(&generator)
    do {
      try make(kind, old, new, &generator)
      return "\(kind) \(text(old)) \(text(new))"
    } catch is ToolFailure {
      return "\(kind) failed"
    }
  }

  private func make(
    _ kind: Kind, _ old: [UInt8], _ new: [UInt8], _ generator: inout SplitMix64
  ) throws {
    let file = anyFile(&generator)
    switch kind {
    case .create: try folder.write(new, content(&generator), mode: 0o644)
    case .createLarge: try folder.write(new, largeContent(&generator))
    case .createSparse:
      try folder.truncate(new, to: Int.random(in: 1...64, using: &generator) * 8192)
      if Bool.random(using: &generator) { try folder.patch(new, bytes(5000, &generator), at: 65536) }
    case .overwriteInPlace: try overwrite(file, &generator)
    case .overwriteUnseen:
      // The file keeps its size and its time.
      guard let before = tree.entries[file] else { return }
      try overwrite(file, &generator)
      try folder.setTime(file, before.seconds, before.nanoseconds)
    case .append: try folder.patch(file, bytes(300, &generator), at: tree.entries[file]?.size ?? 0)
    case .truncate:
      try folder.truncate(file, to: Int.random(in: 0...(tree.entries[file]?.size ?? 0), using: &generator))
    case .punch:
      try folder.truncate(file, to: (tree.entries[file]?.size ?? 0) / 4096 * 4096 + 65536)
    case .remove: try folder.remove(old)
    case .retype:
      try folder.remove(old)
      try makeAnything(old, &generator)
    case .rename: try folder.rename(old, to: new)
    case .exchange:
      let other = any(&generator)
      let aside = "aside \(counter)".bytes
      try folder.rename(old, to: aside)
      try? folder.rename(other, to: old)
      try folder.rename(aside, to: other)
    case .copy: try folder.write(new, folder.read(file))
    case .setMode: try folder.setMode(old, mode(&generator))
    case .setTime:
      try folder.setTime(
        old, Int.random(in: -1_000_000_000...5_000_000_000, using: &generator),
        Int.random(in: 0..<1_000_000_000, using: &generator))
    case .setOwner:
      if mayOwn {
        try folder.setOwner(
          old, user: .random(in: 0...70000, using: &generator), group: .random(in: 0...70000, using: &generator))
      }
    case .setAttribute:
      let value = bytes(Int.random(in: 0...200, using: &generator), &generator)
      try folder.setAttribute(old, "user.\(Int.random(in: 0..<3, using: &generator))", value)
    case .removeAttribute: try folder.removeAttribute(old, "user.\(Int.random(in: 0..<3, using: &generator))")
    case .hardLink: try folder.makeHardLink(new, to: file)
    case .separate:
      // Replaces a hard link by a separate file with the same content.
      let content = try folder.read(file)
      try folder.remove(file)
      try folder.write(file, content)
    case .symbolicLink: try folder.makeLink(new, to: Bool.random(using: &generator) ? old : name(&generator))
    case .makeFolder: try folder.makeFolder(new)
    case .makeDeep:
      var path = new
      for _ in 0..<Int.random(in: 2...20, using: &generator) {
        try folder.makeFolder(path)
        path += "/".bytes + name(&generator).prefix(40)
      }
      try folder.write(path, content(&generator))
    case .makeMany:
      try folder.makeFolder(new)
      for number in 0..<60 { try folder.write(new + "/\(number)".bytes, "\(number % 7)".bytes) }
    }
  }

  private func makeAnything(_ path: [UInt8], _ generator: inout SplitMix64) throws {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: try folder.write(path, content(&generator))
    case 1: try folder.makeLink(path, to: name(&generator))
    case 2: try folder.makeFifo(path)
    case 3: try folder.makeFolder(path)
    case 4 where mayOwn: try folder.makeDevice(path, mode: 0o020_644, major: 1, minor: 3)
    default:
      try folder.makeFolder(path)
      try folder.write(path + "/".bytes + name(&generator), content(&generator))
    }
  }

  private func overwrite(_ file: [UInt8], _ generator: inout SplitMix64) throws {
    let size = tree.entries[file]?.size ?? 0
    let count = min(size, Int.random(in: 1...2000, using: &generator))
    try folder.patch(file, bytes(count, &generator), at: Int.random(in: 0...(size - count), using: &generator))
  }

  // MARK: Choices

  private func any(_ generator: inout SplitMix64) -> [UInt8] {
    tree.paths.randomElement(using: &generator) ?? "nothing".bytes
  }

  private func anyFile(_ generator: inout SplitMix64) -> [UInt8] {
    tree.paths.filter { tree.entries[$0]?.isFile == true }.randomElement(using: &generator) ?? "nothing".bytes
  }

  /// A new path in any folder. Often the name exists already.
  private func newPath(_ generator: inout SplitMix64) -> [UInt8] {
    let folders = tree.paths.filter { tree.isFolder($0) }
    guard Int.random(in: 0..<3, using: &generator) > 0, let folder = folders.randomElement(using: &generator) else {
      return name(&generator)
    }
    return folder + "/".bytes + name(&generator)
  }

  private static let oddNames: [[UInt8]] = [
    "caf\u{E9}".bytes, "cafe\u{301}".bytes, [0xff, 0xfe, 0x80], "new\nline".bytes, " space ".bytes, "-rf".bytes,
    "*".bytes, "\u{1B}[31m".bytes, Array(repeating: UInt8(ascii: "n"), count: 255), ".hidden".bytes, "CASE".bytes,
    "case".bytes, "back\\slash".bytes, "\u{202E}right".bytes, ".mementoes".bytes, [1], [0x7f],
  ]

  private func name(_ generator: inout SplitMix64) -> [UInt8] {
    if Int.random(in: 0..<4, using: &generator) == 0 {
      return FolderEdits.oddNames[Int.random(in: 0..<FolderEdits.oddNames.count, using: &generator)]
    }
    return "f\(Int.random(in: 0..<20, using: &generator))".bytes
  }

  private func mode(_ generator: inout SplitMix64) -> UInt32 {
    let mode = UInt32.random(in: 0...0o7777, using: &generator)
    // Files that this user cannot read are not saved, so they are no part of the model. Without root the owner keeps
    // read and search permission, but may lose write permission. Search is included because the path may be a link to a
    // folder.
    return mayOwn ? mode : mode & 0o1777 | 0o500
  }

  private func content(_ generator: inout SplitMix64) -> [UInt8] {
    let size = [0, 1, 100, 4095, 4096, 4097, 30000, 200_000].randomElement(using: &generator) ?? 0
    return bytes(size, &generator)
  }

  /// Content larger than what one worker reads, and larger than a chunk.
  private func largeContent(_ generator: inout SplitMix64) -> [UInt8] {
    bytes(4 << 20, &generator) + bytes(Int.random(in: 0...100_000, using: &generator), &generator)
  }

  /// Text that often repeats, one repeated byte, or random bytes.
  private func bytes(_ count: Int, _ generator: inout SplitMix64) -> [UInt8] {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: Content.text(count, seed: UInt64.random(in: 0..<4, using: &generator))
    case 1: [UInt8](repeating: UInt8.random(in: 1...255, using: &generator), count: count)
    default: generator.bytes(count)
    }
  }

  private func text(_ path: [UInt8]) -> String {
    let scalars = String(decoding: path, as: UTF8.self).unicodeScalars
    return "\"" + scalars.prefix(40).map { $0.escaped(asASCII: true) }.joined() + "\""
  }
}
