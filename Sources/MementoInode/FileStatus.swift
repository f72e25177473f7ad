// The fields of lstat(2), the same on every system.

package import MementoTime

/// The type of a file.
package enum FileKind: UInt8, Sendable {
  case regular = 1
  case directory = 2
  case symbolicLink = 3
  case fifo = 4
  case characterDevice = 5
  case blockDevice = 6
  case socket = 7
}

/// The status of one file at the moment when the kernel returned it.
package struct FileStatus: Equatable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// The size in bytes.
  package var size: UInt64
  /// The number of allocated blocks of 512 bytes.
  package var blocks: UInt64
  /// The type and the permission bits, as in `st_mode`.
  package var mode: UInt32
  package var linkCount: UInt32
  package var user: UInt32
  package var group: UInt32
  package var rawDevice: UInt64
  package var modified: Timestamp
  package var changed: Timestamp

  @inlinable package init(
    device: UInt64, inode: UInt64, size: UInt64, blocks: UInt64, mode: UInt32, linkCount: UInt32, user: UInt32,
    group: UInt32, rawDevice: UInt64, modified: Timestamp, changed: Timestamp
  ) {
    self.device = device
    self.inode = inode
    self.size = size
    self.blocks = blocks
    self.mode = mode
    self.linkCount = linkCount
    self.user = user
    self.group = group
    self.rawDevice = rawDevice
    self.modified = modified
    self.changed = changed
  }

  /// The permission bits with setuid, setgid and sticky: octal 0 to 7777.
  @inlinable package var permissions: UInt32 { mode & 0o7777 }

  /// The type of the file; nil when it is none of `FileKind`.
  @inlinable package var kind: FileKind? {
    switch mode & 0o170000 {
    case 0o100000: .regular
    case 0o040000: .directory
    case 0o120000: .symbolicLink
    case 0o010000: .fifo
    case 0o020000: .characterDevice
    case 0o060000: .blockDevice
    case 0o140000: .socket
    default: nil
    }
  }

  @inlinable package var isDirectory: Bool { mode & 0o170000 == 0o040000 }
  @inlinable package var isRegular: Bool { mode & 0o170000 == 0o100000 }
}

/// The file system and inode of a file. Two names with the same identity are the same file.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  @inlinable package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// An identity that no file has.
  package static let nowhere = FileIdentity(device: .max, inode: .max)
}

extension FileStatus {
  @inlinable package var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}
