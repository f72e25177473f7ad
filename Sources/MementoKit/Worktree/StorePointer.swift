// The pointer from a folder to a store elsewhere: a small `.memento/` with a file `store`, which holds one line with
// the path of the store. Store and folder must agree: this is the folder's part, and the line `folder` in the store's
// config is the other.

internal import MementoStore
internal import MementoSystem

enum StorePointer {
  static let fileName = Array("store".utf8)
  private static let largest = 64 << 10
  private static let gitignore = Array("# Leads to a memento store: it is not part of what git keeps.\n*\n".utf8)

  /// The path in the `store` file of a `.memento/`; nil when there is no such file. The file must have the owner of the
  /// folder.
  static func read(in folder: OpenFolder) throws(RepositoryError) -> BytePath? {
    let path = folder.path.appending(fileName)
    let bytes: [UInt8]
    do throws(Errno) {
      guard try folder.shared.descriptor.statusIfPresent(of: fileName) != nil else { return nil }
      let file = try folder.shared.descriptor.open(fileName, .read)
      let status = try file.status()
      // Other users may be able to write into the folder.
      guard status.isRegular, status.user == folder.status.user else { throw .notPermitted }
      bytes = try file.contents(limit: largest)
    } catch {
      throw RepositoryError(.system, "cannot read \(path): \(error)", path: path, systemError: error.code)
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard let store = PercentText.decode(line).map({ BytePath($0) }), store.isAbsolute, !store.bytes.contains(0) else {
      throw RepositoryError(
        .damaged, "\(path) does not name a store", reason: .badPointer, path: path)
    }
    return store
  }

  /// Makes a pointer in a folder, completely or not at all. Leaves an existing `.memento` as it is.
  static func leave(in folder: borrowing Descriptor, to store: BytePath, isDurable: Bool) throws(Errno) {
    let time = Clock.now()
    let aside = ReservedName.pointer + Array("\(Host.processID)-\(time.seconds)\(time.nanoseconds)".utf8)
    let pointer = try folder.makeOwnedDirectory(aside)
    do throws(Errno) {
      let line = Array((PercentText.encode(store.bytes) + "\n").utf8)
      for (name, content) in [(Array(".gitignore".utf8), gitignore), (fileName, line)] {
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
}
