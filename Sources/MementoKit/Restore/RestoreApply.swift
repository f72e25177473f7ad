// Changes the folder: renames only, each file wholly old or wholly new at every moment. What was in the way goes into the
// staging folder and is looked at: what nobody has saved is kept.

internal import MementoStore
internal import MementoSystem

struct RestoreApply {
  private let plan: RestorePlan
  private let staging: StagingFolder
  private let repository: Repository
  private let problems: RestoreProblems
  private let metadata: MetadataWriter
  private let handles: [DirectoryHandle]
  private var rescued: [BytePath] = []
  private let rescue: RescueFolder

  init(_ plan: RestorePlan, _ staging: StagingFolder, _ repository: Repository, _ problems: RestoreProblems)
    throws(RepositoryError)
  {
    self.plan = plan
    self.staging = staging
    self.repository = repository
    self.problems = problems
    metadata = MetadataWriter(problems)
    rescue = try RescueFolder(repository, staging)
    handles = plan.directoryHandles(try repository.root)
  }

  /// Carries out the plan; returns where content was put that appeared meanwhile.
  consuming func run() -> [BytePath] {
    openClosedDirectories()
    for (index, item) in plan.items.enumerated() where item.action == .remove { remove(index, item) }
    removeDirectories()
    makeDirectories()
    for (index, item) in plan.items.enumerated() {
      switch item.action {
      case .create, .replace: place(index, item)
      case .metadata: changeMetadata(item)
      case .remove: break
      }
    }
    finishDirectories()
    return rescued
  }

  /// A user without write permission on their own folder still restores into it: it is opened for the time being.
  private func openClosedDirectories() {
    if Host.isSuperuser { return }
    for (index, directory) in plan.directories.enumerated() {
      guard directory.fate != .create, directory.isTouched || directory.fate == .remove,
        let old = directory.old, old.permissions & 0o700 != 0o700
      else { continue }
      let permissions = old.permissions | 0o700
      do throws(Errno) {
        if index == 0 {
          try handles[0].open().descriptor.setPermissions(permissions)
        } else {
          try handles[directory.parent].open().descriptor.setPermissions(of: directory.name, permissions)
        }
      } catch {
        report(path(of: index), "cannot be made writable", error)
      }
    }
  }

  // MARK: Removing

  private mutating func remove(_ index: Int, _ item: PlanItem) {
    do throws(Errno) {
      let directory = try handles[item.directory].open()
      try directory.descriptor.rename(
        item.name, to: staging.trashed(index), in: staging.directory.descriptor, .noReplace)
      keepIfUnknown(staging.trashed(index), item)
    } catch {
      if error != .notFound { report(plan.path(of: item), "cannot be removed", error) }
    }
  }

  private func removeDirectories() {
    for index in plan.directories.indices.reversed() where plan.directories[index].fate == .remove {
      let directory = plan.directories[index]
      do throws(Errno) {
        handles[index].finish()
        try handles[directory.parent].open().descriptor.removeDirectory(directory.name)
      } catch {
        switch error {
        case .notFound: break
        case .notEmpty, .exists:
          problems.report(path(of: index), "kept: it holds files that no snapshot has", isNote: true)
        case .busy: problems.report(path(of: index), "kept: a file system is mounted there", isNote: true)
        default: report(path(of: index), "cannot be removed", error)
        }
      }
    }
  }

  // MARK: Making

  private func makeDirectories() {
    for (index, directory) in plan.directories.enumerated() where directory.fate == .create {
      do throws(Errno) {
        let parent = try handles[directory.parent].open()
        do throws(Errno) {
          try parent.descriptor.makeDirectory(directory.name)
        } catch {
          // One that is there already is the one of an earlier, interrupted attempt.
          guard error == .exists, try parent.descriptor.status(of: directory.name).isDirectory else { throw error }
        }
      } catch {
        report(path(of: index), "cannot be made", error)
      }
    }
  }

  private mutating func place(_ index: Int, _ item: PlanItem) {
    let staged = staging.staged(index)
    let stage = staging.directory
    guard stage.descriptor.exists(staged) else { return }  // a device that only root can make: reported before
    do throws(Errno) {
      let directory = try handles[item.directory].open()
      if item.action == .create {
        do throws(Errno) {
          return try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .noReplace)
        } catch {
          guard error == .exists else { throw error }
        }
        // Something is there that was not there when the plan was made, or that could not be read.
        let present = try directory.descriptor.status(of: item.name)
        if present.isDirectory {
          return problems.report(plan.path(of: item), "not restored: a folder is in its place")
        }
      }
      try exchange(staged, item, directory)
      keepIfUnknown(staged, item)
    } catch {
      report(plan.path(of: item), "cannot be put in place", error)
    }
  }

  /// Swaps the staged file and the present one; the old one is then in the staging folder.
  private func exchange(_ staged: [UInt8], _ item: PlanItem, _ directory: SharedDescriptor) throws(Errno) {
    let stage = staging.directory
    do throws(Errno) {
      try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .exchange)
    } catch {
      switch error {
      case .notFound:
        try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .noReplace)
      case .invalid, .notImplemented:
        // No exchange on this file system: a second name keeps the old file while it is replaced.
        let old = staged + Array("-old".utf8)
        try directory.descriptor.link(item.name, to: old, in: stage.descriptor)
        try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor)
        try stage.descriptor.rename(old, to: staged, in: stage.descriptor)
      default: throw error
      }
    }
  }

  /// Looks at what was swapped out: when it is not what the plan expected, somebody has changed it since it was saved.
  private mutating func keepIfUnknown(_ name: [UInt8], _ item: PlanItem) {
    guard let status = try? staging.directory.descriptor.status(of: name) else { return }
    if status.isDirectory || item.old?.matches(status) != true {
      let path = plan.path(of: item)
      if let kept = rescue.keep(name, as: path) {
        rescued.append(kept)
        problems.report(path, "changed while it was being restored; what was there is now \(kept)", isNote: true)
      }
    }
  }

  // MARK: Metadata

  private func changeMetadata(_ item: PlanItem) {
    // One file is changed once, however many names it has.
    guard let new = item.new, let old = item.old, item.linkOf == nil else { return }
    let path = plan.path(of: item)
    do throws(Errno) {
      let directory = try handles[item.directory].open()
      if new.content.kind == .regular {
        let file = try directory.descriptor.openForMetadata(item.name)
        guard old.matches(try file.status()) else {
          return problems.report(path, "not changed: it is not what it was when the restore began")
        }
        try metadata.apply(new.metadata, to: file, path: { path }, replacing: old.metadata)
      } else {
        try metadata.apply(new, to: item.name, in: directory.descriptor, path: { path }, replacing: old.metadata)
      }
    } catch {
      report(path, "mode, owner, time or attributes not restored", error)
    }
  }

  /// Modes and times of directories come last, the deepest first: whatever happens inside moves them.
  private func finishDirectories() {
    for index in plan.directories.indices.reversed() {
      let directory = plan.directories[index]
      guard directory.fate != .remove, let new = directory.new,
        directory.fate == .create || directory.isTouched || directory.old != new
      else { continue }
      do throws(Errno) {
        let open = try handles[index].open()
        try metadata.apply(new, to: open.descriptor, path: { path(of: index) }, replacing: directory.old)
        handles[index].finish()
      } catch {
        report(path(of: index), "mode, owner, time or attributes not restored", error)
      }
    }
  }

  private func path(of directory: Int) -> BytePath {
    BytePath(plan.path(of: directory))
  }

  private func report(_ path: BytePath, _ what: String, _ error: Errno) {
    problems.report(path, "\(what): \(error)")
  }
}
