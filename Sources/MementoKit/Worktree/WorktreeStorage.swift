// What memento keeps about the working folder: `rules`, `rescue/`, the staging folders in `tmp/` and the stat cache in
// `cache/`. It lies in the folder of the store, and is no part of the store: a store elsewhere has none of it.

internal import MementoStore
internal import MementoSystem

struct WorktreeStorage: Sendable {
  private static let rescueName = Array("rescue".utf8)
  private static let cacheName = Array("cache".utf8)

  private let folder: StoreFolder
  private let cache: SharedDescriptor
  /// Where staging folders are: `tmp/`.
  let staging: SharedDescriptor

  /// `folder`: what this is kept in. `cache/` and `tmp/` are made anew when they are missing.
  init(in folder: StoreFolder) throws(StoreError) {
    self.folder = folder
    staging = SharedDescriptor(try folder.openDerived(StoreFolder.temporaryName))
    cache = SharedDescriptor(try folder.openDerived(WorktreeStorage.cacheName))
  }

  /// False under `--no-sync`.
  var isDurable: Bool { folder.isDurable }

  // MARK: Small files

  /// The content of a file; nil when there is none. Throws `.rangeError` when it has more than `limit` bytes.
  func contents(of name: [UInt8], limit: Int) throws(Errno) -> [UInt8]? {
    try folder.contents(ofFile: name, limit: limit)
  }

  /// Replaces a file as a whole. `kind`: what its name begins with until then.
  func replace(_ name: [UInt8], with bytes: [UInt8], _ kind: String) throws(Errno) {
    try folder.replaceFile(name, with: bytes, kind)
  }

  /// Removes a file; does nothing when there is none.
  func remove(_ name: [UInt8]) throws(Errno) {
    try folder.removeFile(name)
  }

  /// Moves a damaged file to `damaged/`, durably.
  func setAside(_ name: [UInt8], _ path: String) throws(StoreError) {
    try folder.setAside(name, path)
  }

  // MARK: Restores

  /// The names of all staging folders. Throws when they cannot be listed.
  func stagingNames() throws(Errno) -> [String] {
    let listing = try DirectoryListing(reading: staging.descriptor)
    return (0..<listing.count).map { String(decoding: listing.name(at: $0), as: UTF8.self) }
      .filter { $0.hasPrefix(StagedName.folderPrefix) }
  }

  /// The folder for what nobody has saved; made when it is missing.
  func openRescue() throws(Errno) -> Descriptor {
    try folder.openOrMake(WorktreeStorage.rescueName)
  }

  /// The name of that folder.
  static var rescueFolder: [UInt8] { rescueName }

  /// An empty file without a name: it goes when it is closed.
  func makeUnnamed(_ kind: String) throws(Errno) -> SharedDescriptor {
    try folder.makeTemporary(kind).file
  }

  // MARK: The stat cache

  /// The stat cache of the last save.
  func openStatCache() throws(Errno) -> Descriptor {
    try cache.descriptor.open(StatCache.fileName, .read)
  }

  /// A file for the next one.
  func makeStatCache() throws(Errno) -> TemporaryFile {
    try folder.makeTemporary("stat")
  }

  /// Puts a new one in its place. Not flushed: derived.
  func placeStatCache(_ file: consuming TemporaryFile) throws(Errno) {
    try file.place(as: StatCache.fileName, in: cache.descriptor)
  }

  /// Removes the stat cache. One that stays is not believed without its packs.
  func dropStatCache() {
    cache.descriptor.removeUnneeded(StatCache.fileName)
  }
}
