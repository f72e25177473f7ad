// Where new files wait before they take their places, and old ones after they have lost theirs: on the file system of the
// folder, so that a rename is all it takes.

internal import MementoStore
internal import MementoSystem

struct StagingFolder: Sendable {
  let name: String
  let directory: SharedDescriptor
  private let parent: SharedDescriptor
  private let entryName: [UInt8]

  /// Makes a new one.
  init(making repository: Repository) throws(RepositoryError) {
    let time = Clock.now()
    name = "restore-\(Host.processID)-\(time.seconds)\(time.nanoseconds)"
    (parent, entryName) = try StagingFolder.place(name, repository)
    do throws(Errno) {
      try parent.descriptor.makeDirectory(entryName)
      directory = SharedDescriptor(try parent.descriptor.open(entryName, .directory))
    } catch {
      throw RepositoryError(
        .system, "cannot make a staging folder: \(error)", advice: RepositoryError.advice(for: error),
        systemError: error.code)
    }
  }

  /// Opens what an interrupted restore left; nil when there is nothing.
  init?(named name: String, of repository: Repository) throws(RepositoryError) {
    // Whoever reads `refs` has checked it; but what is opened here is removed in the end, and a path would lead anywhere.
    guard name.hasPrefix("restore-"), !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    self.name = name
    (parent, entryName) = try StagingFolder.place(name, repository)
    guard let open = try? parent.descriptor.open(entryName, .directory) else { return nil }
    directory = SharedDescriptor(open)
  }

  private static func place(
    _ name: String, _ repository: Repository
  ) throws(RepositoryError) -> (SharedDescriptor, [UInt8]) {
    let root = try repository.root
    do throws(Errno) {
      let temporary = try repository.store.folder.temporary.duplicate()
      if try temporary.status().device == (try root.descriptor.status().device) {
        return (SharedDescriptor(temporary), Array(name.utf8))
      }
      return (root, ReservedName.staging + Array(name.utf8.dropFirst("restore-".utf8.count)))
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
  }

  /// The name of a file that waits for its place.
  func staged(_ item: Int) -> [UInt8] { Array("\(item)".utf8) }

  /// The name of something that was in the way or is no longer wanted.
  func trashed(_ item: Int) -> [UInt8] { Array("old-\(item)".utf8) }

  func remove() {
    try? parent.descriptor.removeTree(entryName)
  }
}
