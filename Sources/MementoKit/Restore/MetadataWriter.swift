// Sets owner, attributes, mode and time in an order in which no step undoes another. A change of owner clears setuid
// and capabilities, an ACL changes the mode, and every change sets the time.

internal import MementoSystem

struct MetadataWriter: Sendable {
  let problems: RestoreProblems
  let rights: RestoreRights
  private let isSuperuser = Host.isSuperuser
  private let newFileOwner = (user: Host.effectiveUser, group: Host.effectiveGroup)
  /// The bits that the system removes from the mode of new files; nil when that is not known.
  private let mask: UInt32?
  /// Whether other users can put another file under a name before its metadata is set.
  private let isFolderShared: Bool

  /// `folder`: the folder in which files are made, if any. New files in it do not simply get the mode that they are
  /// made with when the folder passes on its group or an ACL.
  init(_ problems: RestoreProblems, _ rights: RestoreRights, makingFilesIn folder: SharedDescriptor? = nil) {
    self.problems = problems
    self.rights = rights
    // When the look fails, the code assumes the worse case, which only needs more calls.
    let status = try? folder?.descriptor.status()
    isFolderShared = status?.isOpenToOthers ?? true
    guard let folder, let status, let attributes = try? folder.descriptor.extendedAttributes(),
      status.permissions & 0o2000 == 0,
      !attributes.contains(where: { $0.name.elementsEqual("system.posix_acl_default".utf8) })
    else {
      mask = nil
      return
    }
    mask = Host.fileModeMask()
  }

  /// Sets all metadata of an open file or directory. `old`: its present metadata; nil for a new file.
  func apply(
    _ metadata: FileMetadata, to file: borrowing Descriptor, isDirectory: Bool = false, path: () -> BytePath,
    replacing old: FileMetadata? = nil
  ) throws(Errno) {
    let ownership = setOwner(metadata, old, path) { (user, group) throws(Errno) in
      try file.setOwner(user: user, group: group)
    }
    var before = old?.attributes ?? []
    // A change of owner removes capabilities.
    if ownership.isChanged { before.removeAll { $0.name.elementsEqual("security.capability".utf8) } }
    if let old, old.attributes != metadata.attributes, old.permissions & 0o200 == 0, !isSuperuser {
      // Changing attributes needs write permission, also for the owner. If this call fails, the calls below fail, too.
      try? file.setPermissions(old.permissions & 0o1777 | 0o200)
    }
    for attribute in metadata.attributes where !before.contains(attribute) {
      set(attribute, path) { () throws(Errno) in try file.setExtendedAttribute(attribute) }
    }
    for attribute in before where !metadata.attributes.contains(where: { $0.name == attribute.name }) {
      report(attribute, path) { () throws(Errno) in try file.removeExtendedAttribute(attribute.name) }
    }
    let kept = ownership.isChanged ? 0 : old?.permissions ?? 0
    try file.setPermissions(permissions(metadata, ownership.isRight, keeping: kept, isDirectory: isDirectory, path))
    try file.setModified(metadata.modified)
  }

  /// Sets all metadata of a link, fifo or device that was just made and that cannot be opened. Returns false for a
  /// device whose owner could not be set; the caller must remove it.
  func complete(
    _ entry: TreeEntry, _ name: [UInt8], in directory: borrowing Descriptor, path: () -> BytePath
  ) throws(Errno) -> Bool {
    // Where nobody else can change names, no descriptor is needed.
    if !isFolderShared { return try complete(entry, NamedNode(name: name), in: directory, path) }
    let node = try directory.open(name, .node)
    let status = try node.status()
    guard status.kind == entry.content.kind, status.user == newFileOwner.user else { throw .stale }
    return try complete(entry, OpenNode(), in: node, path)
  }

  private func complete(
    _ entry: TreeEntry, _ node: some NewNode, in place: borrowing Descriptor, _ path: () -> BytePath
  ) throws(Errno) -> Bool {
    let metadata = entry.metadata
    let ownership = setOwner(metadata, nil, path) { (user, group) throws(Errno) in
      try node.setOwner(in: place, user: user, group: group)
    }
    switch entry.content {
    case .characterDevice, .blockDevice: if !ownership.isDone { return false }
    default: break
    }
    for attribute in metadata.attributes {
      set(attribute, path) { () throws(Errno) in try node.set(attribute, in: place) }
    }
    if entry.content.kind != .symbolicLink {
      try node.setPermissions(
        in: place, permissions(metadata, ownership.isRight, keeping: 0, isDirectory: false, path))
    }
    try node.setModified(in: place, metadata.modified)
    return true
  }

  /// The mode for making a file. It is the recorded mode when the file then needs nothing else. Otherwise only the
  /// owner can open the file until it is complete.
  func modeForMaking(_ metadata: FileMetadata) -> UInt32 {
    isRightWhenMade(metadata) ? metadata.permissions : 0o600
  }

  /// Whether a file that is made with the recorded mode gets exactly this mode and the right owner.
  private func isRightWhenMade(_ metadata: FileMetadata) -> Bool {
    guard let mask else { return false }
    return metadata.user == newFileOwner.user && metadata.group == newFileOwner.group
      && rights.owner(of: metadata) == newFileOwner
      && metadata.permissions & (mask | 0o7000) == 0 && metadata.permissions & 0o600 == 0o600
      && metadata.attributes.isEmpty
  }

