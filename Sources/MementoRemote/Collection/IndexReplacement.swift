// Replaces indexes by fewer ones that do not name packs that are gone. Of a large remote they do not fit into memory at once.

internal import MementoModel
internal import MementoObjects

/// Takes the records of the indexes that are replaced, one after the other, and makes new ones of them. Each new index
/// replaces exactly those whose packs it has. So it does not matter if a reader sees some of them and not the others, or if
/// the work ends between two of them.
struct IndexReplacement {
  /// So many bytes of tables are in an index that has several old ones. One old one is never divided, and its packs fit
  /// into one index.
  private let limit: Int
  private let dropped: Set<ObjectID>
  private var packs: [ObjectID: IndexRecord.Pack] = [:]
  private var replaces: [ObjectName] = []
  private var size = 0

  init(dropping dropped: Set<ObjectID>, limit: Int) {
    self.dropped = dropped
    self.limit = limit
  }

  /// Adds an index that is replaced. Returns a new one, which is to be put, when the two do not fit into one.
  mutating func add(_ record: IndexRecord, named name: ObjectName) -> IndexRecord? {
    let kept = record.packs.filter { !dropped.contains($0.name) }
    // A name takes up to 200 bytes.
    let more = kept.reduce(200) { $0 + $1.contents.count + IndexRecord.mostBesideTable }
    let full = size + more > limit ? finish() : nil
    for pack in kept { packs[pack.name] = pack }
    replaces.append(name)
    size += more
    return full
  }

  /// The last new index; nil when there is none.
  mutating func finish() -> IndexRecord? {
    if replaces.isEmpty { return nil }
    defer { (packs, replaces, size) = ([:], [], 0) }
    return IndexRecord(packs: Array(packs.values), replaces: replaces)
  }
}
