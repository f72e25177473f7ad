// What root makes in a folder of another user is given to that user at once, before others rely on it. Otherwise one
// command run by root would leave files behind that the owner of the folder cannot open.
//
// Only a file that this process has just made is given away. A file that was there may be a hard link to something that
// the owner must not have.

extension Descriptor {
  /// Whether files that this process makes here belong to somebody else than the folder does, and that can be changed.
  private var ownerToServe: (user: UInt32, group: UInt32)? {
    get throws(Errno) {
      guard Host.isSuperuser else { return nil }
      let status = try status()
      return status.user == Host.effectiveUser ? nil : (status.user, status.group)
    }
  }

  /// As root: gives this new file to the owner of `folder`. Does nothing for other users.
  package func giveToOwner(of folder: borrowing Descriptor) throws(Errno) {
    if let owner = try folder.ownerToServe { try setOwner(user: owner.user, group: owner.group) }
  }

  /// Makes a new file that belongs to the owner of this folder.
  package func createOwned(_ name: [UInt8], permissions: UInt32 = 0o600) throws(Errno) -> Descriptor {
    let file = try open(name, .create, permissions: permissions)
    do throws(Errno) {
      try file.giveToOwner(of: self)
    } catch {
      removeUnneeded(name)
      throw error
    }
    return file
  }

  /// As root, in a folder of another user: makes the file where it is missing, so that whoever opens it next need not.
  package func createOwnedIfMissing(_ name: [UInt8]) throws(Errno) {
    guard try ownerToServe != nil else { return }
    do throws(Errno) {
      try createOwned(name).finish()
    } catch {
      if error != .exists { throw error }
    }
  }

  /// Makes a folder that belongs to the owner of this one, and opens it.
  package func makeOwnedDirectory(_ name: [UInt8], permissions: UInt32 = 0o700) throws(Errno) -> Descriptor {
    try makeDirectory(name, permissions: permissions)
    let made = try open(name, .directory)
    if let owner = try ownerToServe {
      // The owner of this folder may have put another one in its place.
      guard try made.status().user == Host.effectiveUser, try DirectoryListing(reading: made).count == 0 else {
        throw .stale
      }
      try made.setOwner(user: owner.user, group: owner.group)
    }
    return made
  }
}
