// A folder outside of the working folder into which one snapshot after the other is put, for commands that may change what
// they find there. It is made of copies alone: a hard link to a file of the working folder would let such a command write
// into that. From one snapshot to the next, only what differs is written, and whatever was touched meanwhile.

internal import MementoStore
internal import MementoSystem

/// A folder that is a snapshot, and then another one. Neither the store nor the working folder changes. Use it from one
/// thread.
public final class ScratchFolder {
  /// The folder that becomes the snapshots. It has the name of the working folder.
  public let path: BytePath
  /// The folder around it. Only its owner can enter it.
  public let container: BytePath
  private let repository: Repository
  private let above: SharedDescriptor
  private let outer: SharedDescriptor
  private let outerName: [UInt8]
  private let name: [UInt8]
  private let rights: RestoreRights
  /// What is known to be in the folder as it was put there.
  private var placed = PlacedFiles()
  private var isRemoved = false

  init(_ repository: Repository, in place: BytePath) throws(RepositoryError) {
    for taken in [repository.folder, repository.storePath] where taken.components.count > 0 {
      if place == taken || place.bytes.starts(with: taken.bytes + [UInt8(ascii: "/")]) {
        throw RepositoryError(
          .invalidArgument, "\(place) is inside of \(taken), which must stay as it is", reason: .scratchInside,
          path: place)
      }
    }
    self.repository = repository
    let own = repository.folder.components.last ?? Array("folder".utf8)
    var outerName: [UInt8] = []
    do throws(Errno) {
      above = SharedDescriptor(try Descriptor.open(place.bytes, .namedDirectory))
      repeat {
        outerName = Array("memento-bisect-\(String(UInt64.random(in: .min ... .max), radix: 36))".utf8)
      } while try !ScratchFolder.make(outerName, in: above)
      outer = SharedDescriptor(try above.descriptor.open(outerName, .directory))
      try ScratchFolder.close(outer)
    } catch {
      throw RepositoryError(
        .system, "cannot make a folder in \(place): \(error)", path: place, systemError: error.code)
    }
    self.outerName = outerName
    name = own
    container = place.appending(outerName)
    path = container.appending(own)
    // The folder itself gets the owner of the snapshot. The one around it says whose it is.
    rights = try RestoreRights(repository, into: outer, asRecorded: false)
  }

  private static func make(_ name: [UInt8], in above: SharedDescriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      try above.descriptor.makeDirectory(name)
      return true
    } catch {
      if error == .exists { return false }
      throw error
    }
  }

  /// Checks that the new folder is that which was made, and that nothing in it gets a group or an ACL of others.
  private static func close(_ outer: SharedDescriptor) throws(Errno) {
    guard try outer.descriptor.status().user == Host.effectiveUser,
      try DirectoryListing(reading: outer.descriptor).count == 0
    else { throw .stale }
    try outer.descriptor.setPermissions(0o700)
    for attribute in try outer.descriptor.extendedAttributes() {
      if attribute.name.starts(with: "system.posix_acl".utf8) {
        try outer.descriptor.removeExtendedAttribute(attribute.name)
      }
    }
  }

  /// Makes the folder exactly a snapshot. Returns what could not be made; after such a problem, and after an error, the next
  /// call makes all of it anew. Throws `.noSuchState` for a snapshot that gc has removed.
  public func put(
    _ snapshot: SnapshotID, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> [Problem] {
    try repository.runHolding(try repository.lockForReading(monitor)) { () throws(RepositoryError) in
      try place(snapshot, monitor)
    }
  }

  private func place(_ id: SnapshotID, _ monitor: any Monitor) throws(RepositoryError) -> [Problem] {
    guard try repository.isStored(id.object), let stored = try repository.record(of: id.object) else {
      throw RepositoryError(
        .noSuchState, "snapshot \(id.short) is gone", reason: .collectedSnapshot, revision: Revision(id.description))
    }
    guard case .tree(let tree, let metadata) = stored.record.body else {
      throw RepositoryError(
        .wrongKind, "\(id.short) is a single value, not a folder", reason: .valueNeedsNoFolder,
        revision: Revision(id.description))
    }
    monitor.begin(.restoring)
    let before = placed
    placed = PlacedFiles()
    try checkMounts()
    let root = try openRoot(besides: before)
    let source = ScratchObjects(over: repository.store)
    let wanted = try WantedEntries(
      of: tree, in: source, room: RestoreRoom(repository.store, in: outer), monitor: monitor)
    let present = try attempting("clear") { () throws(Errno) in try before.clear(root, for: wanted) }
    let extraction = ExtractOperation.Extraction(
      repository, monitor: monitor, root: root, source: source, rights, present: present)
    var summary = RestoreSummary(
      snapshot: Snapshot(stored), guard: nil, created: 0, replaced: 0, removed: 0, metadata: 0, bytesWritten: 0,
      rescued: [], problems: [], plan: [], isCommitted: true)
    try extraction.run(tree, rootMetadata: metadata, into: &summary)
    let everything = PathFilter([])
    try SnapshotLists(repository).forEachLink(of: stored.record) { (name, isFirst) throws(RepositoryError) in
      try extraction.link(name, isFirst: isFirst, everything, in: tree)
      return true
    }
    let made = try attempting("read") { () throws(Errno) in try PlacedFiles(in: root, wanted, beside: outer) }
    try extraction.finish(metadata, into: &summary)
    if summary.problems.allSatisfy(\.isNote) { placed = made }
    return summary.problems
  }

  /// Opens the folder. It is made anew unless it is the one that was left there and can be used as it is.
  private func openRoot(besides before: PlacedFiles) throws(RepositoryError) -> SharedDescriptor {
    try attempting("make") { () throws(Errno) in
      for entry in try DirectoryListing(reading: outer.descriptor).all where entry != name {
        try outer.descriptor.removeAny(entry)
      }
      if let status = try outer.descriptor.statusIfPresent(of: name) {
        if status.identity == before.root, try PlacedFiles.canReuse(name, status, in: outer.descriptor) {
          return SharedDescriptor(try outer.descriptor.open(name, .directory))
        }
        try outer.descriptor.removeAny(name)
      }
      try outer.descriptor.makeDirectory(name)
      return SharedDescriptor(try outer.descriptor.open(name, .directory))
    }
  }

  /// Removes the folder with everything in it. Does nothing when it was removed before.
  public func remove() throws(RepositoryError) {
    if isRemoved { return }
    try checkMounts()
    try attempting("remove") { () throws(Errno) in
      if try above.descriptor.statusIfPresent(of: outerName)?.identity == outer.descriptor.status().identity {
        try above.descriptor.removeTree(outerName)
      }
    }
    isRemoved = true
  }

  /// Throws when a command has mounted something in the folder: it would be emptied with it.
  private func checkMounts() throws(RepositoryError) {
    let place = try attempting("look at") { () throws(Errno) in try MountTable.first(in: container.bytes) }
    guard let place else { return }
    throw RepositoryError(
      .system, "\(container) is left as it is: something is mounted at \(BytePath(place))", path: container,
      systemError: Errno.busy.code)
  }

  private func attempting<Result>(
    _ verb: String, _ body: () throws(Errno) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(
        .system, "cannot \(verb) the scratch folder \(path): \(error)", path: path, systemError: error.code)
    }
  }
}

extension Repository {
  /// Makes a new scratch folder in `place`, an absolute path without symbolic links. Throws `.invalidArgument` when that is in
  /// the working folder or in the store. The caller removes it.
  public func makeScratchFolder(in place: BytePath) throws(RepositoryError) -> ScratchFolder {
    try ScratchFolder(self, in: place)
  }
}
