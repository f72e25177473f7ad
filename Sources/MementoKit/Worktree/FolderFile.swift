// Reads a file of the folder, name by name from the descriptor of the folder, so that no symbolic link on the way is
// followed.

internal import MementoSystem

struct FolderFile {
  private let root: SharedDescriptor

  init(_ root: SharedDescriptor) {
    self.root = root
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
