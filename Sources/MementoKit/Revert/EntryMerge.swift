// What becomes of one path when a change of it is taken back: three versions of an entry joined into one.

internal import MementoStore
internal import MementoSystem

/// The versions of one path: with the change, without it, and now.
struct EntryVersions {
  let path: BytePath
  let with: TreeEntry?
  let without: TreeEntry?
  let now: TreeEntry?
}

struct EntryMerge {
  enum Outcome {
    /// The present one stays: nothing is left to take back.
    case keep
    case set(TreeEntry)
    case remove
  }

  let repository: Repository
  let walk: FolderWalk
  let chunker: Chunker
  let labels: ThreeWayMerge.Labels
  /// Whether nothing is stored. The present texts are then read from the folder.
  let isPlan: Bool
  private var isFolderStored = false
  private(set) var merged: [BytePath] = []
  private(set) var conflicts: [RevertConflict] = []

  init(_ repository: Repository, _ walk: FolderWalk, _ labels: ThreeWayMerge.Labels, isPlan: Bool) {
    self.repository = repository
    self.walk = walk
    self.labels = labels
    self.isPlan = isPlan
    chunker = Chunker(sizes: repository.store.config.chunkSizes)
  }

  mutating func note(_ path: BytePath, _ kind: RevertConflict.Kind, marks: Int = 0) {
    conflicts.append(RevertConflict(path, kind, marks: marks))
  }

  /// Joins versions of which none is a folder.
  mutating func join(_ versions: EntryVersions) throws(RepositoryError) -> Outcome {
    let (with, without, now) = (versions.with, versions.without, versions.now)
    if now == without || EntryMerge.isSame(now, without) { return .keep }
    if now == with || EntryMerge.isSame(now, with) {
      if now != with, EntryMerge.isSame(with, without) { return .keep }
      return without.map { .set($0) } ?? .remove
    }
    guard let now else {
      note(versions.path, .removed)
      return .keep
    }
    guard let with, let without else {
      note(versions.path, .present)
      return .keep
    }
    guard case .file(let size, let content) = now.content, case .file(let oldSize, let old) = with.content,
      case .file(let newSize, let new) = without.content
    else {
      if now.content.kind == with.content.kind, with.content == without.content {
        return metadata(now, with, without, versions.path)
      }
      note(versions.path, now.content.kind == with.content.kind ? .content : .type)
      return .keep
    }
    if new == old || content == new { return metadata(now, with, without, versions.path) }
    if content == old {
      return metadata(
        TreeEntry(name: now.name, metadata: now.metadata, content: without.content), with, without, versions.path,
        time: without.metadata.modified)
    }
    let text = try text(
      base: SizedContent(size: oldSize, content: old), ours: SizedContent(size: size, content: content),
      theirs: SizedContent(size: newSize, content: new), at: versions.path)
    guard let text else {
      note(versions.path, .content)
      return .keep
    }
    let stored = try translating { () throws(StoreError) in try walk.writer.storeContent(text.text, chunker: chunker) }
    // Nothing of the change is left in the text, for example after an earlier revert.
    if stored.content == content { return metadata(now, with, without, versions.path) }
    if text.conflicts > 0 { note(versions.path, .lines, marks: text.conflicts) } else { merged.append(versions.path) }
    return metadata(
      TreeEntry(name: now.name, metadata: now.metadata, content: .file(size: stored.size, stored.content)), with,
      without, versions.path, time: Clock.now())
  }

  /// The base, the present text and the other one joined; nil when one of them is not text, or too large.
  private mutating func text(
    base: SizedContent, ours: SizedContent, theirs: SizedContent, at path: BytePath
  ) throws(RepositoryError) -> ThreeWayMerge? {
    guard max(base.size, ours.size, theirs.size) <= Comparison.largestText,
      let base = try text(base, path), let theirs = try text(theirs, path), let ours = try presentText(ours, path)
    else { return nil }
    return ThreeWayMerge(base: base, ours: ours, theirs: theirs, labels: labels)
  }

  /// A content of the store; nil when it is not text.
  private func text(_ content: SizedContent, _ path: BytePath) throws(RepositoryError) -> [UInt8]? {
    var reader = ContentReader(content, path: path, in: repository)
    let bytes = try reader.contents(limit: Int(Comparison.largestText))
    return bytes.contains(0) ? nil : bytes
  }

  /// What the walk has read of the present file. The packs of the walk are finished first, since an unfinished pack gives
  /// no contents back. Reading the file again could give another text than the one that the guard saves.
  private mutating func presentText(_ content: SizedContent, _ path: BytePath) throws(RepositoryError) -> [UInt8]? {
    if !isPlan {
      if !isFolderStored { try walk.finishPacks() }
      isFolderStored = true
      return try text(content, path)
    }
    let root = try repository.root
    do throws(Errno) {
      let bytes = try FolderFile(root).contents(of: path, limit: Int(Comparison.largestText))
      return bytes.contains(0) ? nil : bytes
    } catch {
      throw RepositoryError(.system, "cannot read \(path): \(error)", path: path, systemError: error.code)
    }
  }

  /// The entry with its metadata joined as well. `time`: when the content changed; nil when it did not.
  private mutating func metadata(
    _ entry: TreeEntry, _ with: TreeEntry, _ without: TreeEntry, _ path: BytePath, time: Timestamp? = nil
  ) -> Outcome {
    var entry = entry
    entry.metadata = joined(entry.metadata, with.metadata, without.metadata, path)
    if let time { entry.metadata.modified = time }
    return .set(entry)
  }

  /// The metadata of the present entry with a change of it taken back. Notes a conflict where it was changed later.
  mutating func joined(
    _ now: FileMetadata, _ with: FileMetadata, _ without: FileMetadata, _ path: BytePath
  ) -> FileMetadata {
    var result = now
    var isClean = true
    func join<Value: Equatable>(_ field: WritableKeyPath<FileMetadata, Value>) {
      let (present, old, new) = (now[keyPath: field], with[keyPath: field], without[keyPath: field])
      if old == new || present == new { return }
      if present == old { result[keyPath: field] = new } else { isClean = false }
    }
    join(\.permissions)
    join(\.user)
    join(\.group)
    join(\.attributes)
    if !isClean { note(path, .metadata) }
    return result
  }

  /// Whether two entries differ in nothing but their times.
  static func isSame(_ left: TreeEntry?, _ right: TreeEntry?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.content == right.content && left.metadata.isSame(butForTimeAs: right.metadata)
  }
}
