// Files of a store that no snapshot knows: those that restores have rescued, those that repairs have put aside, and what
// could not be removed. A purge removes what certainly comes from its paths, and names all that may hold something of it.

internal import MementoStore
internal import MementoSystem

struct PurgeRemains {
  /// A file in `damaged/` of more bytes is named without a look into it.
  private static let largestText = 64 << 20

  private let repository: Repository
  private let folder: StoreFolder
  /// Without empty names.
  private let paths: [BytePath]
  private let filter: PathFilter
  /// What is needed after the purge.
  private let needed: BlobSet

  init(_ repository: Repository, of paths: [BytePath], needed: BlobSet) {
    self.repository = repository
    folder = repository.store.folder
    self.paths = paths
    filter = PathFilter(paths)
    self.needed = needed
  }

  // MARK: What restores have rescued

  /// The rescued files that certainly come from the paths, by their names in `rescue/`.
  func rescued() throws(RepositoryError) -> [[UInt8]] {
    if paths.isEmpty { return [] }
    return try names(WorktreeStorage.rescueFolder).filter { origin(of: $0) == .purged }
  }

  /// Removes rescued files. Returns those that are still there.
  func remove(_ rescued: [[UInt8]]) throws(RepositoryError) {
    let names = Set(rescued)
    try translating { () throws(StoreError) in
      try folder.remove(from: WorktreeStorage.rescueFolder) { names.contains($0) }
    }
  }

  private enum Origin {
    case purged
    case other
    case unknown
  }

  /// Where a file in `rescue/` comes from, by its name.
  private func origin(of name: [UInt8]) -> Origin {
    guard let path = RescueFolder.path(of: name) else { return .unknown }
    switch path {
    case .digest(let digest):
      return paths.contains { RescueFolder.digest(of: $0) == digest } ? .purged : .unknown
    case .whole(let path):
      // `a.2` may be the second file that was rescued from `a`.
      let isSelected = filter.contains(path)
      guard let first = RescueFolder.withoutNumber(path) else { return isSelected ? .purged : .other }
      return isSelected == filter.contains(first) ? (isSelected ? .purged : .other) : .unknown
    }
  }

  /// What restores have kept in the working folder, because the store is on another file system. It is not removed: a
  /// purge does not touch the folder.
  private func inFolder() throws(RepositoryError) -> [PurgeRemainder] {
    // Where the folder may not be used, nothing can be said of it.
    guard let root = try? repository.root else { return [] }
    do throws(Errno) {
      let listing = try DirectoryListing(reading: root.descriptor.open(Array(".".utf8), .directory))
      return (0..<listing.count).map { listing.name(at: $0) }.filter { name in
        name.starts(with: ReservedName.staging)
          || (name.starts(with: ReservedName.rescue)
            && origin(of: Array(name.dropFirst(ReservedName.rescue.count))) != .other)
      }.map { name in
        PurgeRemainder(
          file: repository.folder.appending(name), detail: "a restore kept it, and it may come from there")
      }
    } catch {
      throw RepositoryError(.system, "cannot read \(repository.folder): \(error)", systemError: error.code)
    }
  }

  // MARK: What stays

  /// All files that may hold something of what was purged. `removed`: rescued files that are going to be removed.
  func list(besides removed: [[UInt8]]) throws(RepositoryError) -> [PurgeRemainder] {
    let gone = Set(removed)
    var found: [PurgeRemainder] = []
    if !paths.isEmpty {
      for name in try names(WorktreeStorage.rescueFolder) where !gone.contains(name) && origin(of: name) != .other {
        found.append(remainder(WorktreeStorage.rescueFolder, name, "a restore kept it, and it may come from there"))
      }
      found += try inFolder()
    }
    for name in try names(StoreFolder.damagedName) {
      if let detail = suspicion(ofDamaged: name) { found.append(remainder(StoreFolder.damagedName, name, detail)) }
    }
    if let detail = try suspicionOfRules() {
      found.append(PurgeRemainder(file: BytePath(PersistedRules.name), detail: detail))
      if try names(StoreFolder.backupName).contains(PersistedRules.name) {
        found.append(remainder(StoreFolder.backupName, PersistedRules.name, "it is a copy of rules"))
      }
    }
    return found
  }

