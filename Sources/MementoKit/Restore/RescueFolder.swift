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
