// The difference of two sides. It holds the list of changes. It reads the content of a file only when a caller asks for
// it.

internal import MementoStore
internal import MementoSystem

/// The difference of two snapshots, or of a snapshot and the folder.
public struct Comparison: Sendable {
  /// Files larger than this, in bytes, are not compared line by line.
  public static let largestText: UInt64 = 64 << 20

  /// The older side; nil when nothing had been saved yet.
  public let from: Snapshot?
  /// The newer side; nil for the working folder.
  public let to: Snapshot?
  /// The names of `from`.
  public let names: [String]
  /// The entries that differ, sorted by path.
  public let changes: [FileChange]
  /// The paths of the folder that could not be read.
  public let problems: [Problem]
  /// Whether an interrupted restore is pending.
  public let isRestorePending: Bool
  /// The interrupted restore that is pending; nil when there is none.
  public let interruptedRestore: InterruptedRestore?

  let repository: Repository
}

/// How the content of a file differs.
public struct ContentDiff: Sendable {
  /// The kinds of difference. New kinds may be added: a `switch` over kinds needs a `default`.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private enum Word: String {
      case same
      case text
      case binary
      case tooLarge = "too-large"
      case unreadable
    }

    private let word: Word

    private init(_ word: Word) {
      self.word = word
    }

    /// The kind as a word.
    public var description: String { word.rawValue }

    /// Both sides have the same bytes, or neither side has content.
    public static let same = Kind(.same)
    /// Both sides are text; `text` has the lines.
    public static let text = Kind(.text)
    /// At least one side is not text.
    public static let binary = Kind(.binary)
    /// The file is larger than `Comparison.largestText`, or has too many lines.
    public static let tooLarge = Kind(.tooLarge)
    /// The file in the folder is gone or cannot be read; `failure` says why.
    public static let unreadable = Kind(.unreadable)
  }

  /// The kind of difference.
  public let kind: Kind
  /// The lines that differ; nil unless `kind` is `.text`.
  public let text: TextDiff?
  /// Why the file cannot be read, as a phrase; nil unless `kind` is `.unreadable`.
  public let failure: String?

  private init(_ kind: Kind, text: TextDiff? = nil, failure: String? = nil) {
    self.kind = kind
    self.text = text
    self.failure = failure
  }

  static let same = ContentDiff(.same)
  static let binary = ContentDiff(.binary)
  static let tooLarge = ContentDiff(.tooLarge)

  static func text(_ diff: TextDiff) -> ContentDiff {
    ContentDiff(.text, text: diff)
  }

  static func unreadable(_ failure: String) -> ContentDiff {
    ContentDiff(.unreadable, failure: failure)
  }
}

extension Comparison {
  /// Compares the content of a file, line by line if both sides are text. The content of a symbolic link is its target.
  /// Throws `.damaged` when the stored content cannot be read.
  public func content(of change: FileChange) throws(RepositoryError) -> ContentDiff {
    try PairReader(repository.store).content(of: change, in: self).get()
  }

  static func isTooLarge(_ change: FileChange) -> Bool {
    max(change.old?.size ?? 0, change.new?.size ?? 0) > Comparison.largestText
  }

  /// Same, reading the stored sides with these, but for `contents`.
  func content(
    of change: FileChange, _ contents: StoredContents, old oldReader: inout BlobReader, new newReader: inout BlobReader
  ) throws(RepositoryError) -> ContentDiff {
    if Comparison.isSame(change.old, change.new) { return .same }
    if Comparison.isTooLarge(change) { return .tooLarge }
    let old = try stored(change.old, change.oldPath ?? change.path, contents, &oldReader)
    let new: [UInt8]
    if to == nil, change.new?.type == .file {
      let root = try repository.root
      do throws(Errno) {
        new = try FolderFile(root).contents(of: change.path, limit: Int(Comparison.largestText))
      } catch {
        return error == .rangeError ? .tooLarge : .unreadable("cannot be read: \(error)")
      }
    } else {
      new = try stored(change.new, change.path, contents, &newReader)
    }
    if Comparison.isBinary(old) || Comparison.isBinary(new) { return .binary }
    return TextDiff(old: old, new: new).map { .text($0) } ?? .tooLarge
  }

  static func isBinary(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { ByteSearch.first(0, in: $0) != nil }
  }

  /// Whether two entries have the same content, or none.
  static func isSame(_ old: FileEntry?, _ new: FileEntry?) -> Bool {
    if old?.target == nil, old?.content == nil, new?.target == nil, new?.content == nil { return true }
    guard let old, let new else { return (old?.size ?? 0) + (new?.size ?? 0) == 0 }
    return old.target == new.target && old.content == new.content
  }

  private func stored(
    _ entry: FileEntry?, _ path: BytePath, _ contents: StoredContents, _ reader: inout BlobReader
  ) throws(RepositoryError) -> [UInt8] {
    if let target = entry?.target { return target }
    guard let entry, let content = entry.content else { return [] }
    if let bytes = contents[content], UInt64(bytes.count) == entry.size { return bytes }
    return try translating(reading: path) { () throws(StoreError) in
      try reader.contents(of: SizedContent(size: entry.size, content: content), in: repository.store)
    }
  }
}
