// `.memento/rescue/` keeps files that appeared between the guard snapshot and the moment when the restore took their
// place. memento never removes or replaces them.

internal import MementoStore
internal import MementoSystem

struct RescueFolder: Sendable {
  /// Leaves room for the prefix that a name gets in the working folder, and for a number at the end.
  private static let longestName = EntryName.longest - ReservedName.rescue.count - 8
  private let repository: Repository
  private let staging: StagingFolder
  private let root: SharedDescriptor

  init(_ repository: Repository, _ staging: StagingFolder) throws(RepositoryError) {
    self.repository = repository
    self.staging = staging
    root = try repository.root
  }

  /// Moves one file out of the staging folder and returns its new place.
  func keep(_ staged: [UInt8], as path: BytePath) throws(Errno) -> BytePath {
    let name = RescueFolder.name(for: path, of: staging.name)
    do throws(Errno) {
      return try keep(name) { (name, folder) throws(Errno) in
        try staging.directory.descriptor.rename(staged, to: name, in: folder, .noReplace)
      }
    } catch {
      // Some file systems allow fewer than 255 bytes.
      guard error == .nameTooLong else { throw error }
    }
    return try keep(RescueFolder.shortName(for: path, of: staging.name)) { (name, folder) throws(Errno) in
      try staging.directory.descriptor.rename(staged, to: name, in: folder, .noReplace)
    }
  }

  /// Moves the whole staging folder, because a file in it could not be checked. Returns its new place.
  func keepAll() throws(Errno) -> BytePath {
    try keep(Array(staging.name.utf8)) { (name, folder) throws(Errno) in try staging.move(to: name, in: folder) }
  }

  private func keep(
    _ name: [UInt8], _ move: ([UInt8], borrowing Descriptor) throws(Errno) -> Void
  ) throws(Errno) -> BytePath {
    do throws(Errno) {
      let folder = try repository.worktree.openRescue()
      let free = try RescueFolder.firstFree(name) { (name) throws(Errno) in try move(name, folder) }
      return repository.storePath.appending(WorktreeStorage.rescueFolder).appending(free)
    } catch {
      // The store is on another file system, so the file stays in the working folder, at the top.
      guard error == .crossDevice else { throw error }
    }
    return BytePath(
      try RescueFolder.firstFree(ReservedName.rescue + name) { (name) throws(Errno) in
        try move(name, root.descriptor)
      })
  }

  /// Tries `name` first, and then the same name with a number, until one is free.
  private static func firstFree(
    _ name: [UInt8], _ move: ([UInt8]) throws(Errno) -> Void
  ) throws(Errno) -> [UInt8] {
    for number in 1..<1_000_000 {
      let candidate = number == 1 ? name : name + Array(".\(number)".utf8)
      do throws(Errno) {
        try move(candidate)
        return candidate
      } catch {
        // A rename onto a folder that is not empty reports `.notEmpty`.
        guard error == .exists || error == .notEmpty else { throw error }
      }
    }
    throw .exists
  }

  /// Different paths have different names: a slash becomes `%2f`, and `%` becomes `%25`. A name that is too long is cut
  /// to its end and gets a digest of the path.
  static func name(for path: BytePath, of staging: String) -> [UInt8] {
    var text: [UInt8] = []
    for byte in path.bytes {
      switch byte {
      case UInt8(ascii: "/"): text += "%2f".utf8
      case UInt8(ascii: "%"): text += "%25".utf8
      default: text.append(byte)
      }
    }
    let name = Array("\(staging)-".utf8) + text
    if name.count <= longestName { return name }
    let short = shortName(for: path, of: staging)
    return short + [UInt8(ascii: "-")] + text.suffix(longestName - short.count - 1)
  }

  private static func shortName(for path: BytePath, of staging: String) -> [UInt8] {
    Array("\(staging)-%=\(ObjectID(hashing: path.bytes).description.prefix(32))".utf8)
  }
}

extension RescueFolder {
  /// What the name of a rescued file says of its path.
  enum Origin: Equatable {
    case whole([UInt8])
    /// Of a path that is too long for a name.
    case digest([UInt8])
  }

  /// The path in the name of a rescued file. Nil for a whole staging folder, and for anything that no restore has made.
  static func path(of name: [UInt8]) -> Origin? {
    guard name.starts(with: StagedName.folderPrefix.utf8) else { return nil }
    // restore-PROCESS-TIME-PATH
    let words = name.split(separator: UInt8(ascii: "-"), maxSplits: 3, omittingEmptySubsequences: false)
    let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
    guard words.count == 4, words[1].allSatisfy(isDigit), words[2].allSatisfy(isDigit) else { return nil }
    let text = words[3]
    if text.starts(with: "%=".utf8) { return .digest(Array(text.dropFirst(2).prefix(32))) }
    var path: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        path.append(byte)
        continue
      }
      switch Array(rest.prefix(2)) {
      case Array("2f".utf8): path.append(UInt8(ascii: "/"))
      case Array("25".utf8): path.append(UInt8(ascii: "%"))
      default: return nil
      }
      rest = rest.dropFirst(2)
    }
    return path.isEmpty ? nil : .whole(path)
  }

  /// What stands in a name for a path that is too long.
  static func digest(of path: BytePath) -> [UInt8] {
    Array(ObjectID(hashing: path.bytes).description.utf8.prefix(32))
  }

  /// The path without a number at its end, such as that of a second file from the same path. Nil when it has none.
  static func withoutNumber(_ path: [UInt8]) -> [UInt8]? {
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot + 1 < path.count,
      path[(dot + 1)...].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Array(path[..<dot])
  }
}
