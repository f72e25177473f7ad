// The folder that holds new files before they are put in place, and old files after that. It is on the file system of
// the working folder, so that a rename is enough. Only this user can change what is in it.

internal import MementoStore
internal import MementoSystem

struct StagingFolder: Sendable {
  let name: String
  let directory: SharedDescriptor
  private let parent: SharedDescriptor
  private let entryName: [UInt8]

  /// Makes a new staging folder.
  init(making repository: Repository) throws(RepositoryError) {
    let time = Clock.now()
    name = "\(StagedName.folderPrefix)\(Host.processID)-\(time.seconds)\(time.nanoseconds)"
    (parent, entryName) = try StagingFolder.place(name, repository)
    do throws(Errno) {
      try parent.descriptor.makeDirectory(entryName)
      directory = SharedDescriptor(try parent.descriptor.open(entryName, .directory))
      // The owner of the parent may have put another folder in its place.
      let status = try directory.descriptor.status()
      guard status.user == Host.effectiveUser, status.permissions & 0o077 == 0,
        try DirectoryListing(reading: directory.descriptor).count == 0
      else { throw .stale }
    } catch {
      throw RepositoryError(
        .system, "cannot make a staging folder: \(error)",
        systemError: error.code)
    }
  }

  /// Opens the staging folder of an interrupted restore; nil when there is none.
  init?(named name: String, of repository: Repository) throws(RepositoryError) {
    // The reader of `refs` has checked the name. It is checked again, because this folder is removed in the end, and a
    // path could lead anywhere.
    guard name.hasPrefix(StagedName.folderPrefix), !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    self.name = name
    (parent, entryName) = try StagingFolder.place(name, repository)
    do throws(Errno) {
      directory = SharedDescriptor(try parent.descriptor.open(entryName, .directory))
    } catch {
      if error == .notFound { return nil }
      // It belongs to the user who began the restore.
      let reason: RepositoryError.Reason? = error == .permissionDenied ? .inaccessibleStaging : nil
      throw RepositoryError(
        .system, "cannot open the staging folder of the interrupted restore: \(error)", reason: reason,
        systemError: error.code)
    }
  }

  private static func place(
    _ name: String, _ repository: Repository
  ) throws(RepositoryError) -> (SharedDescriptor, [UInt8]) {
    let root = try repository.root
    do throws(Errno) {
      let temporary = repository.worktree.staging
      if try temporary.descriptor.status().device == (try root.descriptor.status().device) {
        return (temporary, Array(name.utf8))
      }
      return (
        root, ReservedName.staging + Array(name.utf8.dropFirst(StagedName.folderPrefix.utf8.count))
      )
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
  }

  /// Removes the folder with all that is in it. The caller must know that all of it is saved.
  func remove() {
    // After a failure, files remain that nobody needs. The next save tries again.
    try? parent.descriptor.removeStaging(directory.descriptor, named: entryName)
  }

  /// Moves the folder to a place where it is never removed, and gives it to the owner of that place.
  func move(to newName: [UInt8], in folder: borrowing Descriptor) throws(Errno) {
    try parent.descriptor.rename(entryName, to: newName, in: folder, .noReplace)
    // The folder is kept in any case. If this fails, only the user who made it can open it.
    try? directory.descriptor.open(StagedName.list, .read).giveToOwner(of: folder)
    try? directory.descriptor.giveToOwner(of: folder)
  }
}
