// Removing a folder with all that is in it, by descriptors, at any depth, without recursion.

extension Descriptor {
  /// Removes a directory of ours and everything below. Links are removed, not followed.
  package func removeTree(_ name: [UInt8]) throws(Errno) {
    var frames: [(name: [UInt8], folders: [[UInt8]]?, above: FileIdentity?)] = [(name, nil, nil)]
    // The folder that holds the last frame; two descriptors are enough at any depth.
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
        // Somebody may have moved the folder meanwhile: then its parent is none of ours.
        parent = try parent.open(Array("..".utf8), .directory)
        guard try parent.status().identity == above else { throw .stale }
      }
    }
  }

  /// Removes all but the folders from a folder here, and returns their names.
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
