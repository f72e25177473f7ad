// The reading side of the store: unpacks blocks and returns blobs whose content matches their ids.

internal import MementoSystem
internal import Synchronization

/// The open packs, shared by all readers: 64 at most.
package final class PackFiles: Sendable {
  private static let limit = 64
  private let storage: any PackStorage
  private let healed: HealedFiles
  private let open = Mutex<[ObjectID: PackReader]>([:])
  /// The last pack that was healed. Its table is read once, however many blocks are damaged.
  private let lastHealing = Mutex<(id: ObjectID, reader: PackReader)?>(nil)
  /// Blocks of trees and lists that were read; nil when the packs are on this machine.
  let kept: KeptRanges?

  /// `healed`: notes packs that were healed.
  init(_ storage: any PackStorage, _ healed: HealedFiles = HealedFiles()) {
    self.storage = storage
    self.healed = healed
    kept = storage is any DistantPackStorage ? KeptRanges() : nil
  }

  /// A reader that heals what is damaged in a pack. Nil when there is no parity of the pack.
  func healing(_ id: ObjectID) -> PackReader? {
    if let last = lastHealing.withLock({ $0 }), last.id == id { return last.reader }
    guard let reader = storage.openHealed(id) else { return nil }
    lastHealing.withLock { $0 = (id, reader) }
    return reader
  }

  /// Notes that something of a pack was damaged and could be healed.
  func noteHealed(_ id: ObjectID) {
    healed.add(.pack(id))
  }

  /// Returns the reader of a pack. Opens the pack if it is not open yet.
  func file(_ id: ObjectID) throws(StoreError) -> PackReader {
    if let file = open.withLock({ $0[id] }) { return file }
    let file = try storage.open(id)
    open.withLock { open in
      if open.count >= PackFiles.limit { open.removeAll(keepingCapacity: true) }
      open[id] = file
    }
    return file
  }

  /// Forgets all open packs. The next read opens its pack again.
  func close() {
    open.withLock { $0.removeAll() }
    kept?.forgetAll()
    lastHealing.withLock { $0 = nil }
  }
}

