// The rules of a push: what it may rely upon, when it looks again, and how it commits.

package import MementoModel
package import MementoObjects
internal import MementoTime

/// One push. The caller puts packs and indexes and calls these steps in order:
///
/// 1. `init` looks at the names, the indexes and the marks.
/// 2. For each blob that the pushed snapshots need, the caller finds a pack that `isReliable`, and says `rely`; or it puts
///    the blob in a new pack, says `rely` for that, too, and puts an index for the new packs.
/// 3. `packsToReplace`: while it names packs, the caller puts the blobs that it needs of them anew, with an index.
/// 4. `commit` puts the refs record.
/// 5. `packsToReplace` again, as in 3. Then the push has succeeded. An index is all that it takes to repair one: no name
///    has changed.
///
/// What is needed is every blob below the snapshots, also below a tree that is there already.
package struct Pusher {
  private let storage: any ObjectStorage
  /// How long a marked pack stays, in seconds. All that use a remote must agree on it.
  private let grace: Int64
  package let writer: WriterID
  private let host: String
  /// All names, merged. After `commit`, with what was committed.
  package private(set) var table: NameTable
  /// The look at the refs records that the push began with.
  package let refs: RefsReading
  /// The indexes that the push began with.
  package private(set) var indexes: IndexReading
  private var marks: MarksReading
  private var relied: Set<ObjectID> = []
  /// When the last look at the marks, and before it at the indexes, began.
  private var looked: Timestamp

  /// Looks at the remote.
  ///
  /// - Parameters:
  ///   - grace: how long a marked pack stays, in seconds: a property of the remote.
  ///   - writer: who writes. A store that was copied must have another one.
  ///   - host: the name of this machine, as it appears in NAME@host.
  ///   - known: what is known of the names, with the `heads` of that look.
  ///   - cache: the indexes that are known.
  package init(
    _ storage: any ObjectStorage, grace: Int64, writer: WriterID, host: String, known: NameTable = NameTable(),
    heads: [Dot] = [], cache: inout some IndexCache
  ) throws(RemoteError) {
    self.storage = storage
    self.grace = grace
    self.writer = writer
    self.host = host
    refs = try RefsReading.read(storage, known: known, heads: heads)
    table = refs.table
    indexes = try IndexReading(storage, cache: &cache)
    marks = try MarksReading(storage)
    looked = indexes.now
  }

  /// Whether blobs of a pack count as being there: an index names it, and nobody is going to remove it.
  package func isReliable(_ pack: ObjectID) -> Bool { indexes.packs.contains(pack) && !marks.isMarked(pack) }

  /// Whether a collection is going to remove this pack. No new pack may be put under its name.
  package func isMarked(_ pack: ObjectID) -> Bool { marks.isMarked(pack) }

  /// Notes that the pushed names need a pack: one that is there, or one that was just put.
  package mutating func rely(on pack: ObjectID) { relied.insert(pack) }

  /// Looks at the marks again. Returns the packs that were relied upon and must not be: their blobs are to be put anew.
  /// They are forgotten here.
  package mutating func packsToReplace(cache: inout some IndexCache) throws(RemoteError) -> Set<ObjectID> {
    let marks = try MarksReading(storage, known: marks)
    var lost = relied.filter(marks.isMarked)
    if looked.adding(seconds: grace) < marks.now {
      // Marks may have come and gone since the last look: they stay for as long after the packs are gone. An index of this
      // push may name a pack that a collection has removed while this machine slept.
      indexes = try IndexReading(storage, cache: &cache)
      for pack in relied where try !storage.has(PackObject.name(pack)) { lost.insert(pack) }
    }
    self.marks = marks
    looked = marks.now
    relied.subtract(lost)
    return lost
  }

  /// Commits: puts the refs record. `table` is then what was committed. Returns nil when `change` is empty: nothing was
  /// put.
  ///
  /// When the storage does not answer, or says that it failed, the record is looked for: it may be there all the same.
  package mutating func commit(_ change: TableChange) throws(RemoteError) -> RefsRecord? {
    guard !change.isEmpty else { return nil }
    return try RefsCommit(storage, writer: writer, host: host).commit(change, upon: &table, now: refs.now)
  }

  /// The heads to remember with `table` after `commit`.
  package func heads(after record: RefsRecord?) -> [Dot] { record.map { [$0.dot] } ?? refs.heads }
}
