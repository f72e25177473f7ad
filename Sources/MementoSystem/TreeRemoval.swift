// Removes a folder with its whole content, through descriptors. It works at any depth and does not recurse.

extension Descriptor {
  /// Removes the directory `name`, which the store owns, and everything below it. Links are removed and not followed.
  /// Throws `.stale` when another process moves a folder meanwhile.
  package func removeTree(_ name: [UInt8]) throws(Errno) {
    var frames: [(name: [UInt8], folders: [[UInt8]]?, above: FileIdentity?)] = [(name, nil, nil)]
    // The folder that contains the last frame. Two open descriptors are enough at any depth.
    var parent = try duplicate()
    while let top = frames.last {
      var folders: [[UInt8]]
      if let known = top.folders {
        folders = known
      } else {
        folders = try parent.emptyFiles(of: top.name)
      }
      let next = folders.popLast()
      frames[frames.count - 1].folders = folders
      if let next {
        frames.append((next, nil, try parent.status().identity))
        parent = try parent.open(top.name, .directory)
      } else {
        try parent.removeDirectory(top.name)
        frames.removeLast()
        guard let above = top.above else { continue }
        // Another process may have moved the folder. Then its parent is not the one that we came from.
        parent = try parent.open(Array("..".utf8), .directory)
        guard try parent.status().identity == above else { throw .stale }
      }
    }
  }

  /// Removes everything but the folders from the folder `name`. Returns the names of those folders.
  private func emptyFiles(of name: [UInt8]) throws(Errno) -> [[UInt8]] {
    try setPermissions(of: name, 0o700)
    let folder = try open(name, .directory)
    let listing = try DirectoryListing(reading: folder)
    var folders: [[UInt8]] = []
    for index in 0..<listing.count {
      let entry = listing.name(at: index)
      do throws(Errno) {
        try folder.removeFile(entry)
      } catch {
        guard error == .isDirectory || error == .notPermitted else { throw error }
        folders.append(entry)
      }
    }
    return folders
  }
}
