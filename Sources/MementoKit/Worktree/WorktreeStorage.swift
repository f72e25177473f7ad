// What memento keeps about the working folder: `rules`, `rescue/`, the staging folders in `tmp/`, and the stat cache in
// `cache/`. It is in the store's folder but is not a part of the store, so a remote store would not have it.

internal import MementoStore
internal import MementoSystem

struct WorktreeStorage: Sendable {
  private static let rescueName = Array("rescue".utf8)
  private static let cacheName = Array("cache".utf8)

  private let folder: StoreFolder
  private let healed: HealedFiles
  private let cache: SharedDescriptor
  /// The fork that this is about; nil for the main folder.
  private let fork: ForkID?
  /// The names of its files: those of the main folder have no suffix.
  let rulesName: [UInt8]
  let statCacheName: [UInt8]
  /// Where staging folders are: `tmp/`.
  let staging: SharedDescriptor

  /// `folder`: the folder that holds all this. Makes `cache/` again when it is missing. `healed`: notes what was damaged and
  /// read from a copy. `fork`: the fork that it is about.
  init(in folder: StoreFolder, _ healed: HealedFiles, of fork: ForkID? = nil) throws(StoreError) {
    self.fork = fork
    rulesName = ForkID.name(PersistedRules.name, of: fork)
    statCacheName = ForkID.name(StatCache.fileName, of: fork)
    self.folder = folder
    self.healed = healed
    staging = SharedDescriptor(try folder.openDerived(StoreFolder.temporaryName))
    cache = SharedDescriptor(try folder.openDerived(WorktreeStorage.cacheName))
  }

  /// The path of `rules` in the store, for messages.
  var rulesPath: String { String(decoding: rulesName, as: UTF8.self) }

  /// False with `--no-sync`.
  var isDurable: Bool { folder.isDurable }

  // MARK: Small files

  /// The content of a file; nil when there is none. Throws `.rangeError` when it has more than `limit` bytes.
  func contents(of name: [UInt8], limit: Int) throws(Errno) -> [UInt8]? {
    try folder.contents(ofFile: name, limit: limit)
  }

  /// The content of `rules`; that of the second copy where the file has rotted. Nil when there is none. Throws as `contents`
  /// does.
  func healedRules(_ name: [UInt8], limit: Int) throws(Errno) -> [UInt8]? {
    let found: Result<[UInt8]?, Errno>
    do throws(Errno) { found = .success(try contents(of: name, limit: limit)) } catch { found = .failure(error) }
    let now = try? found.get()  // what cannot be read is compared with nothing
    if case .success(nil) = found { return nil }
    guard let copy = folder.copyOfRotten(file: name, now: now ?? nil) else { return try found.get() }
    healed.add(.rules)
    return copy
  }

  /// The second copy of a file. Nil when there is none that is whole.
  func copy(of name: [UInt8]) throws(StoreError) -> [UInt8]? {
    try folder.copy(ofFile: name)
  }