  /// Completes a file that was made with `modeForMaking`.
  func complete(
    _ metadata: FileMetadata, _ file: borrowing Descriptor, path: () -> BytePath
  ) throws(Errno) {
    if isRightWhenMade(metadata) { return try file.setModified(metadata.modified) }
    try apply(metadata, to: file, path: path)
  }

  private struct Ownership {
    /// The file has the recorded owner. Only then may setuid and setgid be set.
    var isRight: Bool
    /// The owner was set, or was already right.
    var isDone = true
    var isChanged = true
  }

  private func setOwner(
    _ metadata: FileMetadata, _ old: FileMetadata?, _ path: () -> BytePath,
    _ set: (UInt32, UInt32) throws(Errno) -> Void
  ) -> Ownership {
    let owner = rights.owner(of: metadata)
    let isForeign = owner.user != metadata.user
    if isForeign { problems.reportForeignOwner(path()) }
    if let old, old.user == owner.user, old.group == owner.group {
      return Ownership(isRight: !isForeign, isChanged: false)
    }
    do throws(Errno) {
      try set(owner.user, owner.group)
      return Ownership(isRight: !isForeign)
    } catch {
      if isSuperuser {
        problems.report(path(), "owner not restored: \(error)")
      } else {
        // The user may belong to the group, so it is tried alone. A failure needs no report of its own: the note covers
        // it.
        try? set(.max, owner.group)
        problems.noteOwner(path())
      }
      return Ownership(isRight: false, isDone: false)
    }
  }

  /// The permissions to set. `old`: the permissions of a file that is changed in place. It may keep its setuid and
  /// setgid bits.
  private func permissions(
    _ metadata: FileMetadata, _ isOwnerRight: Bool, keeping old: UInt32, isDirectory: Bool, _ path: () -> BytePath
  ) -> UInt32 {
    let privileges = metadata.permissions & 0o6000
    if privileges == 0 { return metadata.permissions }
    if !isOwnerRight { return metadata.permissions & 0o1777 }
    // On a directory, these bits only decide which group new files get.
    if rights.allowsPrivileges || isDirectory || privileges & ~old == 0 { return metadata.permissions }
    problems.reportWithheld(path(), "setuid and setgid")
    return metadata.permissions & 0o1777
  }

  private func set(_ attribute: ExtendedAttribute, _ path: () -> BytePath, _ set: () throws(Errno) -> Void) {
    guard rights.refuses(attribute) else { return report(attribute, path, set) }
    let name = String(decoding: attribute.name, as: UTF8.self)
    // The system labels every file anew by its own policy.
    problems.reportWithheld(path(), "attribute \(name)", isNote: name == "security.selinux")
  }

  private func report(
    _ attribute: ExtendedAttribute, _ path: () -> BytePath, _ set: () throws(Errno) -> Void
  ) {
    do throws(Errno) {
      try set()
    } catch {
      let name = String(decoding: attribute.name, as: UTF8.self)
      // Only root can set these. For a user, the restore is complete without them.
      let isPrivileged = !isSuperuser && (name.hasPrefix("security.") || name.hasPrefix("trusted."))
      problems.report(path(), "attribute \(name) not restored: \(error)", isNote: isPrivileged)
    }
  }
}

extension FileStatus {
  /// Whether another user can change the names in this directory.
  var isOpenToOthers: Bool { user != Host.effectiveUser || permissions & 0o022 != 0 }
}

/// A new link, fifo or device whose metadata is set: by its name where nobody else can change names, otherwise through
/// a descriptor.
private protocol NewNode {
  func setOwner(in place: borrowing Descriptor, user: UInt32, group: UInt32) throws(Errno)
  func setPermissions(in place: borrowing Descriptor, _ permissions: UInt32) throws(Errno)
  func setModified(in place: borrowing Descriptor, _ time: Timestamp) throws(Errno)
  func set(_ attribute: ExtendedAttribute, in place: borrowing Descriptor) throws(Errno)
}

private struct NamedNode: NewNode {
  let name: [UInt8]

  func setOwner(in place: borrowing Descriptor, user: UInt32, group: UInt32) throws(Errno) {
    try place.setOwner(of: name, user: user, group: group)
  }
  func setPermissions(in place: borrowing Descriptor, _ permissions: UInt32) throws(Errno) {
    try place.setPermissions(of: name, permissions)
  }
  func setModified(in place: borrowing Descriptor, _ time: Timestamp) throws(Errno) {
    try place.setModified(of: name, time)
  }
  func set(_ attribute: ExtendedAttribute, in place: borrowing Descriptor) throws(Errno) {
    try place.setExtendedAttribute(attribute, of: name)
  }
}

/// Here `place` is the descriptor of the node itself.
private struct OpenNode: NewNode {
  func setOwner(in place: borrowing Descriptor, user: UInt32, group: UInt32) throws(Errno) {
    try place.setOwnerOfNode(user: user, group: group)
  }
  func setPermissions(in place: borrowing Descriptor, _ permissions: UInt32) throws(Errno) {
    try place.setPermissionsOfNode(permissions)
  }
  func setModified(in place: borrowing Descriptor, _ time: Timestamp) throws(Errno) {
    try place.setModifiedOfNode(time)
  }
  func set(_ attribute: ExtendedAttribute, in place: borrowing Descriptor) throws(Errno) {
    try place.setExtendedAttributeOfNode(attribute)
  }
}
