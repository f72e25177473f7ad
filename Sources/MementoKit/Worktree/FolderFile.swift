// A file of the folder, reached from the folder's descriptor name by name: a link that somebody puts in the way leads nowhere.

internal import MementoSystem

struct FolderFile {
  private let root: SharedDescriptor

  init(_ root: SharedDescriptor) {
    self.root = root
  }

  /// The bytes of a regular file; `.rangeError` when there are more than `limit`, `.notFound` when it is none.
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
