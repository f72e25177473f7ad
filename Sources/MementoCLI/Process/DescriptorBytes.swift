// Reads all of an open file, pipe or terminal.

import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum DescriptorBytes {
  /// Everything up to the end. Throws `.tooLarge` when that is more than `limit` bytes.
  static func all(of descriptor: Int32, limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 16) + 1)
    while bytes.count <= limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR {
        throw Errno.current
      }
    }
    throw Errno.tooLarge
  }
}
