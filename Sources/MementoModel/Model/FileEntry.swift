// An entry of a folder as callers of the library see it: everything about a file except its name and its bytes.

internal import MementoInode
package import MementoTime

/// The type of a file. New types may be added, so a `switch` over types needs a `default`.
public struct FileType: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case file
    case directory
    case link
    case fifo
    case characterDevice = "character-device"
    case blockDevice = "block-device"
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The name of the type in English, such as `character-device`.
  public var description: String { kind.rawValue }

  /// A regular file.
  public static let file = FileType(.file)
  /// A folder.
  public static let directory = FileType(.directory)
  /// A symbolic link.
  public static let link = FileType(.link)
  /// A named pipe.
  public static let fifo = FileType(.fifo)
  /// A device that is read and written byte by byte.
  public static let characterDevice = FileType(.characterDevice)
  /// A device that is read and written in blocks.
  public static let blockDevice = FileType(.blockDevice)

  /// The type bits of `st_mode`.
  fileprivate var bits: UInt32 {
    switch kind {
    case .fifo: 0o010000
    case .characterDevice: 0o020000
    case .directory: 0o040000
    case .blockDevice: 0o060000
    case .file: 0o100000
    case .link: 0o120000
    }
  }
}

/// A file, folder, link or other entry, in a snapshot or in the folder on disk.
public struct FileEntry: Equatable, Sendable {
  /// An extended attribute.
  public struct Attribute: Equatable, Sendable {
    /// Any bytes but NUL.
    public var name: [UInt8]
    /// Any bytes.
    public var value: [UInt8]
  }

  /// The numbers of a device node.
  public struct Device: Equatable, Sendable {
    /// The number of the driver.
    public var major: UInt32
    /// The number of the device among those of the driver.
    public var minor: UInt32
  }

  /// The type of the file.
  public var type: FileType
  /// The permission bits with setuid, setgid and sticky: octal 0 to 7777.
  public var permissions: UInt32
  /// The number of the owner.
  public var user: UInt32
  /// The number of the group.
  public var group: UInt32
  /// When the content was last modified.
  public var modified: SnapshotTime
  /// Sorted by name.
  public var attributes: [Attribute]
  /// The size in bytes of a regular file or of the target of a link. 0 for everything else.
  public var size: UInt64
  /// For a symbolic link, its target.
  public var target: [UInt8]?
  /// For a device, its numbers.
  public var device: Device?

  /// For a regular file, where its bytes are.
  package let content: FileContent?
  /// For a directory, its tree.
  package let tree: ObjectID?

  /// The type and the permissions as in `st_mode`: octal 100644 for a regular file.
  public var mode: UInt32 { type.bits | permissions }

  /// The SHA-256 of its bytes in hex digits, if it is known without reading them: for links, and for regular files of
  /// at most one chunk. Nil otherwise.
  public var sha256: String? {
    if let target { return ObjectID(hashing: target).description }
    guard let content else { return nil }
    return content.level < 2 ? (content.level == 0 ? ObjectID(hashing: []) : content.id).description : nil
  }
}

extension FileEntry {
  package init(_ entry: TreeEntry) {
    let metadata = entry.metadata
    permissions = metadata.permissions
    user = metadata.user
    group = metadata.group
    modified = SnapshotTime(metadata.modified)
    attributes = metadata.attributes.map { Attribute(name: $0.name, value: $0.value) }
    tree = entry.tree
    var size: UInt64 = 0
    var target: [UInt8]?
    var device: Device?
    var content: FileContent?
    switch entry.content {
    case .file(let bytes, let place):
      type = .file
      size = bytes
      content = place
    case .directory:
      type = .directory
    case .symbolicLink(let bytes):
      type = .link
      size = UInt64(bytes.count)
      target = bytes
    case .fifo:
      type = .fifo
    case .characterDevice(let major, let minor):
      type = .characterDevice
      device = Device(major: major, minor: minor)
    case .blockDevice(let major, let minor):
      type = .blockDevice
      device = Device(major: major, minor: minor)
    }
    self.size = size
    self.target = target
    self.device = device
    self.content = content
  }
}

extension FileEntry {
  /// A saved value, shown as a file.
  package init(value: SizedContent, at time: Timestamp) {
    type = .file
    permissions = 0o644
    user = 0
    group = 0
    modified = SnapshotTime(time)
    attributes = []
    size = value.size
    content = value.content
    tree = nil
  }
}