  /// Replaces `rules` as a whole, and its second copy. `kind`: the prefix of its temporary name.
  func replace(_ name: [UInt8], with bytes: [UInt8], _ kind: String) throws(Errno) {
    try folder.replaceFile(name, with: bytes, kind)
    healed.remove(.rules)
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

  /// The folder for files that a restore has rescued. Makes it when it is missing.
  func openRescue() throws(Errno) -> Descriptor {
    try folder.openOrMake(WorktreeStorage.rescueName)
  }

  /// The name of the folder for rescued files.
  static var rescueFolder: [UInt8] { rescueName }

  /// An empty file without a name, which disappears when it is closed.
  func makeUnnamed(_ kind: String) throws(Errno) -> SharedDescriptor {
    try folder.makeTemporary(kind).file
  }

  // MARK: The stat cache

  /// The stat cache of the last save.
  func openStatCache() throws(Errno) -> Descriptor {
    try cache.descriptor.open(statCacheName, .read)
  }

  /// A file for the next stat cache.
  func makeStatCache() throws(Errno) -> TemporaryFile {
    try folder.makeTemporary("stat")
  }

  /// Puts a new stat cache in place. It is derived data, so it is not flushed.
  func placeStatCache(_ file: consuming TemporaryFile) throws(Errno) {
    try file.place(as: statCacheName, in: cache.descriptor)
  }

  /// What merges have made of packs; of none where the file is missing or cannot be read, which only costs time.
  func mergedPacks() -> MergedPacks {
    derived(MergedPacks.fileName, limit: MergedPacks.sizeLimit).flatMap { MergedPacks($0) } ?? MergedPacks()
  }

  /// A file in `cache/`. Nil where it is missing or cannot be read, as if it had never been there.
  func derived(_ name: [UInt8], limit: Int) -> [UInt8]? {
    do throws(Errno) {
      return try cache.descriptor.contents(of: name, limit: limit)
    } catch {
      return nil
    }
  }

  /// The first bytes of a file in `cache/`. Nil where it is missing or cannot be read.
  func derivedHead(_ name: [UInt8], count: Int) -> [UInt8]? {
    do throws(Errno) {
      return try cache.descriptor.open(name, .read).bytes(at: 0, count: count)
    } catch {
      return nil
    }
  }

  /// Removes a file in `cache/`, if that is possible.
  func dropDerived(_ name: [UInt8]) {
    cache.descriptor.removeUnneeded(name)
  }

  /// Replaces a file in `cache/`. It is derived data, so it is not flushed, and an error does not matter. Returns whether it
  /// was replaced.
  @discardableResult
  func keepDerived(_ name: [UInt8], _ bytes: [UInt8]) -> Bool {
    guard let file = try? folder.makeTemporary("stat") else { return false }  // as above
    do throws(Errno) {
      try file.write(bytes)
      try file.place(as: name, in: cache.descriptor)
      return true
    } catch {
      return false
    }
  }

  /// What saves have changed; of none where the file is missing or cannot be read.
  func savedChanges() -> SavedChanges {
    SavedChanges(derived(SavedChanges.fileName, limit: SavedChanges.sizeLimit) ?? [])
  }

  /// Adds an entry to what saves have changed, and drops the oldest half of a full file. It is derived data: it is not
  /// flushed, and an error does not matter.
  func add(_ entry: [UInt8]?) {
    guard let entry else { return }
    do throws(Errno) {
      try cache.descriptor.createOwnedIfMissing(SavedChanges.fileName)
      let file = try cache.descriptor.open(SavedChanges.fileName, .append)
      let status = try file.status()
      guard status.isRegular else { return }
      // In one call, so that two saves do not mix their entries.
      try file.write(status.size == 0 ? SavedChanges.magic + entry : entry)
      if status.size + UInt64(entry.count) > UInt64(SavedChanges.fullSize) { keepSavedChanges { _ in true } }
    } catch {
      // As above.
    }
  }

  /// Writes what saves have changed anew: the newest of the wanted entries.
  func keepSavedChanges(where isWanted: (ObjectID) -> Bool) {
    guard let bytes = derived(SavedChanges.fileName, limit: SavedChanges.sizeLimit) else {
      return dropDerived(SavedChanges.fileName)
    }
    let kept = SavedChanges.content(of: bytes, most: SavedChanges.fullSize / 2, where: isWanted)
    if kept != bytes { keepDerived(SavedChanges.fileName, kept) }
  }

  /// Removes the stat caches of all folders. If that fails, saves do not trust them once their packs are gone.
  func dropStatCaches() {
    let suffix = StatCache.fileName + Array("-".utf8)
    folder.removeUnneeded(in: WorktreeStorage.cacheName) { $0 == StatCache.fileName || $0.starts(with: suffix) }
  }

  /// Removes what a fork has here for itself alone, once it is forgotten. What cannot be removed takes space, and no more.
  func removeAll() {
    guard let fork else { return }
    cache.descriptor.removeUnneeded(statCacheName)
    // The fork's rules protect only its own folder.
    try? remove(rulesName)
    folder.removeFolderLock(of: fork)
  }
}
