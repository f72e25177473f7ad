// Reads a file of the folder, name by name from the descriptor of the folder, so that no symbolic link on the way is
// followed.

internal import MementoSystem

struct FolderFile {
  private let root: SharedDescriptor

  init(_ root: SharedDescriptor) {
    self.root = root
  }

  /// Whether the folder has a path. A name below something that is no folder does not exist.
  func exists(at path: BytePath) throws(Errno) -> Bool {
    let names = path.components
    guard let last = names.last else { return true }
    do throws(Errno) {
      var directory = root
      for name in names.dropLast() { directory = SharedDescriptor(try directory.descriptor.open(name, .directory)) }
      return try directory.descriptor.statusIfPresent(of: last) != nil
    } catch {
      if [.notFound, .notDirectory, .loop].contains(error) { return false }
      throw error
    }
  }

  /// The bytes of a regular file. Throws `.rangeError` for more than `limit` bytes, and `.notFound` for anything but a
  /// file.
  func contents(of path: BytePath, limit: Int) throws(Errno) -> [UInt8] {
    let names = path.components
    guard let last = names.last else { throw .invalid }
    var directory = root
    for name in names.dropLast() { directory = SharedDescriptor(try directory.descriptor.open(name, .directory)) }
    let file = try directory.descriptor.open(last, .read)
    guard try file.status().isRegular else { throw .notFound }
    return try file.contents(limit: limit)
  }
}
