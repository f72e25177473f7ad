// The objects in a folder and the folders below it, in the order of their names, from any name on. Memory follows the size
// of the folders on the way to an object, and not the number of objects.

internal import MementoSystem

struct ObjectFolderListing {
  /// A folder that is being read.
  private struct Level {
    let folder: SharedDescriptor
    let listing: DirectoryListing
    /// The names of objects in it begin with this: empty, or a path with `/` at its end.
    let path: String
    var index = 0
    /// Folders that were met and not entered yet. `a-b` and `a.b` come before `a/b`, although they come after `a`.
    var waiting: [String] = []
  }

  private let prefix: String
  private let after: String
  private var levels: [Level] = []

  /// The objects below `root` whose names begin with `prefix` and come after the name `after`.
  init(_ root: SharedDescriptor, prefix: String, after: String?) {
    self.prefix = prefix
    self.after = after ?? ""
    first = root
  }

  private var first: SharedDescriptor?

  /// The next object; nil at the end. Files that are no objects are passed over, and so is what is removed meanwhile.
  mutating func next() throws(ObjectError) -> ListedObject? {
    if let root = first {
      try enter(root, ".", path: "")
      first = nil
    }
    while !levels.isEmpty {
      let level = levels.count - 1
      guard levels[level].index < levels[level].listing.count else {
        guard let folder = levels[level].waiting.popLast() else {
          levels.removeLast()
          continue
        }
        try enter(levels[level].folder, folder, path: levels[level].path + folder + "/")
        continue
      }
      let bytes = levels[level].listing.name(at: levels[level].index)
      if let folder = levels[level].waiting.last, Array((folder + "/").utf8).lexicographicallyPrecedes(bytes) {
        levels[level].waiting.removeLast()
        try enter(levels[level].folder, folder, path: levels[level].path + folder + "/")
        continue
      }
      levels[level].index += 1
      if let object = try look(bytes, level) { return object }
    }
    return nil
  }

  /// The object of this name in a folder. A folder is put down to be entered.
  private mutating func look(_ bytes: [UInt8], _ level: Int) throws(ObjectError) -> ListedObject? {
    let part = String(decoding: bytes, as: UTF8.self)
    guard let name = ObjectName(levels[level].path + part), mayHold(name.text + "/") || isWanted(name.text) else {
      return nil
    }
    do throws(Errno) {
      guard let status = try levels[level].folder.descriptor.statusIfPresent(of: bytes) else { return nil }
      if status.isDirectory, mayHold(name.text + "/") { levels[level].waiting.append(part) }
      guard status.isRegular, isWanted(name.text) else { return nil }
      return ListedObject(name: name, size: status.size, modified: status.modified)
    } catch {
      throw ObjectError(error, name)
    }
  }

  private func isWanted(_ name: String) -> Bool {
    name.utf8.starts(with: prefix.utf8) && after.utf8.lexicographicallyPrecedes(name.utf8)
  }

  /// Whether an object that is wanted can be in the folder `path`, which ends with `/`.
  private func mayHold(_ path: String) -> Bool {
    guard path.utf8.starts(with: prefix.utf8) || prefix.utf8.starts(with: path.utf8) else { return false }
    return after.utf8.lexicographicallyPrecedes(path.utf8) || after.utf8.starts(with: path.utf8)
  }

  private mutating func enter(_ parent: SharedDescriptor, _ name: String, path: String) throws(ObjectError) {
    do throws(Errno) {
      let folder = SharedDescriptor(try parent.descriptor.open(Array(name.utf8), .directory))
      levels.append(Level(folder: folder, listing: try DirectoryListing(reading: folder.descriptor), path: path))
    } catch {
      switch error {
      // Removed meanwhile, or another thing has its name now.
      case .notFound, .notDirectory, .loop: return
      default: throw ObjectError(error, opening: path)
      }
    }
  }
}
