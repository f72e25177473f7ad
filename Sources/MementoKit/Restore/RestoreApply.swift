// Changes the folder: renames only, each file wholly old or wholly new at every moment. What was in the way goes into the
// staging folder and is looked at: what nobody has saved is kept.

internal import MementoStore
internal import MementoSystem

struct RestoreApply {
  /// What a restore has left beside the folder.
  struct Outcome {
    /// Where content was put that appeared meanwhile.
    var rescued: [BytePath] = []
    /// The staging folder is one of these places, and must not be removed.
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
  /// Items of which no file was staged.
  private let unmade: Set<Int>
  private var outcome = Outcome()
  /// Why something in the staging folder could not be looked at, or not be moved.
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

  /// Carries out the plan. Throws when the staging folder holds what may be the only copy of something and can neither be
  /// emptied nor moved, and when the plan cannot be read any more: then the restore stays pending.
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

  /// A user without write permission on their own folder still restores into it: it is opened for the time being.
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
    // The walk has seen it: that it has gone is believed when it is said twice.
    for _ in 1...2 {
      do throws(Errno) {
        let directory = try handles[item.directory].open()
        // Nothing else has this name: nobody but this restore writes there.
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
        // Something is there that was not there when the plan was made, or that could not be read.
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

  /// Swaps the staged file and the present one; the old one is then in the staging folder.
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
    // No exchange on this file system: the old file moves away first. A new one may take its place before the staged file
    // does, and is moved away as well.
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

  /// Looks at what was swapped out: when it is not what the plan expected, somebody has changed it since it was saved.
  /// `isNewOneExpected`: after a call that failed nobody knows which of the two is there.
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
    // One file is changed once, however many names it has.
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

  /// Modes and times of directories come last, the deepest first: whatever happens inside moves them.
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