  /// What should be gone, and is still there.
  func leftovers() throws(RepositoryError) -> [PurgeRemainder] {
    var found: [PurgeRemainder] = []
    for name in try names(StoreFolder.temporaryName) where !name.starts(with: "index-".utf8) {
      found.append(remainder(StoreFolder.temporaryName, name, "a killed process left it, and it could not be removed"))
    }
    for name in try names(StoreFolder.cacheName) where [StatCache.fileName, SavedChanges.fileName].contains(name) {
      found.append(remainder(StoreFolder.cacheName, name, "it could not be removed"))
    }
    let stray = try translating { () throws(StoreError) in
      try repository.store.packs.parity?.packs().subtracting(repository.store.index.presentPacks()) ?? []
    }
    for pack in stray.sorted() {
      found.append(remainder(StoreFolder.parityName, Array("\(pack).par".utf8), "it could not be removed"))
    }
    if folder.mayHaveUnsynced {
      found.append(PurgeRemainder(file: "unsynced", detail: "it names snapshots from before"))
    }
    for index in found.indices { found[index].isUnfinished = true }
    return found
  }

  private func suspicion(ofDamaged name: [UInt8]) -> String? {
    if PackName.id(fromFileName: name.prefix(69)) != nil {
      guard let blobs = folder.blobs(ofDamaged: name) else {
        return "a repair put it aside, and it cannot be told what it holds"
      }
      return blobs.allSatisfy { needed.contains($0) } ? nil : "a repair put it aside, and it holds what is not needed"
    }
    guard let bytes = folder.contents(of: name, in: StoreFolder.damagedName, limit: PurgeRemains.largestText) else {
      return "a repair put it aside, and it cannot be told what it holds"
    }
    // Parity has copies of what is in packs.
    if bytes.starts(with: "memento par".utf8) { return "a repair put it aside, and it is a copy of parts of a pack" }
    return names(bytes) ? "a repair put it aside, and it names one of the paths" : nil
  }

  /// Whether a text has one of the paths, as it is or as percent text.
  private func names(_ text: [UInt8]) -> Bool {
    paths.contains { path in
      contains(text, path.bytes) || contains(text, Array(PercentText.encode(path.bytes).utf8))
    }
  }

  private func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first, part.count <= text.count else { return false }
    var start = 0
    while let place = text[start...].firstIndex(of: first), place + part.count <= text.count {
      if text[place..<place + part.count].elementsEqual(part) { return true }
      start = place + 1
    }
    return false
  }

  /// The rules that a restore keeps hold rule files as they were.
  private func suspicionOfRules() throws(RepositoryError) -> String? {
    if paths.isEmpty { return nil }
    let sets: [RuleSet]
    do throws(RepositoryError) {
      var all: [RuleSet] = []
      for worktree in try repository.worktrees() { all += try PersistedRules(worktree).read() }
      sets = all
    } catch {
      guard error.isDamage || error.code == .newerFormat else { throw error }
      return "it cannot be told what it holds"
    }
    let folders = sets.flatMap { ($0.files ?? [:]).keys }
    let isPurged = folders.contains { folder in
      [Array(".mementoignore".utf8), Array(".gitignore".utf8)].contains {
        filter.contains(BytePath(folder).appending($0).bytes)
      }
    }
    return isPurged ? "it holds rule files as they were before a restore, until the next save" : nil
  }

  // MARK: Names

  private func names(_ folderName: [UInt8]) throws(RepositoryError) -> [[UInt8]] {
    try translating { () throws(StoreError) in try folder.names(in: folderName) }
  }

  private func remainder(_ folderName: [UInt8], _ name: [UInt8], _ detail: String) -> PurgeRemainder {
    PurgeRemainder(file: BytePath(folderName).appending(name), detail: detail)
  }
}
