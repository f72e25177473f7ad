// The public calls of this room.

extension Repository {
  /// Writes a snapshot of a folder as a tar archive in the pax form. The same snapshot gives the same bytes each time. Throws
  /// `.wrongKind` for a value. After an error the output is not a whole archive.
  @discardableResult
  public func export(
    _ revision: Revision, to descriptor: Int32, compression: ArchiveCompression = .none,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> ExportSummary {
    try ExportOperation(repository: self, compression: compression, monitor: monitor).run(revision, to: descriptor)
  }

  /// The same into a file. It appears, and replaces one that has the name, when it is whole.
  @discardableResult
  public func export(
    _ revision: Revision, toFile path: BytePath, compression: ArchiveCompression? = nil,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> ExportSummary {
    try ExportFile(path: path).write { (descriptor) throws(RepositoryError) in
      try export(
        revision, to: descriptor, compression: compression ?? ArchiveCompression(fileName: path), monitor: monitor)
    }
  }

  /// Makes a snapshot of the tar archive that can be read from a descriptor, and names it. The folder is not touched. What of
  /// the archive a snapshot cannot hold is in `problems`. Throws `.damagedArchive`; nothing is saved then.
  @discardableResult
  public func importArchive(
    readingFrom descriptor: Int32, as name: String, _ options: ImportOptions = ImportOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> SaveSummary {
    let start = upkeepClock()
    leavePointer(isDryRun: options.isDryRun)
    let summary = try ImportOperation(repository: self, name: name, options: options, monitor: monitor)
      .run(reading: descriptor)
    if summary.isCommitted { AutomaticUpkeep(self).run(since: start) }
    return summary
  }
}
