// Bytes as an open file, for decoders that read files.

import MementoSystem
import TestSupport

final class ScratchFile {
  private let directory: TemporaryDirectory
  private let name = Array("scratch".utf8)

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// A file that holds these bytes. It has no name any more.
  func holding(_ bytes: [UInt8]) throws -> SharedDescriptor {
    try directory.write("scratch", bytes)
    let file = SharedDescriptor(try directory.descriptor.open(name, .read))
    try directory.descriptor.removeFile(name)
    return file
  }
}
