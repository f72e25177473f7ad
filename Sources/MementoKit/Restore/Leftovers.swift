// Folders that a plan removes although something stays in them: what is ignored, or could not be recorded. They stay, too;
// a dry run says so as the restore does.

internal import MementoStore
internal import MementoSystem

struct Leftovers {
  let repository: Repository
  let now: ArchivedTree

  /// Looks into every folder that is to be removed; only where the walk has left something out.
  func keepFolders(of plan: inout RestorePlan) throws(RepositoryError) {
    if now.ignored == 0, now.problems.isEmpty { return }
    var leaving: [Int: Set<[UInt8]>] = [:]
    for item in plan.items where item.action == .remove { leaving[item.directory, default: []].insert(item.name) }
    for directory in plan.directories where directory.fate == .remove {
      leaving[directory.parent, default: []].insert(directory.name)
    }
    let root = try repository.root
    var handles: [DirectoryHandle] = []
    let pool = HandlePool()
    for directory in plan.directories {
      handles.append(
        directory.parent < 0
          ? DirectoryHandle(root: root, pool: pool)
          : DirectoryHandle(parent: handles[directory.parent], name: directory.name))
    }
    for index in plan.directories.indices.reversed() where plan.directories[index].fate == .remove {
      let removed = leaving[index] ?? []
      // One that cannot be looked at stays in the plan: only an empty folder can be removed.
      guard let open = try? handles[index].open(), let listing = try? DirectoryListing(reading: open.descriptor) else {
        continue
      }
      let stays = (0..<listing.count).contains { !removed.contains(listing.name(at: $0)) }
      handles[index].finish()
      if stays {
        plan.notes.append(
          Problem(
            path: BytePath(plan.path(of: index)), message: "kept: it holds what is ignored or not saved", isNote: true))
        plan.keep(directory: index)
      }
    }
  }
}
