// The folder `remotes/` of a store: a folder for each remote, with what is known of it.

internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteFolder {
  private static let name = Array("remotes".utf8)
  private static let entryName = Array("remote".utf8)
  private static let seenName = Array("seen".utf8)
  private static let stepsName = Array("steps".utf8)
  private static let outlinesName = Array("indexes".utf8)
  private static let openingName = Array("opened".utf8)
  /// A list of names of a remote, 1 GiB at most.
  private static let seenLimit = 1 << 30

  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  private func attempting<Result: ~Copyable>(
    _ operation: String, _ path: String, _ body: () throws(Errno) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(.system, "cannot \(operation) .memento/\(path): \(error)", systemError: error.code)
    }
  }

  /// The folder of all remotes; nil when there is none.
  private func folder() throws(RepositoryError) -> Descriptor? {
    try attempting("open", "remotes") { () throws(Errno) in
      do throws(Errno) {
        return try repository.store.folder.open(RemoteFolder.name)
      } catch {
        if error == .notFound { return nil }
        throw error
      }
    }
  }

  /// The names of all remotes, sorted.
  func names() throws(RepositoryError) -> [String] {
    guard let folder = try folder() else { return [] }
    let listing = try attempting("read", "remotes") { () throws(Errno) in try DirectoryListing(reading: folder) }
    return (0..<listing.count).compactMap { index in
      guard let name = String(validating: listing.name(at: index), as: UTF8.self), !name.hasPrefix(".") else {
        return nil
      }
      return name
    }.sorted()
  }

  /// What is known of a remote. Throws `.noSuchRemote`.
  func entry(_ name: String) throws(RepositoryError) -> RemoteEntry {
    if let entry = try entryIfKnown(name) { return entry }
    throw RepositoryError(.noSuchRemote, "there is no remote \"\(name)\"")
  }

  /// What is known of a remote; nil when there is none of this name, which may be one that no remote can have.
  func entryIfKnown(_ name: String) throws(RepositoryError) -> RemoteEntry? {
    guard RemoteName.isValid(name) else { return nil }
    guard let bytes = try contents(of: RemoteFolder.entryName, name, limit: RemoteEntry.limit) else { return nil }
    return try RemoteEntry(bytes, name: name)
  }

  /// Whether snapshots of others may be here: some came from a remote. Where that cannot be known, they may.
  func hasReceived() throws(RepositoryError) -> Bool {
    for name in try names() {
      do throws(RepositoryError) {
        if try entryIfKnown(name)?.hasGiven == true { return true }
      } catch {
        guard error.code == .damaged || error.code == .newerFormat else { throw error }
        return true
      }
    }
    return false
  }

  /// The bytes of what was last seen of a remote; nil when nothing was.
  func seen(_ name: String) throws(RepositoryError) -> [UInt8]? {
    try contents(of: RemoteFolder.seenName, name, limit: RemoteFolder.seenLimit)
  }

  private func contents(of file: [UInt8], _ name: String, limit: Int) throws(RepositoryError) -> [UInt8]? {
    try RemoteName.validate(name)
    guard let folder = try folder() else { return nil }
    return try attempting("read", "remotes/\(name)") { () throws(Errno) in
      guard try folder.statusIfPresent(of: Array(name.utf8)) != nil else { return nil }
      return try folder.open(Array(name.utf8), .directory).contents(of: file, limit: limit)
    }
  }

  /// Keeps what is known of a remote, durably.
  func keep(_ entry: RemoteEntry, _ name: String) throws(RepositoryError) {
    try replace(RemoteFolder.entryName, with: entry.encoded(), name)
  }

  /// What is remembered of a remote.
  func memory(of name: String, _ entry: RemoteEntry) throws(RepositoryError) -> RefsMark {
    guard let writer = WriterID(hex: entry.writer) else {
      throw RepositoryError(.damaged, "remotes/\(name)/remote names no writer", reason: .damagedRemote)
    }
    let empty = RefsMark(repository: entry.repository, isSealed: entry.isSealed, writer: writer)
    guard let bytes = try seen(name) else { return empty }
    do throws(RemoteError) {
      let known = try RefsMark(bytes)
      // A copy of a store, or another repository: what was seen there does not count.
      return known.repository == entry.repository && known.writer == writer ? known : empty
    } catch {
      throw RepositoryError(.damaged, "remotes/\(name)/seen cannot be read: \(error)", reason: .damagedRemote)
    }
  }

  /// What is known of the indexes of a remote.
  func outlines(_ name: String) throws(RepositoryError) -> IndexOutlines {
    try contents(of: RemoteFolder.outlinesName, name, limit: RemoteFolder.seenLimit).map { IndexOutlines($0) }
      ?? IndexOutlines()
  }

  /// How a remote was opened the last time; nil when that is not known.
  func opening(_ name: String) throws(RepositoryError) -> RemoteOpening? {
    try contents(of: RemoteFolder.openingName, name, limit: RemoteOpening.limit).flatMap { RemoteOpening($0) }
  }

  /// Keeps how a remote was opened.
  func keep(_ opening: RemoteOpening, _ name: String) throws(RepositoryError) {
    if try self.opening(name) == opening { return }
    try replace(RemoteFolder.openingName, with: opening.encoded(), name)
  }

  /// Keeps what is known of the indexes of a remote.
  func keep(outlines bytes: [UInt8], _ name: String) throws(RepositoryError) {
    try replace(RemoteFolder.outlinesName, with: bytes, name)
  }

  /// Keeps what was seen of a remote.
  func keep(seen bytes: [UInt8], _ name: String) throws(RepositoryError) {
    try replace(RemoteFolder.seenName, with: bytes, name)
  }

  /// The list of steps that this store has pushed last, as a blob; nil when there is none here.
  func steps(_ name: String) throws(RepositoryError) -> [UInt8]? {
    try contents(of: RemoteFolder.stepsName, name, limit: StepList.largest)
  }

  /// Keeps the list of steps that was pushed.
  func keep(steps bytes: [UInt8], _ name: String) throws(RepositoryError) {
    try replace(RemoteFolder.stepsName, with: bytes, name)
  }

  private func replace(_ file: [UInt8], with bytes: [UInt8], _ name: String) throws(RepositoryError) {
    let store = repository.store.folder
    let folder = try make(name)
    try attempting("write", "remotes/\(name)") { () throws(Errno) in
      let temporary = try store.makeTemporary("remote")
      try temporary.write(bytes)
      try temporary.place(as: file, in: folder, durable: store.isDurable)
    }
  }

  /// Opens the folder of a remote, and makes it if there is none.
  func make(_ name: String) throws(RepositoryError) -> Descriptor {
    try RemoteName.validate(name)
    let store = repository.store.folder
    return try attempting("make", "remotes/\(name)") { () throws(Errno) in
      let all = try store.openOrMake(RemoteFolder.name)
      do throws(Errno) {
        return try all.open(Array(name.utf8), .directory)
      } catch {
        guard error == .notFound else { throw error }
        let made = try all.makeOwnedDirectory(Array(name.utf8))
        if store.isDurable { try all.flushDirectory() }
        return made
      }
    }
  }

  /// Forgets a remote.
  func remove(_ name: String) throws(RepositoryError) {
    try RemoteName.validate(name)
    guard let folder = try folder() else { return }
    try attempting("remove", "remotes/\(name)") { () throws(Errno) in
      // The entry first: without it there is no remote, whatever else is left.
      let own = try folder.open(Array(name.utf8), .directory)
      do throws(Errno) { try own.removeFile(RemoteFolder.entryName) } catch { if error != .notFound { throw error } }
      try own.flushDirectory()
      try folder.removeTree(Array(name.utf8))
    }
  }
}
