// Takes over one entry of an archive after the other. What has no place in a snapshot is named, and the rest goes on.

internal import MementoStore
internal import MementoSystem
internal import MementoTar

struct ArchiveReading {
  /// The longest target of a link that Linux allows.
  private static let longestTarget = 4095

  private let source: ArchiveContents
  private let contents: ValueContent
  private let monitor: any Monitor
  private let limit: Int
  private var tree: ImportedTree
  private var problems: [Problem] = []
  private var unlisted = 0
  private var hasNotedSlash = false
  private let newOwner: (user: UInt32, group: UInt32)

  init(
    _ repository: Repository, _ source: ArchiveContents, _ contents: ValueContent, _ monitor: any Monitor, limit: Int
  ) {
    self.source = source
    self.contents = contents
    self.monitor = monitor
    self.limit = limit
    newOwner = (Host.effectiveUser, Host.effectiveGroup)
    var root = FileMetadata(
      permissions: 0o755, user: newOwner.user, group: newOwner.group, modified: Timestamp(seconds: 0, nanoseconds: 0))
    // tar leaves the folder as it is in which it unpacks, unless the archive has it. Without a folder to look at, a new one.
    if let status = try? repository.root.descriptor.status() {
      (root.permissions, root.user, root.group) = (status.permissions, status.user, status.group)
    }
    tree = ImportedTree(root: root)
  }

  /// Reads all entries.
  mutating func run() throws(RepositoryError) -> (ImportedTree, [Problem]) {
    while let member = try next() {
      if monitor.isCancelled { throw .cancelled }
      for problem in member.problems { report(member.entry.path, problem) }
      if member.isUnknown { continue }
      do throws(Failure) {
        try take(member.entry)
      } catch {
        switch error {
        case .refused(let reason): report(member.entry.path, "is not imported: \(reason)")
        case .failed(let error): throw error
        }
      }
    }
    if unlisted > 0 {
      problems.append(Problem(path: BytePath(""), message: "\(unlisted) more entries have problems"))
    }
    return (tree, problems)
  }

  private enum Failure: Error {
    case refused(String)
    case failed(RepositoryError)
  }

  private func next() throws(RepositoryError) -> TarMember? {
    do throws(TarError) { return try source.next() } catch { throw RepositoryError(error) }
  }

  private mutating func take(_ entry: TarEntry) throws(Failure) {
    if entry.path.first == UInt8(ascii: "/"), !hasNotedSlash {
      hasNotedSlash = true
      report(entry.path, "is imported without the slash that its path begins with, and so are all others", isNote: true)
    }
    let list = entry.attributes.first { $0.name == AccessList.accessAttribute }
    let listed = list.flatMap { AccessList.permissions($0.value) }
    let metadata = FileMetadata(
      permissions: listed.map { entry.permissions & ~0o777 | $0 } ?? entry.permissions, user: entry.user,
      group: entry.group, modified: entry.modified,
      attributes: entry.attributes)
    let made = FileMetadata(
      permissions: 0o755, user: newOwner.user, group: newOwner.group, modified: entry.modified)
    do throws(ImportedTree.Refusal) {
      let names = try ImportedTree.components(entry.path)
      switch entry.kind {
      case .directory: try tree.addFolder(metadata, at: names, made: made)
      case .hardLink(let target):
        try tree.addLink(at: names, to: try ImportedTree.components(target), made: made)
      default: try tree.add(try content(entry), metadata, at: names, made: made)
      }
    } catch {
      if let failure { throw .failed(failure) }
      throw .refused(error.reason)
    }
    monitor.advance(files: entry.kind == .directory ? 0 : 1, bytes: 0)
  }

  /// What has ended the import while a content was stored.
  private var failure: RepositoryError?

  private mutating func content(_ entry: TarEntry) throws(ImportedTree.Refusal) -> EntryContent {
    switch entry.kind {
    case .symbolicLink(let target):
      guard !target.isEmpty, target.count <= ArchiveReading.longestTarget else {
        throw ImportedTree.Refusal(reason: "a link without a usable target")
      }
      return .symbolicLink(target)
    case .fifo: return .fifo
    case .characterDevice(let major, let minor): return .characterDevice(major: major, minor: minor)
    case .blockDevice(let major, let minor): return .blockDevice(major: major, minor: minor)
    case .file, .directory, .hardLink:
      if entry.size == 0 { return .file(size: 0, .empty) }
      do throws(RepositoryError) {
        let content = try contents.save(source, isLarge: entry.size > UInt64(contents.writer.window))
        return .file(size: content.size, content.content)
      } catch {
        failure = source.failure.map { RepositoryError($0) } ?? error
        throw ImportedTree.Refusal(reason: error.message)
      }
    }
  }

  private mutating func report(_ path: [UInt8], _ message: String, isNote: Bool = false) {
    guard problems.count < limit else {
      unlisted += isNote ? 0 : 1
      return
    }
    let problem = Problem(path: BytePath(path), message: message, isNote: isNote)
    problems.append(problem)
    monitor.report(problem)
  }
}
