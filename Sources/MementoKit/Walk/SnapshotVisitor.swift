// What a `SnapshotWalker` tells, and what its visitors say to that.

internal import MementoStore

/// Is told of every object that snapshots are made of. All methods but `meet` may be left out.
protocol SnapshotVisitor {
  /// Whether a pack holds a chunk of this length. Asked where the chunk is named, until it is found. Left out: it is there.
  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence

  /// The record of a snapshot, once.
  mutating func visit(snapshot id: ObjectID, _ record: SnapshotRecord) throws(StoreError)

  /// An entry of a tree, once a tree. It comes before the tree, which may then turn out to be damaged.
  mutating func visit(_ entry: TreeEntry, in tree: ObjectID) throws(StoreError)

  /// A file of one chunk that was found before. Returns true when its entry need not be told to `visit`. `number`: of the
  /// chunk among the blobs that the walk has met. Most entries of most trees are those of a tree before.
  mutating func visit(knownChunk chunk: ObjectID, number: Int, in tree: ObjectID) -> Bool

  /// A piece that a tree names, once a tree that could be read. It comes before the piece is looked at.
  mutating func visit(piece: ObjectID, of tree: ObjectID) throws(StoreError)

  /// A chunk or a list that a list names, once a list. It comes before the list, which may then turn out to be damaged.
  mutating func visit(part: ObjectID, of list: ObjectID) throws(StoreError)

  /// A tree or a piece of one, once: it could be read. `level`: above 0, it names pieces and has no entries.
  mutating func visit(tree id: ObjectID, level: UInt8) throws(StoreError)

  /// A chunk list, once: it could be read. `level`: above 2, it names other lists.
  mutating func visit(list id: ObjectID, level: UInt8) throws(StoreError)

  /// A chunk, once: `presence` has found it. `length`: bytes.
  mutating func visit(chunk id: ObjectID, length: UInt64) throws(StoreError)

  /// Something cannot be read, or is not what it should be. Throws to end the walk.
  mutating func meet(_ fault: SnapshotFault) throws(StoreError)

  /// A tree, once, when it or something below it is hurt. It comes after all that is below it.
  mutating func visit(hurtTree id: ObjectID, _ damage: TreeDamage) throws(StoreError)
}

extension SnapshotVisitor {
  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence { .there }
  mutating func visit(snapshot id: ObjectID, _ record: SnapshotRecord) throws(StoreError) {}
  mutating func visit(_ entry: TreeEntry, in tree: ObjectID) throws(StoreError) {}
  mutating func visit(knownChunk chunk: ObjectID, number: Int, in tree: ObjectID) -> Bool { false }
  mutating func visit(piece: ObjectID, of tree: ObjectID) throws(StoreError) {}
  mutating func visit(part: ObjectID, of list: ObjectID) throws(StoreError) {}
  mutating func visit(tree id: ObjectID, level: UInt8) throws(StoreError) {}
  mutating func visit(list id: ObjectID, level: UInt8) throws(StoreError) {}
  mutating func visit(chunk id: ObjectID, length: UInt64) throws(StoreError) {}
  mutating func visit(hurtTree id: ObjectID, _ damage: TreeDamage) throws(StoreError) {}
}

/// Why an object is not what a snapshot needs.
enum SnapshotFault: Sendable {
  /// A record, a tree or a list cannot be read, or is not what it should be.
  case unreadable(StoreError)
  /// No pack holds the chunk.
  case missing(chunk: ObjectID)
  /// The chunk is there, and has another length than the content says.
  case otherLength(chunk: ObjectID)
  /// The chunk was read, and no pack holds it whole.
  case damaged(chunk: ObjectID)

  /// The fault as an error, for whoever cannot go on.
  var error: StoreError {
    switch self {
    case .unreadable(let error): error
    case .missing(let id): .missing(id)
    case .otherLength(let id): .damaged(file: "chunk \(id.short)", reason: "it has the wrong length")
    case .damaged(let id): .damaged(file: "chunk \(id.short)", reason: "no pack holds it whole")
    }
  }

  /// The fault in words, for a report.
  var message: String {
    switch self {
    case .unreadable(let error): error.message
    case .missing(let id): "chunk \(id.short) is missing"
    case .otherLength(let id): "chunk \(id.short) has the wrong length"
    case .damaged(let id): "chunk \(id.short) is damaged"
    }
  }
}

/// What is hurt in one blob of a tree.
struct TreeDamage {
  /// The height of the blob.
  var level: UInt8 = 0
  /// Files that are hurt; without a name, the folder itself.
  var here: [(name: [UInt8]?, message: String)] = []
  /// Trees that are hurt: of a folder in it, or without a name a piece of the same folder.
  var below: [(name: [UInt8]?, tree: ObjectID)] = []

  var isEmpty: Bool { here.isEmpty && below.isEmpty }
}

/// What a walk has found out about one snapshot.
struct SnapshotFindings {
  /// Nil when it could not be read.
  var record: SnapshotRecord?
  /// Faults that have no path: of the record, of the lists beside the tree, of a value.
  var faults: [SnapshotFault] = []
  /// The tree, if something in it is hurt.
  var hurtTree: ObjectID?

  var isWhole: Bool { faults.isEmpty && hurtTree == nil }
}
