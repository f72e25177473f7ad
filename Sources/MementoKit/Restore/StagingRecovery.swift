// Empties the staging folder of an interrupted restore. New files of the target and saved old files are removed. Files
// that somebody has changed during the restore are moved to `rescue/`.

internal import MementoStore
internal import MementoSystem

struct StagingRecovery {
  struct Outcome {
    var rescued: [BytePath] = []
    var problems: [Problem] = []
  }

  let repository: Repository
  let staging: StagingFolder
  /// Whether `refs` say that the restore had begun to change the folder. If not, a staging folder without a list holds
  /// only new files.
  let isPending: Bool

  /// Empties and removes the folder. When a file in it cannot be checked, the whole folder moves to `rescue/`. When
  /// that fails, too, this throws: the folder stays, and so must the mark that names it.
  func run() throws(RepositoryError) -> Outcome {
    var outcome = Outcome()
    let folder = staging.directory
    let rescue = try RescueFolder(repository, staging)
    do throws(Errno) {
      let listing = try DirectoryListing(reading: folder.descriptor)
      if let list = try StagingList.read(from: folder.descriptor) {
        try settle(listing, list, rescue, &outcome)
      } else if isPending, listing.count > 0 {
        throw Errno.notFound
      }
    } catch {
      try keepAll(rescue, &outcome, error)
      return outcome
    }
    if !outcome.rescued.isEmpty { try flush() }
    staging.remove()
    return outcome
  }

  private func settle(
    _ listing: DirectoryListing, _ list: StagingList, _ rescue: RescueFolder, _ outcome: inout Outcome
  ) throws(Errno) {
    let review = StagingReview(folder: staging.directory, lists: repository.store, begun: list.begun)
    // A missing or damaged snapshot does not prove that a file is saved, so it is left out.
    let trees = [list.target, list.before].compactMap { id in (try? repository.record(of: id))?.record.tree }
    for index in 0..<listing.count {
      let name = listing.name(at: index)
      if name == StagedName.list || StagedName.isDirectory(name) { continue }
      let item = StagedName.item(of: name).flatMap { list.items[$0] }
      let entries = trees.compactMap { tree in item.flatMap { try? TreePath.entry($0.path, in: tree, repository.store) }
      }
      switch try review.verdict(name, seenAs: item?.old, orContentOf: entries) {
      case .absent, .known: continue
      case .unknown: break
      }
      let path = item?.path ?? BytePath(name)
      let kept = try rescue.keep(name, as: path)
      outcome.rescued.append(kept)
      outcome.problems.append(.rescued(path, to: kept))
    }
  }

  private func keepAll(
    _ rescue: RescueFolder, _ outcome: inout Outcome, _ reason: Errno
  ) throws(RepositoryError) {
    do throws(Errno) {
      let kept = try rescue.keepAll()
      outcome.rescued.append(kept)
      outcome.problems.append(.allRescued(to: kept, reason))
    } catch {
      throw RepositoryError(cannotKeepStaging: error)
    }
    try flush()
  }

  private func flush() throws(RepositoryError) {
    guard repository.worktree.isDurable else { return }
    let root = try repository.root
    do throws(Errno) {
      try root.descriptor.flushFileSystem()
    } catch {
      throw RepositoryError(.system, "cannot flush the folder: \(error)", systemError: error.code)
    }
  }
}

extension Repository {
  /// Removes the staging folders of restores that were killed before they changed anything, or after they were done.
  /// Their files are checked all the same, because `refs` may have been lost since, and the mark with them.
  func sweepStaging(pending: [PendingRestore], holding lock: borrowing StoreLock<RemovesPacks>) {
    let names: [String]
    // What cannot be listed stays for the next save.
    do throws(Errno) { names = try worktree.stagingNames() } catch { return }
    let kept = Set(pending.map(\.staging))
    for name in names where !kept.contains(name) {
      do throws(RepositoryError) {
        guard let staging = try StagingFolder(named: name, of: self) else { continue }
        _ = try StagingRecovery(repository: self, staging: staging, isPending: false).run()
      } catch {
        // It stays, with all that is in it, for the next save.
      }
    }
  }
}

extension Problem {
  /// A file that no snapshot has was in the way and has been moved.
  static func rescued(_ path: BytePath, to place: BytePath) -> Problem {
    Problem(
      path: path, message: "changed while it was being restored; what was there is now \(place)", isNote: true)
  }

  static func allRescued(to place: BytePath, _ reason: Errno) -> Problem {
    Problem(
      path: place, message: "what the restore replaced is kept here, since it could not be looked at: \(reason)")
  }
}

extension RepositoryError {
  init(cannotKeepStaging error: Errno) {
    self.init(
      .system, "cannot keep what was changed while the folder was restored: \(error)",
      reason: .unfinishedRestore, systemError: error.code)
  }
}
