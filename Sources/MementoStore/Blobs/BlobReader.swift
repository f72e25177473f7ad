// The reading side of the store: unpacks blocks and hands out blobs that match their ids.

internal import MementoSystem
internal import Synchronization

/// Open packs, shared by all readers. At most `limit` are open.
package final class PackFiles: Sendable {
  private static let limit = 64
  private let storage: any PackStorage
  private let open = Mutex<[ObjectID: PackReader]>([:])

  init(_ storage: any PackStorage) {
    self.storage = storage
  }

  func file(_ id: ObjectID) throws(StoreError) -> PackReader {
    if let file = open.withLock({ $0[id] }) { return file }
    let file = try storage.open(id)
    open.withLock { open in
      if open.count >= PackFiles.limit { open.removeAll(keepingCapacity: true) }
      open[id] = file
    }
    return file
  }

  /// What is read next is opened anew.
  func close() {
    open.withLock { $0.removeAll() }
  }
}

/// Reads blobs; one a worker. Keeps the block it unpacked last.
package struct BlobReader: ~Copyable {
  private let index: Index
  private let files: PackFiles
  private let decompressor = Decompressor()
  private var stored: [UInt8] = []
  private var block: [UInt8] = []
  private var current: (pack: UInt32, offset: UInt64)?
  /// How much of the current block is unpacked, bytes.
  private var unpacked = 0

  init(index: Index, files: PackFiles) {
    self.index = index
    self.files = files
  }

  /// Calls `body` with the bytes of a blob, which match `id`. `end`: how much of the block will be asked for, bytes, when
  /// that is known: the rest need not be unpacked.
  package mutating func withBlob<Result, Failure: Error>(
    _ id: ObjectID, at place: Location, end needed: Int? = nil,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(StoreError) -> Swift.Result<Result, Failure> {
    let start = Int(place.offset)
    let end = start + Int(place.length)
    try load(place, upTo: max(end, needed ?? Int(place.block.rawLength)))
    guard end <= unpacked else {
      throw .damaged(file: describe(place), reason: "a blob lies outside of its block")
    }
    let result = block.withUnsafeBytes { block -> Swift.Result<Result, Failure>? in
      let bytes = UnsafeRawBufferPointer(rebasing: block[start..<end])
      guard ObjectID(hashing: bytes) == id else { return nil }
      return Swift.Result { () throws(Failure) in try body(bytes) }
    }
    guard let result else {
      throw .damaged(file: describe(place), reason: "blob \(id.short) is not what its name says")
    }
    return result
  }

  /// The bytes of a blob, from whichever pack holds it undamaged.
  package mutating func read(_ id: ObjectID, limit: Int = PackFormat.largestBlock) throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      return try readKnown(id, limit: limit)
    } catch {
      // The pack may have gone, and the blob with it to another.
      // When it does not help, the reason is that of the last attempt.
      if try index.reconcile(), let bytes = try? readKnown(id, limit: limit) { return bytes }
      // The index may be at fault and not the pack.
      guard try index.recover() else { throw error }
      return try readKnown(id, limit: limit)
    }
  }

  /// As `read`, by a reader that is not needed again.
  consuming func readOnce(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    try read(id)
  }

  /// The whole block that a place lies in, unpacked; blobs in it are not checked.
  mutating func block(at place: Location) throws(StoreError) -> [UInt8] {
    try load(place, upTo: Int(place.block.rawLength))
    return Array(block[..<Int(place.block.rawLength)])
  }

  private mutating func readKnown(_ id: ObjectID, limit: Int) throws(StoreError) -> [UInt8] {
    var failure = StoreError.missing(id)
    for place in try index.places(of: id) {
      guard Int(place.length) <= limit else {
        throw .damaged(file: describe(place), reason: "blob \(id.short) is larger than it can be")
      }
      do throws(StoreError) {
        return try withBlob(id, at: place) { Array($0) }.get()
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private mutating func load(_ place: Location, upTo end: Int) throws(StoreError) {
    if let current, current == (place.pack, place.block.offset), unpacked >= min(end, Int(place.block.rawLength)) {
      return
    }
    current = nil
    let file = try files.file(index.packID(place.pack))
    let storedLength = Int(place.block.storedLength)
    let rawLength = Int(place.block.rawLength)
    if stored.count < storedLength { stored = [UInt8](repeating: 0, count: storedLength) }
    // Beginning anew costs more than the last quarter.
    let wanted = end < rawLength - rawLength / 4 ? end : rawLength
    if block.count < rawLength { block = [UInt8](repeating: 0, count: rawLength) }
    let offset = place.block.offset
    let read: Int
    do throws(Errno) {
      var outcome = Result<Int, Errno>.success(0)
      stored.withUnsafeMutableBytes { buffer in
        outcome = Result { () throws(Errno) in
          try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<storedLength]), at: offset)
        }
      }
      read = try outcome.get()
    } catch {
      throw .system(operation: "read", path: describe(place), error)
    }
    guard read == storedLength else {
      throw .damaged(file: describe(place), reason: FormatError.truncated.reason)
    }
    let fits = stored.withUnsafeBytes { stored in
      block.withUnsafeMutableBytes { block in
        let bytes = UnsafeRawBufferPointer(rebasing: stored[..<storedLength])
        return wanted == rawLength
          ? decompressor.unpack(
            place.block.codec, bytes, into: UnsafeMutableRawBufferPointer(rebasing: block[..<rawLength]))
          : decompressor.unpackStart(
            place.block.codec, bytes, into: UnsafeMutableRawBufferPointer(rebasing: block[..<wanted]))
      }
    }
    guard fits else {
      throw .damaged(
        file: describe(place), reason: "the block at byte \(place.block.offset) cannot be unpacked")
    }
    current = (place.pack, place.block.offset)
    unpacked = wanted
  }

  private func describe(_ place: Location) -> String {
    "packs/\(index.packID(place.pack).short)….pack"
  }
}
