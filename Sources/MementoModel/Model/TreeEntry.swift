// An entry of a tree: a name, its metadata and its content.

package import MementoInode
package import MementoTime

/// Everything about a file except its name and its content.
package struct FileMetadata: Equatable, Sendable {
  /// The permission bits with setuid, setgid and sticky: octal 0 to 7777.
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

/// Where the bytes of a file are: nowhere, in one chunk, or in a list of chunks.
package struct FileContent: Hashable, Sendable {
  /// 0: the file has no bytes. 1: `id` is its only chunk, so it is the SHA-256 of the file. 2 or more: `id` is a chunk
  /// list of that height.
  package var level: UInt8
  package var id: ObjectID

  @inlinable package init(level: UInt8, id: ObjectID) {
    self.level = level
    self.id = id
  }

  @inlinable package static var empty: FileContent { FileContent(level: 0, id: .zero) }
  /// The largest level. It is more than any file needs: lists of at least 32 pieces reach 32 to the 12th power.
  @inlinable package static var highestLevel: UInt8 { 12 }
}

/// The content of an entry.
package enum EntryContent: Equatable, Sendable {
  case file(size: UInt64, FileContent)
  /// The id of its tree.
  case directory(ObjectID)
  /// The target of the link.
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

/// An entry of a tree.
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

  /// The tree of a directory. Nil for anything else.
  @inlinable package var tree: ObjectID? {
    if case .directory(let id) = content { return id }
    return nil
  }
}

extension FileMetadata {
  /// Whether a file on disk has this mode, owner and time, and the type and size of `content`.
  @inlinable package func matches(_ status: FileStatus, _ content: EntryContent) -> Bool {
    guard content.kind == status.kind, permissions == status.permissions, user == status.user, group == status.group,
      modified == status.modified
    else { return false }
    if case .file(let size, _) = content { return size == status.size }
    return true
  }
}

extension TreeEntry {
  /// Whether a file on disk has the type, mode, owner, size and time of this entry.
  @inlinable package func matches(_ status: FileStatus) -> Bool { metadata.matches(status, content) }
}

/// Checks the names of entries.
package enum EntryName {
  /// The most bytes in a name. ext4, XFS, btrfs and APFS allow no more.
  @inlinable package static var longest: Int { 255 }

  /// Why a name cannot be in a tree. Nil when it can.
  @inlinable package static func refusal(_ name: some Collection<UInt8>) -> String? {
    if name.isEmpty { return "an empty name" }
    if name.count > longest { return "a name of more than \(longest) bytes" }
    if name.contains(UInt8(ascii: "/")) || name.contains(0) { return "a name with a slash or a NUL" }
    if name.first != UInt8(ascii: ".") { return nil }
    if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return "the name . or .." }
    if isStore(name) { return "the name .memento" }
    return nil
  }

  /// Whether a name is that of a store, in upper or lower case. Saves never record it, and restores never write it.
  @inlinable package static func isStore(_ name: some Collection<UInt8>) -> Bool {
    guard name.count == 8, name.first == UInt8(ascii: ".") else { return false }
    return zip(name, ".memento".utf8).dropFirst().allSatisfy { ($0 | 0x20) == $1 }
  }
}