/// Reads blobs. Each worker has its own reader, which keeps the block that it unpacked last.
package struct BlobReader: ~Copyable {
  private let index: Index
  private let files: PackFiles
  private let decompressor = Decompressor()
  private var stored: [UInt8] = []
  private var block: [UInt8] = []
  private var current: (pack: UInt32, offset: UInt64)? {
    didSet { confirmed.removeAll(keepingCapacity: true) }
  }
  /// Blobs of the current block that are what their ids say, by their offsets in it.
  private var confirmed: [UInt32: (id: ObjectID, length: UInt32)] = [:]
  /// How many bytes of the current block are unpacked.
  private var unpacked = 0
  /// Stored bytes of a pack that were read ahead.
  private var ahead: (pack: UInt32, range: Range<UInt64>)?
  private var aheadBytes: [UInt8] = []

  init(index: Index, files: PackFiles) {
    self.index = index
    self.files = files
  }

  /// Reads the blob `id` at `place`, checks its bytes against the id and calls `body` with them. `end`: how many bytes
  /// of the block the caller is going to need, if it knows that; the reader then need not unpack the rest. Returns what
  /// `body` returns or throws. Throws `.damaged` when the bytes do not match, and the error of a read that fails.
  package mutating func withBlob<Result, Failure: Error>(
    _ id: ObjectID, at place: Location, end needed: Int? = nil,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(StoreError) -> Swift.Result<Result, Failure> {
    let end = Int(place.offset) + Int(place.length)
    let wanted = max(end, needed ?? Int(place.block.rawLength))
    do throws(StoreError) {
      try check(id, at: place) { (reader) throws(StoreError) in try reader.load(place, upTo: wanted) }
    } catch {
      try heal(id, at: place, after: error)
    }
    return block.withUnsafeBytes { block in
      Swift.Result { () throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: block[Int(place.offset)..<end])) }
    }
  }

  /// Checks blobs of one block, which takes less time than one by one. Those that are not what their ids say are left to
  /// `withBlob`. `blobs`: in the order of the block; one may come several times. `end`: how many bytes of the block the caller
  /// is going to need.
  package mutating func confirm(_ blobs: [(id: ObjectID, place: Location)], end: Int) {
    guard blobs.count > 1, let first = blobs.first?.place else { return }
    do throws(StoreError) {
      try load(first, upTo: end)
    } catch {
      // The read of a blob says what is wrong.
      return
    }
    var last: UInt32?
    let inside = blobs.filter { blob in
      defer { last = blob.place.offset }
      return blob.place.offset != last && Int(blob.place.offset) + Int(blob.place.length) <= unpacked
    }
    let found = block.withUnsafeBytes { block in
      ObjectID.hashing(
        inside.map { blob in
          let start = Int(blob.place.offset)
          return UnsafeRawBufferPointer(rebasing: block[start..<start + Int(blob.place.length)])
        })
    }
    for (blob, id) in zip(inside, found) where blob.id == id {
      confirmed[blob.place.offset] = (id, blob.place.length)
    }
  }

  /// Reads stored bytes of a pack in one go, so that the reads of the blocks in them ask for nothing. The bytes stay until the
  /// next call. What cannot be read so is left to the reads of the blocks: they say what is wrong.
  package mutating func readAhead(_ range: Range<UInt64>, ofPack pack: UInt32) {
    ahead = nil
    let count = Int(range.upperBound - range.lowerBound)
    if aheadBytes.count < count { aheadBytes = [UInt8](repeating: 0, count: count) }
    var read = 0
    do {
      let file = try files.file(index.packID(pack))
      try aheadBytes.withUnsafeMutableBytes { buffer in
        read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: range.lowerBound)
      }
    } catch {
      return
    }
    ahead = (pack, range.lowerBound..<range.lowerBound + UInt64(read))
  }

  /// Reads blocks of trees and lists in one go, if they come from elsewhere and several of them are not kept yet. `places`: in
  /// the order of one pack. What cannot be read so is left to the reads of the blocks: they say what is wrong.
  package func keep(_ places: some Collection<Location>) {
    guard let kept = files.kept, let pack = places.first.map({ index.packID($0.pack) }) else { return }
    let missing = places.filter { !kept.has($0.block, of: pack) }
    guard let start = missing.first?.block.offset, let last = missing.last?.block, last.offset > start else { return }
    guard let file = try? files.file(pack),
      let bytes = try? file.bytes(at: start, count: Int(last.offset - start) + Int(last.storedLength))
    else { return }
    kept.keep(bytes, at: start, of: pack)
  }

  /// Copies the stored bytes of a block into `stored`, if they are kept.
  private mutating func takeKept(_ place: Location) -> Bool {
    guard place.block.kind == .meta, let kept = files.kept else { return false }
    return stored.withUnsafeMutableBytes { kept.copy(place.block, of: index.packID(place.pack), into: $0) }
  }

  /// Copies the stored bytes of a block into `stored`, if they were read ahead.
  private mutating func takeAhead(_ place: Location) -> Bool {
    let start = place.block.offset
    let length = Int(place.block.storedLength)
    guard let ahead, ahead.pack == place.pack, ahead.range.lowerBound <= start,
      ahead.range.upperBound >= start + UInt64(length)
    else { return false }
    let offset = Int(start - ahead.range.lowerBound)
    stored.withUnsafeMutableBytes { stored in
      aheadBytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: stored[..<length])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
      }
    }
    return true
  }

  /// Loads the block of a blob and compares the blob with its id. Throws `.damaged` when they differ.
  private mutating func check(
    _ id: ObjectID, at place: Location, _ load: (inout BlobReader) throws(StoreError) -> Void
  ) throws(StoreError) {
    try load(&self)
    let start = Int(place.offset)
    let end = start + Int(place.length)
    guard end <= unpacked else {
      throw .damaged(file: describe(place), reason: "a blob lies outside of its block")
    }
    if let known = confirmed[place.offset], known == (id, place.length) { return }
    let found = block.withUnsafeBytes { ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    guard found == id else {
      throw .damaged(file: describe(place), reason: "blob \(id.short) is not what its name says")
    }
  }

  /// Loads the block of a blob through the parity of its pack. Throws `error`, with which the blob could not be read,
  /// when that does not help.
  private mutating func heal(_ id: ObjectID, at place: Location, after error: StoreError) throws(StoreError) {
    guard error.isDamage else { throw error }
    // Whatever is tried next is read anew.
    ahead = nil
    let pack = index.packID(place.pack)
    files.kept?.forget(pack)
    guard let healing = files.healing(pack) else {
      index.noteBad(id, place)
      throw error
    }
    do throws(StoreError) {
      try check(id, at: place) { (reader) throws(StoreError) in
        reader.current = nil
        try reader.load(place, from: healing, upTo: Int(place.block.rawLength))
      }
    } catch _ {
      current = nil
      index.noteBad(id, place)
      throw error
    }
    files.noteHealed(pack)
  }

  /// Returns the bytes of a blob from any pack that holds it undamaged. Throws `.missing` when no pack holds it, and
  /// `.damaged` or the error of the last read when no copy can be read or the blob has more than `limit` bytes.
  package mutating func read(_ id: ObjectID, limit: Int = PackFormat.largestBlock) throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      return try readKnown(id, limit: limit)
    } catch {
      // gc may have removed the pack after it had copied the blob to another one. If this attempt fails too, its error
      // is dropped: the code below throws the first error or that of a third attempt.
      if try index.reconcile(), let bytes = try? readKnown(id, limit: limit) { return bytes }
      // The index may be wrong, and not the pack: build it again from the packs.
      guard try index.recover() else { throw error }
      return try readKnown(id, limit: limit)
    }
  }

  /// Same as `read`, for a reader that is used only once.
  consuming func readOnce(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    try read(id)
  }

  /// Returns the whole unpacked block that holds `place`. The blobs in it are not checked against their ids. `spare`: memory
  /// that is used for it if it fits: a cache of small blocks must not hold the memory of large ones.
  mutating func block(at place: Location, reusing spare: consuming [UInt8]) throws(StoreError) -> [UInt8] {
    let storedLength = Int(place.block.storedLength)
    let rawLength = Int(place.block.rawLength)
    try fill(place, from: files.file(index.packID(place.pack)))
    var block = spare
    if !(rawLength...2 * rawLength).contains(block.capacity) {
      block = [UInt8](unsafeUninitializedCapacity: rawLength) { $1 = rawLength }
    } else if block.count < rawLength {
      block += repeatElement(0, count: rawLength - block.count)
    } else {
      block.removeLast(block.count - rawLength)
    }
    let fits = stored.withUnsafeBytes { stored in
      block.withUnsafeMutableBytes { block in
        decompressor.unpack(place.block.codec, UnsafeRawBufferPointer(rebasing: stored[..<storedLength]), into: block)
      }
    }
    guard fits else { throw unpackable(place) }
    return block
  }

  /// Returns the bytes of a block as they are stored, when all of its blobs are what their ids say.
  mutating func storedBlock(_ blobs: [(ObjectID, Location)]) throws(StoreError) -> [UInt8] {
    current = nil
    guard let block = blobs.first?.1.block else { return [] }
    for (id, place) in blobs {
      // Loads the block once. What was unpacked are these bytes, and no others.
      try check(id, at: place) { (reader) throws(StoreError) in
        try reader.load(place, upTo: Int(place.block.rawLength))
      }
    }
    return Array(stored[..<Int(block.storedLength)])
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
    try load(place, from: files.file(index.packID(place.pack)), upTo: end)
  }

  private mutating func load(_ place: Location, from file: PackReader, upTo end: Int) throws(StoreError) {
    let storedLength = Int(place.block.storedLength)
    let rawLength = Int(place.block.rawLength)
    // If the caller needs more than three quarters of the block, unpack all of it: unpacking it a second time from the
    // start would cost more.
    let wanted = end < rawLength - rawLength / 4 ? end : rawLength
    if block.count < rawLength { block = [UInt8](repeating: 0, count: rawLength) }
    try fill(place, from: file)
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
    guard fits else { throw unpackable(place) }
    current = (place.pack, place.block.offset)
    unpacked = wanted
  }

  /// Reads the stored bytes of a block into `stored`.
  private mutating func fill(_ place: Location, from file: PackReader) throws(StoreError) {
    let storedLength = Int(place.block.storedLength)
    current = nil
    if stored.count < storedLength { stored = [UInt8](repeating: 0, count: storedLength) }
    if takeAhead(place) || takeKept(place) { return }
    let read: Int
    do throws(Errno) {
      do throws(Errno) {
        read = try fill(storedLength, from: file, at: place.block.offset)
      } catch {
        // A medium may fail for a moment. Only what cannot be read twice counts as damaged.
        guard error == .input else { throw error }
        read = try fill(storedLength, from: file, at: place.block.offset)
      }
    } catch {
      throw .system(operation: "read", path: describe(place), error)
    }
    guard read == storedLength else {
      throw .damaged(file: describe(place), reason: FormatError.truncated.reason)
    }
    if place.block.kind == .meta, let kept = files.kept {
      kept.keep(Array(stored[..<storedLength]), at: place.block.offset, of: index.packID(place.pack))
    }
  }

  private func unpackable(_ place: Location) -> StoreError {
    .damaged(file: describe(place), reason: "the block at byte \(place.block.offset) cannot be unpacked")
  }

  /// Reads `count` bytes into `stored`. Returns how many there were.
  private mutating func fill(_ count: Int, from file: PackReader, at offset: UInt64) throws(Errno) -> Int {
    var outcome = Result<Int, Errno>.success(0)
    stored.withUnsafeMutableBytes { buffer in
      outcome = Result { () throws(Errno) in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
      }
    }
    return try outcome.get()
  }

  private func describe(_ place: Location) -> String {
    "packs/\(index.packID(place.pack).short)….pack"
  }
}
