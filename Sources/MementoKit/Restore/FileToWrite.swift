// What a restore is to make, and where.

internal import MementoSystem

/// A place where a file is to be made.
protocol WritePlace: Sendable {
  func open() throws(Errno) -> SharedDescriptor
  /// The path of a name in it, for messages.
  func path(of name: [UInt8]) -> BytePath
}

extension DirectoryHandle: WritePlace {}

/// One file, link, fifo or device.
struct FileToWrite: Sendable {
  let place: any WritePlace
  let name: [UInt8]
  let entry: TreeEntry
  /// The number of the item in a plan.
  var item = 0

  var path: BytePath { place.path(of: name) }
}
