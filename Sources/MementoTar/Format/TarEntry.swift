// An entry of an archive, as both the reader and the writer see it: pax and all earlier forms say the same things of a file.

package import MementoInode
package import MementoTime

/// What an entry is.
package enum TarKind: Equatable, Sendable {
  case file
  case directory
  case symbolicLink(target: [UInt8])
  /// Another name of a file that comes before it in the archive. `target`: the path of that file.
  case hardLink(target: [UInt8])
  case fifo
  case characterDevice(major: UInt32, minor: UInt32)
  case blockDevice(major: UInt32, minor: UInt32)
}

package struct TarEntry: Equatable, Sendable {
  /// As it stands in the archive: any bytes but NUL.
  package var path: [UInt8]
  package var kind: TarKind
  /// Octal 0 to 7777.
  package var permissions: UInt32
  package var user: UInt32
  package var group: UInt32
  package var modified: Timestamp
  /// Sorted by name.
  package var attributes: [ExtendedAttribute]
  /// Bytes of a file, with its holes. 0 for all other kinds.
  package var size: UInt64

  package init(
    path: [UInt8], kind: TarKind, permissions: UInt32, user: UInt32, group: UInt32, modified: Timestamp,
    attributes: [ExtendedAttribute] = [], size: UInt64 = 0
  ) {
    self.path = path
    self.kind = kind
    self.permissions = permissions
    self.user = user
    self.group = group
    self.modified = modified
    self.attributes = attributes
    self.size = size
  }
}

/// The sizes that a reader accepts. What an archive declares takes no more memory than this, whoever wrote it.
package enum TarLimit {
  /// Bytes of all pax records of one entry. Linux allows 64 KiB for one attribute.
  package static let records = 16 << 20
  /// Bytes of a path or of the target of a link.
  package static let path = 1 << 20
  /// Pieces of data in a file with holes.
  package static let pieces = 1 << 20
}
