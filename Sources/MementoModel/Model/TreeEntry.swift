// One entry of a tree: a name, its metadata, and what it is.

package import MementoInode
package import MementoTime

/// Everything about a file but its name and content.
package struct FileMetadata: Equatable, Sendable {
  /// Octal 0 to 7777: with setuid, setgid and sticky.
  package var permissions: UInt32
  package var user: UInt32
  package var group: UInt32
  package var modified: Timestamp
  /// Sorted by name.
  package var attributes: [ExtendedAttribute]

  @inlinable package init(_ status: FileStatus, attributes: [ExtendedAttribute]) {
    permissions = status.permissions
    user = status.user
    group = status.group
    modified = status.modified
    self.attributes = attributes
  }

  @inlinable package init(
    permissions: UInt32, user: UInt32, group: UInt32, modified: Timestamp, attributes: [ExtendedAttribute] = []
  ) {
    self.permissions = permissions
    self.user = user
    self.group = group
    self.modified = modified
    self.attributes = attributes
  }
}

/// Where the bytes of a file are: nothing, one chunk, or a list of chunks of some height.
package struct FileContent: Hashable, Sendable {
  /// 0: no bytes. 1: `id` is the one chunk, so the SHA-256 of the file. 2 and more: `id` is a chunk list of that height.
  package var level: UInt8
  package var id: ObjectID

  @inlinable package init(level: UInt8, id: ObjectID) {
    self.level = level
    self.id = id
  }

  @inlinable package static var empty: FileContent { FileContent(level: 0, id: .zero) }
  /// More than any file can need: 32 chunks to the 12th power.
  @inlinable package static var highestLevel: UInt8 { 12 }
}

/// What an entry is.
package enum EntryContent: Equatable, Sendable {
  case file(size: UInt64, FileContent)
  /// The id of its tree.
  case directory(ObjectID)
  /// The bytes it points to.
  case symbolicLink([UInt8])
  case fifo
  case characterDevice(major: UInt32, minor: UInt32)
  case blockDevice(major: UInt32, minor: UInt32)

  @inlinable package var kind: FileKind {
    switch self {
    case .file: .regular
    case .directory: .directory
    case .symbolicLink: .symbolicLink
    case .fifo: .fifo
    case .characterDevice: .characterDevice
    case .blockDevice: .blockDevice
    }
  }
}

package struct TreeEntry: Equatable, Sendable {
  package var name: [UInt8]
  package var metadata: FileMetadata
  package var content: EntryContent

  @inlinable package init(name: [UInt8], metadata: FileMetadata, content: EntryContent) {
    self.name = name
    self.metadata = metadata
    self.content = content
  }

  @inlinable package var isDirectory: Bool { content.kind == .directory }

  /// The id of its tree, for a directory.
  @inlinable package var tree: ObjectID? {
    if case .directory(let id) = content { return id }
    return nil
  }
}

extension FileMetadata {
  /// Whether mode, owner and time, and the type and size of what is there, are those of a file.
  @inlinable package func matches(_ status: FileStatus, _ content: EntryContent) -> Bool {
    guard content.kind == status.kind, permissions == status.permissions, user == status.user, group == status.group,
      modified == status.modified
    else { return false }
    if case .file(let size, _) = content { return size == status.size }
    return true
  }
}

extension TreeEntry {
  /// Whether type, mode, owner, size and time are those of a file.
  @inlinable package func matches(_ status: FileStatus) -> Bool { metadata.matches(status, content) }
}

/// Which names may stand in a tree.
package enum EntryName {
  /// ext4, XFS, btrfs and APFS allow no more, bytes.
  @inlinable package static var longest: Int { 255 }

  /// The reason why a name cannot be an entry; nil when it can.
  @inlinable package static func refusal(_ name: some Collection<UInt8>) -> String? {
    if name.isEmpty { return "an empty name" }
    if name.count > longest { return "a name of more than \(longest) bytes" }
    if name.contains(UInt8(ascii: "/")) || name.contains(0) { return "a name with a slash or a NUL" }
    if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return "the name . or .." }
    if isStore(name) { return "the name .memento" }
    return nil
  }

  /// Whether a name is that of a store, in any case of letters: never recorded, never written.
  @inlinable package static func isStore(_ name: some Collection<UInt8>) -> Bool {
    guard name.count == 8, name.first == UInt8(ascii: ".") else { return false }
    return zip(name, ".memento".utf8).dropFirst().allSatisfy { ($0 | 0x20) == $1 }
  }
}
