// When root makes a file in a folder of another user, the file is given to that user at once, before another process
// relies on it. Otherwise one command that root runs would leave files that the owner of the folder cannot open.
//
// Only a file that this process has just made is given away. A file that was there before may be a hard link to a file
// that the owner of the folder must not have.

extension Descriptor {
  /// The user and group that new files in this folder must be given to. nil when this process is not root or the folder
  /// is its own.
  private var ownerToServe: (user: UInt32, group: UInt32)? {
    get throws(Errno) {
      guard Host.isSuperuser else { return nil }
      let status = try status()
      return status.user == Host.effectiveUser ? nil : (status.user, status.group)
    }
  }

  /// As root, gives this new file to the owner of `folder`. For other users it does nothing.
  package func giveToOwner(of folder: borrowing Descriptor) throws(Errno) {
    if let owner = try folder.ownerToServe { try setOwner(user: owner.user, group: owner.group) }
  }

  /// Makes a new file in this folder that belongs to the owner of the folder. Throws `.exists` when the name is taken.
  /// After an error the file is removed again.
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

  /// As root in a folder of another user, makes the file if it is missing, so that the next open of it does not make a
  /// file of root. In all other cases it does nothing.
  package func createOwnedIfMissing(_ name: [UInt8]) throws(Errno) {
    guard try ownerToServe != nil else { return }
    do throws(Errno) {
      try createOwned(name).finish()
    } catch {
      if error != .exists { throw error }
    }
  }

  /// Makes a folder that belongs to the owner of this one, and opens it. Throws `.stale` when another process has put
  /// another folder in its place.
  package func makeOwnedDirectory(_ name: [UInt8], permissions: UInt32 = 0o700) throws(Errno) -> Descriptor {
    try makeDirectory(name, permissions: permissions)
    let made = try open(name, .directory)
    if let owner = try ownerToServe {
      // The owner of the parent folder may have put another folder in its place. Such a folder must not be given away.
      guard try made.status().user == Host.effectiveUser, try DirectoryListing(reading: made).count == 0 else {
        throw .stale
      }
      try made.setOwner(user: owner.user, group: owner.group)
    }
    return made
  }
}
