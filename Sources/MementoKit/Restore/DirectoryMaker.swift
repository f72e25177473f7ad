// Makes the directories of a plan. Where another user can change names, root makes each directory in the staging folder
// and moves it to its place. So root knows its own directories when it sets modes and owners at the end.

internal import MementoStore
internal import MementoSystem

struct DirectoryMaker {
  private let plan: RestorePlan
  private let handles: [DirectoryHandle]
  private let staging: StagingFolder
  private let rights: RestoreRights
  private let report: (Int, String, Errno) -> Void

  init(
    _ plan: RestorePlan, _ handles: [DirectoryHandle], _ staging: StagingFolder, _ rights: RestoreRights,
    report: @escaping (Int, String, Errno) -> Void
  ) {
    self.plan = plan
    self.handles = handles
    self.staging = staging
    self.rights = rights
    self.report = report
  }

  func run() {
    for (index, directory) in plan.directories.enumerated() where directory.fate == .create {
      do throws(Errno) {
        try make(index, directory)
      } catch {
        // Nothing may be put into a directory that this restore does not know.
        handles[index].expect(FileIdentity.nowhere)
        report(index, "cannot be made", error)
      }
    }
  }

  private func make(_ index: Int, _ directory: PlanDirectory) throws(Errno) {
    let parent = try handles[directory.parent].open()
    var isShared = false
    if Host.isSuperuser { isShared = try parent.descriptor.status().isOpenToOthers }
    do throws(Errno) {
      guard isShared else { return try parent.descriptor.makeDirectory(directory.name) }
      return try makeAside(index, directory, parent)
    } catch {
      guard error == .exists else { throw error }
    }
    // An earlier, interrupted attempt has made the directory, or the user has made it meanwhile.
    let status = try handles[index].open().descriptor.status()
    if !isShared { return }
    guard let new = directory.new, status.user == rights.owner(of: new).user, status.user != Host.effectiveUser else {
      throw .exists
    }
  }

  private func makeAside(
    _ index: Int, _ directory: PlanDirectory, _ parent: SharedDescriptor
  ) throws(Errno) {
    let stage = staging.directory
    let name = StagedName.directory(index)
    try stage.descriptor.makeDirectory(name)
    let made = try stage.descriptor.open(name, .directory)
    handles[index].expect(try made.status().identity)
    do throws(Errno) {
      try stage.descriptor.rename(name, to: directory.name, in: parent.descriptor, .noReplace)
    } catch {
      handles[index].expect(nil)
      // The directory is empty. At the latest it is removed with the staging folder.
      try? stage.descriptor.removeDirectory(name)
      throw error
    }
  }
}
