// Reads a few of the blobs that a save relies on, while the save waits for the disk. So damage is found early, at next to no
// cost in time. Of a folder: at a random place of what it was before, the trees that lead there and a piece of the content.
// Of values: a few of their chunks that the store had already. What is not begun when the wait is over is left to later
// saves.

internal import MementoStore
internal import MementoSystem

struct StoredSample: Sendable {
  /// One save in so many reads the place to its end even if it need not wait so long. Otherwise, where a flush takes no
  /// time, nothing would ever be read.
  private static let patience = 8
  /// The sample reads so many trees at most. Of a large folder only the first entries count.
  private static let depth = 64
  private static let entries = 512

  private let repository: Repository
  private let tree: ObjectID?
  private let chunks: [ObjectID]

  /// A sample of a folder. `tree`: that of the snapshot before; nil when there is none.
  init(_ repository: Repository, of tree: ObjectID?) {
    self.repository = repository
    self.tree = tree
    chunks = []
  }

  /// A sample of values: these chunks.
  init(_ repository: Repository, of chunks: [ObjectID]) {
    self.repository = repository
    self.chunks = chunks
    tree = nil
  }

  /// Runs `body`, which waits for the disk, and reads meanwhile. Damage is noted, so that the next save stores it again,
  /// and changes nothing else.
  func read<Result, Failure: Error>(beside body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if tree == nil, chunks.isEmpty { return try body() }
    return try besideBackground(
      { end in
        let isPatient = Int.random(in: 0..<StoredSample.patience) == 0
        do throws(StoreError) {
          if let tree { try read(tree) { end.isDue && !isPatient } }
          for (number, id) in chunks.enumerated() where !end.isDue || (number == 0 && isPatient) { try read(chunk: id) }
        } catch {
          guard error.isDamage else { return }
          repository.notice(Notice(.foundDamage, file: "packs", detail: error.message))
        }
      }, body)
  }

  private func read(chunk id: ObjectID) throws(StoreError) {
    do throws(StoreError) {
      var reader = repository.store.blobReader()
      _ = try reader.read(id)
    } catch {
      // A chunk that this save has stored itself cannot be seen before its commit.
      if case .missing = error { return }
      throw error
    }
  }

  /// Goes down from a tree to a file, unless the end is due before.
  private func read(_ tree: ObjectID, unless isDue: () -> Bool) throws(StoreError) {
    var next = tree
    for _ in 0..<StoredSample.depth {
      if isDue() { return }
      guard let entry = try anyEntry(of: next) else { return }
      if let tree = entry.tree {
        next = tree
        continue
      }
      guard !isDue(), case .file(let size, let content) = entry.content, content.level > 0, size > 0 else { return }
      var reader = repository.store.blobReader()
      var ranges = RangeReader(SizedContent(size: size, content: content), in: repository.store)
      _ = try ranges.read(at: .random(in: 0..<size), count: 1, with: &reader)
      return
    }
  }

  /// One of the first entries of a folder, all with the same chance.
  private func anyEntry(of tree: ObjectID) throws(StoreError) -> TreeEntry? {
    var reader = TreeReader(tree, in: repository.store)
    var chosen: TreeEntry?
    for count in 1...StoredSample.entries {
      guard let entry = try reader.next() else { break }
      if Int.random(in: 0..<count) == 0 { chosen = entry }
    }
    return chosen
  }
}
