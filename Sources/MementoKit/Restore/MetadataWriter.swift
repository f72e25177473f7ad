// Sets owner, attributes, mode and time, in the order in which none undoes another: a change of owner clears setuid, an
// ACL changes the mode, and everything changes the time.

internal import MementoSystem
internal import Synchronization

/// Problems of a restore, from all workers.
final class RestoreProblems: Sendable {
  private let monitor: any Monitor
  private let list = Mutex<[Problem]>([])
  private let ownerNoted = Atomic<Bool>(false)

  init(_ monitor: any Monitor) {
    self.monitor = monitor
  }

  var all: [Problem] { list.withLock { $0.sorted { $0.path < $1.path } } }

  func report(_ path: BytePath, _ message: String, isNote: Bool = false) {
    let problem = Problem(path: path, message: message, isNote: isNote)
    list.withLock { $0.append(problem) }
    monitor.report(problem)
  }

  /// Owners that only root can set are one note, not one a file.
  func noteOwner(_ path: BytePath) {
    if ownerNoted.exchange(true, ordering: .relaxed) { return }
    report(path, "owner or group not restored, here and elsewhere: only root can", isNote: true)
  }
}

struct MetadataWriter: Sendable {
  let problems: RestoreProblems
  private let isSuperuser = Host.isSuperuser
  private let newFileOwner = (user: Host.effectiveUser, group: Host.effectiveGroup)
  /// Bits that new files do not get; nil when that cannot be told.
  private let mask: UInt32?

  /// `folder`: where files are made, when they are: one that hands its group or an ACL down makes no plain files.
  init(_ problems: RestoreProblems, makingFilesIn folder: SharedDescriptor? = nil) {
    self.problems = problems
    guard let folder, let status = try? folder.descriptor.status(),
      let attributes = try? folder.descriptor.extendedAttributes(), status.permissions & 0o2000 == 0,
      !attributes.contains(where: { $0.name.elementsEqual("system.posix_acl_default".utf8) })
    else {
      mask = nil
      return
    }
    mask = Host.fileModeMask()
  }

  /// Everything, on an open file or directory.
  func apply(
    _ metadata: FileMetadata, to file: borrowing Descriptor, path: () -> BytePath, replacing old: FileMetadata? = nil
  ) throws(Errno) {
    let isOwned = setOwner(metadata, old, path) { (user, group) throws(Errno) in
      try file.setOwner(user: user, group: group)
    }
    let before = old?.attributes ?? []
    if let old, old.attributes != metadata.attributes, old.permissions & 0o200 == 0, !isSuperuser {
      // Only who may write to a file may change its attributes, its owner, too. If this fails, so does what follows.
      try? file.setPermissions(old.permissions & 0o1777 | 0o200)
    }
    for attribute in metadata.attributes where !before.contains(attribute) {
      report(attribute, path) { () throws(Errno) in try file.setExtendedAttribute(attribute) }
    }
    for attribute in before where !metadata.attributes.contains(where: { $0.name == attribute.name }) {
      report(attribute, path) { () throws(Errno) in try file.removeExtendedAttribute(attribute.name) }
    }
    try file.setPermissions(isOwned ? metadata.permissions : metadata.permissions & 0o1777)
    try file.setModified(metadata.modified)
  }

  /// Everything, on a name that cannot be opened: a link, fifo or device.
  func apply(
    _ entry: TreeEntry, to name: [UInt8], in directory: borrowing Descriptor, path: () -> BytePath,
    replacing old: FileMetadata? = nil
  ) throws(Errno) {
    let metadata = entry.metadata
    let isOwned = setOwner(metadata, old, path) { (user, group) throws(Errno) in
      try directory.setOwner(of: name, user: user, group: group)
    }
    let before = old?.attributes ?? []
    for attribute in metadata.attributes where !before.contains(attribute) {
      report(attribute, path) { () throws(Errno) in try directory.setExtendedAttribute(attribute, of: name) }
    }
    for attribute in before where !metadata.attributes.contains(where: { $0.name == attribute.name }) {
      report(attribute, path) { () throws(Errno) in try directory.removeExtendedAttribute(attribute.name, of: name) }
    }
    if entry.content.kind != .symbolicLink {
      try directory.setPermissions(of: name, isOwned ? metadata.permissions : metadata.permissions & 0o1777)
    }
    try directory.setModified(of: name, metadata.modified)
  }

  /// The mode with which a file is best made: its own when it needs nothing else, otherwise closed to everybody until it
  /// is complete.
  func modeForMaking(_ metadata: FileMetadata) -> UInt32 {
    isRightWhenMade(metadata) ? metadata.permissions : 0o600
  }

  /// Whether a file made with its mode has it, and its owner, too.
  private func isRightWhenMade(_ metadata: FileMetadata) -> Bool {
    guard let mask else { return false }
    return metadata.user == newFileOwner.user && metadata.group == newFileOwner.group
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

  /// False when the owner is not the recorded one: then setuid and setgid would give away rights.
  private func setOwner(
    _ metadata: FileMetadata, _ old: FileMetadata?, _ path: () -> BytePath,
    _ set: (UInt32, UInt32) throws(Errno) -> Void
  ) -> Bool {
    if let old, old.user == metadata.user, old.group == metadata.group { return true }
    do throws(Errno) {
      try set(metadata.user, metadata.group)
      return true
    } catch {
      // The group alone may be one of ours.
      if !isSuperuser { try? set(.max, metadata.group) }
      if isSuperuser { problems.report(path(), "owner not restored: \(error)") } else { problems.noteOwner(path()) }
      return metadata.permissions & 0o6000 == 0
    }
  }

  private func report(
    _ attribute: ExtendedAttribute, _ path: () -> BytePath, _ set: () throws(Errno) -> Void
  ) {
    do throws(Errno) {
      try set()
    } catch {
      let name = String(decoding: attribute.name, as: UTF8.self)
      // Only root sets these; a user's restore is whole without them.
      let isPrivileged = !isSuperuser && (name.hasPrefix("security.") || name.hasPrefix("trusted."))
      problems.report(path(), "attribute \(name) not restored: \(error)", isNote: isPrivileged)
    }
  }
}
