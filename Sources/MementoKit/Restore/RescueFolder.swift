// `.memento/rescue/`: content that appeared between the guard snapshot and the moment its place was taken. Never removed
// by memento.

internal import MementoStore
internal import MementoSystem

struct RescueFolder: Sendable {
  private static let name = Array("rescue".utf8)
  private let repository: Repository
  private let staging: StagingFolder
  private let root: SharedDescriptor

  init(_ repository: Repository, _ staging: StagingFolder) throws(RepositoryError) {
    self.repository = repository
    self.staging = staging
    root = try repository.root
  }

  /// Moves something out of the staging folder; returns where it is now.
  func keep(_ staged: [UInt8], as path: BytePath) -> BytePath? {
    let flat = path.bytes.suffix(200).map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "+") : $0 }
    let name = Array("\(staging.name)-".utf8) + flat
    do throws(Errno) {
      do throws(Errno) {
        try repository.store.folder.root.makeDirectory(RescueFolder.name)
      } catch {
        if error != .exists { throw error }
      }
      let folder = try repository.store.folder.root.open(RescueFolder.name, .directory)
      do throws(Errno) {
        try staging.directory.descriptor.rename(staged, to: name, in: folder, .noReplace)
        return repository.storePath.appending(RescueFolder.name).appending(name)
      } catch {
        // The store is on another file system: it stays beside the folder's files.
        guard error == .crossDevice else { throw error }
        let beside = ReservedName.rescue + name
        try staging.directory.descriptor.rename(staged, to: beside, in: root.descriptor, .noReplace)
        return BytePath(beside)
      }
    } catch {
      return nil
    }
  }
}
