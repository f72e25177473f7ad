// One thing that a restore makes, and where.

internal import MementoSystem

/// A directory in which a file is made.
protocol WritePlace: Sendable {
  func open() throws(Errno) -> SharedDescriptor
  /// The path of `name` in this directory, for messages.
  func path(of name: [UInt8]) -> BytePath
}

extension DirectoryHandle: WritePlace {}

/// One file, link, fifo or device to make.
struct FileToWrite: Sendable {
  let place: any WritePlace
  let name: [UInt8]
  let entry: TreeEntry
  /// The number of its item in the plan.
  var item = 0

  var path: BytePath { place.path(of: name) }
}
