// Changes the folder by renames only, so each file is complete at every moment, in its old or its new form. What a
// rename replaces goes to the staging folder and is checked there. Files that no snapshot has are kept.

internal import MementoStore
internal import MementoSystem

struct RestoreApply {
  /// What a restore leaves beside the changed folder.
  struct Outcome {
    /// Where files were moved that appeared or changed during the restore.
    var rescued: [BytePath] = []
    /// The staging folder itself was moved to one of these places and must not be removed.
    var isStagingKept = false
  }

  private let plan: RestorePlan
  private let staging: StagingFolder
  private let repository: Repository
  private let problems: RestoreProblems
  private let metadata: MetadataWriter
  private let handles: [DirectoryHandle]
  private let rescue: RescueFolder
  private let review: StagingReview
  /// The numbers of items for which no file could be staged.
  private let unmade: Set<Int>
  private var outcome = Outcome()
  /// Why a file in the staging folder could not be checked or moved.
  private var unsettled: Errno?

  init(
    _ plan: RestorePlan, _ staging: StagingFolder, _ repository: Repository, _ problems: RestoreProblems,
    _ rights: RestoreRights, unmade: Set<Int>, seen: (begun: Timestamp, source: any MetaSource)
  ) throws(RepositoryError) {
    self.plan = plan
    self.staging = staging
    self.repository = repository
    self.problems = problems
    self.unmade = unmade
    metadata = MetadataWriter(problems, rights)
    rescue = try RescueFolder(repository, staging)
    review = StagingReview(folder: staging.directory, lists: seen.source, begun: seen.begun)
    handles = plan.directoryHandles(try repository.root)
  }

  /// Carries out the plan. Throws when the plan cannot be read any more. Throws also when the staging folder may hold
  /// the only copy of a file and can neither be emptied nor moved. The restore stays pending then.
  consuming func run() throws(RepositoryError) -> Outcome {
    openClosedDirectories()
    try plan.items.forEach(.remove) { (item) throws(RepositoryError) in remove(item) }
    removeDirectories()
    DirectoryMaker(plan, handles, staging, metadata.rights, report: report).run()
    try plan.items.forEach([.made, .metadata]) { (item) throws(RepositoryError) in
      switch item.action {
      case .create, .replace: place(item)
      case .metadata: changeMetadata(item)
      case .remove: break  // done above
      }
    }
    finishDirectories()
    if let unsettled { try keepStaging(unsettled) }
    return outcome
  }

  private mutating func keepStaging(_ reason: Errno) throws(RepositoryError) {
    do throws(Errno) {
      let place = try rescue.keepAll()
      outcome.isStagingKept = true
      outcome.rescued.append(place)
      problems.report(.allRescued(to: place, reason))
    } catch {
      throw RepositoryError(cannotKeepStaging: error)
    }
  }

  /// Makes folders writable for the user who owns them, for the time of the restore.
  private func openClosedDirectories() {
    if Host.isSuperuser { return }
    for (index, directory) in plan.directories.enumerated() {
      guard directory.fate != .create, directory.isTouched || directory.fate == .remove,
        let old = directory.old, old.permissions & 0o700 != 0o700
      else { continue }
      do throws(Errno) {
        if index == 0 {
          try handles[0].open().descriptor.setPermissions(old.permissions | 0o700)
          continue
        }
        let parent = try handles[directory.parent].open()
        let isOpened = try parent.descriptor.addPermissions(0o700, to: directory.name) { status in
          status.isDirectory && status.user == Host.effectiveUser && status.permissions == old.permissions
        }
        if !isOpened { throw .stale }
      } catch {
        report(index, "cannot be made writable", error)
      }
    }
  }

  // MARK: Removing

  private mutating func remove(_ item: PlanItem) {
    let removed = StagedName.removed(item.number)
    // The walk has seen the file, so the code tries twice before it believes that the file is gone.
    for _ in 1...2 {
      do throws(Errno) {
        let directory = try handles[item.directory].open()
        // Only this restore writes to the staging folder, and it uses this name once. So nothing is replaced there.
        try directory.descriptor.rename(item.name, to: removed, in: staging.directory.descriptor, .replace)
        return settle(removed, item)
      } catch {
        if error == .notFound { continue }
        report(plan.path(of: item), "cannot be removed", error)
        return settle(removed, item)
      }
    }
  }

  private func removeDirectories() {
    for index in plan.directories.indices.reversed() where plan.directories[index].fate == .remove {
      // The walk has seen it: that it has gone is believed when the system says so twice.
      if !removeDirectory(index) { _ = removeDirectory(index) }
    }
  }

