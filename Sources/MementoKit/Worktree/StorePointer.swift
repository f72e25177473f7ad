// The pointer from a folder to a store elsewhere: a small `.memento/` with a file `store`, which holds one line with
// the path of the store. Store and folder must agree: this is the folder's part, and the line `folder` in the store's
// config is the other.

internal import MementoStore
internal import MementoSystem

struct StorePointer {
  /// The path of the store.
  var store: BytePath
  /// The fork that the folder is; nil for the main folder of the store.
  var fork: ForkID?

  static let fileName = Array("store".utf8)
  /// The file with the id of a fork.
  static let forkName = Array("fork".utf8)
  private static let largest = 64 << 10
  private static let gitignore = Array("# Leads to a memento store: it is not part of what git keeps.\n*\n".utf8)

  /// What the files of a `.memento/` say; nil when it has no file `store`. The files must have the owner of the folder.
  static func read(in folder: OpenFolder) throws(RepositoryError) -> StorePointer? {
    guard let line = try line(of: fileName, in: folder) else { return nil }
    guard let store = PercentText.decode(line).map({ BytePath($0) }), store.isAbsolute, !store.bytes.contains(0) else {
      throw bad(fileName, in: folder, "does not name a store", .badPointer)
    }
    guard let text = try self.line(of: forkName, in: folder) else { return StorePointer(store: store) }
    guard let fork = ForkID(String(decoding: text, as: UTF8.self)) else {
      throw bad(forkName, in: folder, "does not name a fork", .badForkName)
    }
    return StorePointer(store: store, fork: fork)
  }

  /// The fork that the folder at a path is; nil when it is none, or there is no such folder.
  static func fork(of path: BytePath) throws(RepositoryError) -> ForkID? { try at(path)?.fork }

  /// The pointer in the folder at a path; nil when there is none, or no such folder.
  static func at(_ path: BytePath) throws(RepositoryError) -> StorePointer? {
    let inside = path.appending(ReservedName.store)
    guard try OpenFolder.identity(ifThere: inside) != nil else { return nil }
    return try read(in: OpenFolder(inside))
  }

  private static func bad(
    _ name: [UInt8], in folder: OpenFolder, _ what: String, _ reason: RepositoryError.Reason
  ) -> RepositoryError {
    let path = folder.path.appending(name)
    return RepositoryError(.damaged, "\(path) \(what)", reason: reason, path: path)
  }

  /// The first line of a file; nil when there is no such file.
  private static func line(of name: [UInt8], in folder: OpenFolder) throws(RepositoryError) -> ArraySlice<UInt8>? {
    do throws(Errno) {
      guard try folder.shared.descriptor.statusIfPresent(of: name) != nil else { return nil }
      let file = try folder.shared.descriptor.open(name, .read)
      let status = try file.status()
      // Other users may be able to write into the folder.
      guard status.isRegular, status.user == folder.status.user else { throw .notPermitted }
      return try file.contents(limit: largest).prefix { $0 != UInt8(ascii: "\n") }
    } catch {
      let path = folder.path.appending(name)
      throw RepositoryError(.system, "cannot read \(path): \(error)", path: path, systemError: error.code)
    }
  }

  /// Makes the pointer in a folder, completely or not at all. Leaves an existing `.memento` as it is.
  func leave(in folder: borrowing Descriptor, isDurable: Bool) throws(Errno) {
    let aside = StorePointer.asideName()
    let pointer = try folder.makeOwnedDirectory(aside)
    do throws(Errno) {
      let line = Array((PercentText.encode(store.bytes) + "\n").utf8)
      var files = [(Array(".gitignore".utf8), StorePointer.gitignore), (StorePointer.fileName, line)]
      if let fork { files.append((StorePointer.forkName, Array("\(fork)\n".utf8))) }
      for (name, content) in files {
        let file = try pointer.createOwned(name)
        try file.write(content)
        if isDurable { try file.flush() }
        try file.finish()
      }
      if isDurable { try pointer.flushDirectory() }
      try folder.rename(aside, to: ReservedName.store, in: folder, .noReplace)
    } catch {
      try? folder.removeTree(aside)  // its name is reserved: no save records it
      if error == .exists { return }
      throw error
    }
    if isDurable { try folder.flushDirectory() }
  }

  private static func asideName() -> [UInt8] {
    let time = Clock.now()
    return ReservedName.pointer + Array("\(Host.processID)-\(time.seconds)\(time.nanoseconds)".utf8)
  }

  /// Removes the pointer of a fork from its folder, and nothing else that lies beside it.
  static func removeFork(_ fork: ForkID, from folder: OpenFolder) throws(RepositoryError) {
    let path = folder.path.appending(ReservedName.store)
    do throws(Errno) {
      let pointer: OpenFolder
      do throws(Errno) {
        pointer = try OpenFolder(
          adopting: try folder.shared.descriptor.open(ReservedName.store, .directory), path: path)
      } catch {
        if error == .notFound { return }
        throw error
      }
      let bytes = try pointer.shared.descriptor.contents(of: forkName, limit: largest)
      guard bytes == Array("\(fork)\n".utf8) else { return }
      // One rename ends the pointer. What a kill leaves after that has a reserved name, so no save records it.
      let aside = asideName()
      try folder.shared.descriptor.rename(ReservedName.store, to: aside, in: folder.shared.descriptor, .noReplace)
      for name in [Array(".gitignore".utf8), forkName, fileName] { pointer.shared.descriptor.removeUnneeded(name) }
      // Whatever else lies there is not memento's to remove.
      guard try DirectoryListing(reading: pointer.shared.descriptor).count == 0 else {
        try folder.shared.descriptor.rename(aside, to: ReservedName.store, in: folder.shared.descriptor, .noReplace)
        return
      }
      try folder.shared.descriptor.removeDirectory(aside)
    } catch {
      throw RepositoryError(.system, "cannot remove \(path): \(error)", path: path, systemError: error.code)
    }
  }
}
