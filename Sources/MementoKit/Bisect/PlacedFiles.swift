// What was put into a scratch folder, so that it can be told what a command has touched there since. A file counts as
// untouched while its status is the same, with the time of its last change, which no program can set.

internal import MementoStore
internal import MementoSystem

/// All entries of a tree, by path.
struct WantedEntries {
  private(set) var entries: [BytePath: TreeEntry] = [:]

  init(
    of tree: ObjectID, in source: any MetaSource, room: RestoreRoom, monitor: any Monitor
  ) throws(RepositoryError) {
    var newcomers = NewEntries(room, of: tree, in: source)
    var folders = [BytePath("")]
    var entries: [BytePath: TreeEntry] = [:]
    var failure: RepositoryError?
    try translating { () throws(StoreError) in
      try TreeDiff(old: source, new: source, monitor: monitor).walk(from: nil, to: tree, label: 0) {
        (folder, _, entry) throws(StoreError) in
        guard let entry else { return .pass }
        do throws(RepositoryError) {
          try newcomers.add()
        } catch {
          failure = error
          return .stop
        }
        let path = folders[folder].appending(entry.name)
        entries[path] = entry
        guard entry.isDirectory else { return .pass }
        folders.append(path)
        return .enter(folders.count - 1)
      }
    }
    if let failure { throw failure }
    self.entries = entries
  }
}

struct PlacedFiles {
  private struct File {
    let entry: TreeEntry
    let status: FileStatus
  }

  /// The clock of a file system may stand still for so many nanoseconds. A change within this time after a file was put there
  /// may not show.
  private static let tick: UInt32 = 50_000_000

  /// The folder; nil before anything was put there.
  private(set) var root: FileIdentity?
  private var files: [BytePath: File] = [:]

  init() {}

  /// Notes the files in `root`, of which all are new or untouched. `outer`: a folder beside them, for the time on the clock of
  /// the file system.
  init(in root: SharedDescriptor, _ wanted: WantedEntries, beside outer: SharedDescriptor) throws(Errno) {
    self.root = try root.descriptor.status().identity
    var pending = [DirectoryHandle(root: root, pool: HandlePool())]
    while let folder = pending.popLast() {
      let directory = try folder.open()
      for name in try DirectoryListing(reading: directory.descriptor).all {
        let path = folder.path(of: name)
        guard let entry = wanted.entries[path] else { continue }
        if entry.isDirectory {
          pending.append(DirectoryHandle(parent: folder, name: name))
          continue
        }
        let status = try directory.descriptor.status(of: name)
        // What is written to one name of a file shows at the others.
        if status.linkCount == 1 { files[path] = File(entry: entry, status: status) }
      }
    }
    // A change within one tick of the clock would not show, so nothing is run before the clock has moved on.
    try outer.descriptor.setPermissions(0o700)
    let now = try outer.descriptor.status().changed
    if files.values.contains(where: { $0.status.changed >= now.before(PlacedFiles.tick) }) {
      Clock.sleep(seconds: Double(PlacedFiles.tick) / 1e9)
    }
  }

  /// Removes everything from `root` but what `wanted` has in the same way. Returns the paths of what is left.
  func clear(_ root: SharedDescriptor, for wanted: WantedEntries) throws(Errno) -> Set<BytePath> {
    var present: Set<BytePath> = []
    var pending = [DirectoryHandle(root: root, pool: HandlePool())]
    while let folder = pending.popLast() {
      let directory = try folder.open()
      for name in try DirectoryListing(reading: directory.descriptor).all {
        let path = folder.path(of: name)
        let status = try directory.descriptor.status(of: name)
        if let entry = wanted.entries[path], try canStay(name, path, status, entry, in: directory.descriptor) {
          present.insert(path)
          if entry.isDirectory { pending.append(DirectoryHandle(parent: folder, name: name)) }
        } else {
          try directory.descriptor.removeAny(name)
        }
      }
    }
    return present
  }

  private func canStay(
    _ name: [UInt8], _ path: BytePath, _ status: FileStatus, _ entry: TreeEntry, in directory: borrowing Descriptor
  ) throws(Errno) -> Bool {
    if entry.isDirectory { return try PlacedFiles.canReuse(name, status, in: directory) }
    guard let file = files[path] else { return false }
    return file.entry == entry && file.status.isSame(as: status)
  }

  /// Whether a folder can be filled again: it has nothing that is not set again, and that new files would get from it. Opens
  /// it to its owner.
  static func canReuse(
    _ name: [UInt8], _ status: FileStatus, in directory: borrowing Descriptor
  ) throws(Errno) -> Bool {
    guard status.isDirectory, status.permissions & 0o6000 == 0 else { return false }
    try directory.setPermissions(of: name, 0o700)
    // The system puts a label on every file by its own policy.
    return try directory.open(name, .directory).extendedAttributes()
      .allSatisfy { $0.name.elementsEqual("security.selinux".utf8) }
  }
}

extension FileStatus {
  /// Whether nothing was done to a file. The number of its blocks changes by itself while it is written out.
  fileprivate func isSame(as other: FileStatus) -> Bool {
    var copy = other
    copy.blocks = blocks
    return copy == self
  }
}

extension Timestamp {
  /// The time so many nanoseconds earlier; less than a second.
  fileprivate func before(_ step: UInt32) -> Timestamp {
    if nanoseconds >= step { return Timestamp(seconds: seconds, nanoseconds: nanoseconds - step) }
    return Timestamp(seconds: adding(seconds: -1).seconds, nanoseconds: nanoseconds + 1_000_000_000 - step)
  }
}

extension DirectoryListing {
  /// All names.
  var all: [[UInt8]] { (0..<count).map { name(at: $0) } }
}

extension Descriptor {
  /// Removes a file, or a folder with everything in it.
  func removeAny(_ name: [UInt8]) throws(Errno) {
    if try status(of: name).isDirectory { try removeTree(name) } else { try removeFile(name) }
  }
}
