// The writing end of one worker: bytes in, id out, stored only if new. In a dry run nothing is stored, and what describes
// is kept in memory so that it can be compared.

internal import MementoStore
internal import Synchronization

/// Where blobs go.
enum ObjectSink: Sendable {
  case packs(PackWriter)
  case memory(ScratchObjects)
}

/// Trees and lists of a walk that stores nothing.
final class ScratchObjects: BlobSource {
  private let store: Store
  private let blobs = Mutex<[ObjectID: [UInt8]]>([:])

  init(over store: Store) {
    self.store = store
  }

  func insert(_ id: ObjectID, _ bytes: [UInt8]) {
    blobs.withLock { $0[id] = bytes }
  }

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    if let bytes = blobs.withLock({ $0[id] }) { return bytes }
    return try store.read(id)
  }
}

/// Used by one worker at a time: hence `@unchecked Sendable`.
final class ObjectWriter: BlobSink, @unchecked Sendable {
  private let sink: ObjectSink
  private var data: BlockWriter?
  private var meta: BlockWriter?
  /// For reading files: a window and the longest chunk that may reach beyond it.
  let buffer: UnsafeMutableRawBufferPointer
  /// Bytes of a window.
  let window = 1 << 20

  init(_ sink: ObjectSink, store: Store) {
    self.sink = sink
    buffer = .allocate(byteCount: window + store.config.chunkSizes.maximum, alignment: 4096)
    if case .packs(let writer) = sink {
      data = store.blockWriter(writer, .data)
      meta = store.blockWriter(writer, .meta)
    }
  }

  deinit {
    buffer.deallocate()
  }

  /// Stores a chunk of a file.
  func storeData(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> ObjectID {
    let id = ObjectID(hashing: bytes)
    if case .packs(let writer) = sink, writer.claim(id) { try data?.add(id, bytes) }
    return id
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
