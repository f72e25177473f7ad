// Stores the blobs of one worker: takes bytes, returns their id, and stores them only if they are new. A dry run stores
// nothing. It keeps trees and lists in memory so that they can be compared.

internal import MementoStore
internal import Synchronization

/// The destination of blobs.
enum ObjectSink: Sendable {
  case packs(PackWriter)
  case memory(ScratchObjects)
}

/// The trees and lists of a walk that stores nothing. Reads from the store what the walk has not made.
final class ScratchObjects: BlobSource {
  private let store: Store
  private let blobs = Mutex<[ObjectID: [UInt8]]>([:])

  init(over store: Store) {
    self.store = store
  }

  func insert(_ id: ObjectID, _ bytes: [UInt8]) {
    blobs.withLock { $0[id] = bytes }
  }

  /// The length of a blob that the walk has made, in bytes. Nil for all others.
  func length(of id: ObjectID) -> UInt64? {
    blobs.withLock { $0[id].map { UInt64($0.count) } }
  }

  /// All blobs that the walk has made, always in the same order.
  var all: [(id: ObjectID, bytes: [UInt8])] {
    blobs.withLock { blobs in blobs.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    if let bytes = blobs.withLock({ $0[id] }) { return bytes }
    return try store.read(id)
  }
}

/// One worker at a time uses it, hence `@unchecked Sendable`.
final class ObjectWriter: BlobSink, @unchecked Sendable {
  private let sink: ObjectSink
  private var data: BlockWriter?
  private var meta: BlockWriter?
  /// Holds file bytes: a window, and room for the longest chunk that reaches beyond it.
  let buffer: UnsafeMutableRawBufferPointer
  /// Bytes per window.
  let window = 1 << 20
  /// Some of the chunks that the store had already. Nil where nobody asks for them.
  private(set) var known: KnownBlobs?

  /// `notesKnown`: whether to keep some of the chunks that the store has already in `known`.
  init(_ sink: ObjectSink, store: Store, notesKnown: Bool = false) {
    self.sink = sink
    known = notesKnown ? KnownBlobs() : nil
    buffer = .allocate(byteCount: window + store.config.chunkSizes.maximum, alignment: 4096)
    if case .packs(let writer) = sink {
      data = store.blockWriter(writer, .data)
      meta = store.blockWriter(writer, .meta)
    }
  }

  deinit {
    buffer.deallocate()
  }

  /// Stores a chunk of a file. `id`: its hash.
  func storeData(_ id: ObjectID, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard case .packs(let writer) = sink else { return }
    if writer.claim(id) { try data?.add(id, bytes) } else { known?.add(id) }
  }

  /// Stores a tree, a list or a snapshot.
  func storeMeta(_ bytes: [UInt8]) throws(StoreError) -> ObjectID {
    let id = ObjectID(hashing: bytes)
    switch sink {
    case .packs(let writer):
      if writer.claim(id) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
          try meta?.add(id, UnsafeRawBufferPointer(bytes))
        }
      }
    case .memory(let scratch):
      scratch.insert(id, bytes)
    }
    return id
  }

  /// Writes what has been gathered.
  func flush() throws(StoreError) {
    try data?.flush()
    try meta?.flush()
  }
}