  /// False when the system says that the folder, or one above it, is not there.
  private func removeDirectory(_ index: Int) -> Bool {
    let directory = plan.directories[index]
    do throws(Errno) {
      handles[index].finish()
      try handles[directory.parent].open().descriptor.removeDirectory(directory.name)
    } catch {
      switch error {
      case .notFound: return false
      case .notEmpty, .exists:
        problems.report(BytePath(plan.path(of: index)), "kept: it holds files that no snapshot has", isNote: true)
      case .busy:
        // One that was mounted before the restore began has been found by `RestoreCheck`.
        problems.report(BytePath(plan.path(of: index)), "not removed: a file system is mounted there")
      default: report(index, "cannot be removed", error)
      }
    }
    return true
  }

  // MARK: Putting in place

  private mutating func place(_ item: PlanItem) {
    if unmade.contains(item.number) { return }
    let staged = StagedName.waiting(item.number)
    let stage = staging.directory
    do throws(Errno) {
      let directory = try handles[item.directory].open()
      if item.action == .create {
        do throws(Errno) {
          return try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .noReplace)
        } catch {
          guard error == .exists else { throw error }
        }
        // A file has appeared since the plan was made, or the walk could not read it.
        let present = try directory.descriptor.status(of: item.name)
        if present.isDirectory {
          return problems.report(plan.path(of: item), "not restored: a folder is in its place")
        }
      }
      try exchange(item, directory)
      settle(staged, item)
    } catch {
      report(plan.path(of: item), "cannot be put in place", error)
      settle(staged, item, isNewOneExpected: true)
    }
  }

  /// Exchanges the staged file and the present one. The old file is in the staging folder afterwards.
  private mutating func exchange(_ item: PlanItem, _ directory: SharedDescriptor) throws(Errno) {
    let stage = staging.directory
    let staged = StagedName.waiting(item.number)
    do throws(Errno) {
      return try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .exchange)
    } catch {
      switch error {
      case .notFound:
        return try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .noReplace)
      case .invalid, .notImplemented: break
      default: throw error
      }
    }
    // This file system cannot exchange two names. The old file is moved away first. If a new one takes its place before
    // the staged file does, that one is moved away, too.
    for attempt in 0..<100 {
      let removed = StagedName.removed(item.number, attempt: attempt)
      do throws(Errno) {
        try directory.descriptor.rename(item.name, to: removed, in: stage.descriptor, .replace)
        settle(removed, item)
      } catch {
        guard error == .notFound else { throw error }
      }
      do throws(Errno) {
        return try stage.descriptor.rename(staged, to: item.name, in: directory.descriptor, .noReplace)
      } catch {
        guard error == .exists else { throw error }
      }
    }
    throw .exists
  }

  /// Checks the file that was swapped out. When it is not the file of the plan, somebody has changed it since it was
  /// saved, and it is rescued. `isNewOneExpected`: a call has failed, so the staged name may be the old file or the new
  /// one.
  private mutating func settle(_ name: [UInt8], _ item: PlanItem, isNewOneExpected: Bool = false) {
    do throws(Errno) {
      let verdict =
        isNewOneExpected
        ? try review.verdict(name, seenAs: item.old, orContentOf: [item.new].compactMap { $0 })
        : try review.verdict(name, seenAs: item.old)
      guard case .unknown = verdict else { return }
      let path = plan.path(of: item)
      let kept = try rescue.keep(name, as: path)
      outcome.rescued.append(kept)
      problems.report(.rescued(path, to: kept))
    } catch {
      unsettled = unsettled ?? error
      report(
        plan.path(of: item), "changed, perhaps, while it was being restored; what was there cannot be looked at", error)
    }
  }

  // MARK: Metadata

  private func changeMetadata(_ item: PlanItem) {
    // A file with several names is changed only once.
    guard let new = item.new, let old = item.old, item.linkOf == nil else { return }
    let path = plan.path(of: item)
    do throws(Errno) {
      let directory = try handles[item.directory].open()
      let opened = try directory.descriptor.openForMetadata(item.name) { old.matches($0) }
      guard let file = opened else {
        return problems.report(path, "not changed: it is not what it was when the restore began")
      }
      try metadata.apply(new.metadata, to: file, path: { path }, replacing: old.metadata)
    } catch {
      report(path, "mode, owner, time or attributes not restored", error)
    }
  }

  /// Sets modes and times of directories last, the deepest first, since changes inside a directory change its time.
  private func finishDirectories() {
    for index in plan.directories.indices.reversed() {
      let directory = plan.directories[index]
      guard directory.fate != .remove, let new = directory.new,
        directory.fate == .create || directory.isTouched || directory.old != new
      else { continue }
      do throws(Errno) {
        let open = try handles[index].open()
        try metadata.apply(
          new, to: open.descriptor, isDirectory: true, path: { BytePath(plan.path(of: index)) },
          replacing: directory.old)
        handles[index].finish()
      } catch {
        report(index, "mode, owner, time or attributes not restored", error)
      }
    }
  }

  private func report(_ directory: Int, _ what: String, _ error: Errno) {
    report(BytePath(plan.path(of: directory)), what, error)
  }

  private func report(_ path: BytePath, _ what: String, _ error: Errno) {
    problems.report(path, "\(what): \(error)")
  }
}
