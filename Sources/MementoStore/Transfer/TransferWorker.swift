// Copies blocks for a transfer. Each worker has one.

internal import MementoSystem

struct TransferWorker: ~Copyable {
  private let source: Store
  private let packs: PackWriter
  private var reader: BlobReader
  private var data: BlockWriter
  private var meta: MetaBlockWriter
  private let decompressor = Decompressor()
  private var unpacked: [UInt8] = []

  init(_ source: Store, _ target: Store, _ packs: PackWriter) {
    self.source = source
    self.packs = packs
    reader = source.blobReader()
    data = target.blockWriter(packs, .data)
    meta = target.metaBlockWriter(packs)
  }

  /// Copies the wanted blobs of blocks that lie side by side.
  mutating func copy(_ plan: TransferPlan, _ run: TransferPlan.Run) throws(StoreError) {
    let read = read(plan, run)
    for number in run.blocks {
      let block = plan.blocks[number]
      let start = Int(block.record.offset - run.stored.range.lowerBound)
      let end = start + Int(block.record.storedLength)
      if let (bytes, reader) = read, end <= bytes.count, try copy(plan, block, bytes[start..<end], of: reader) {
        continue
      }
      try copyOneByOne(plan, block)
    }
  }

  mutating func finish() throws(StoreError) {
    try data.flush()
    try meta.flush()
  }

  /// The stored bytes. Nil when they cannot be read: the blobs are then read one by one, which heals, tries other packs and
  /// says what is wrong.
  private func read(_ plan: TransferPlan, _ run: TransferPlan.Run) -> (bytes: [UInt8], reader: PackReader)? {
    do throws(StoreError) {
      return try source.storedBytes(
        of: run.stored.pack, at: run.stored.range.lowerBound, count: run.stored.range.count)
    } catch {
      return nil
    }
  }

  /// Copies the wanted blobs of one block. False, with nothing copied, when a blob is not what its id says.
  private mutating func copy(
    _ plan: TransferPlan, _ block: TransferPlan.Block, _ stored: ArraySlice<UInt8>, of reader: PackReader
  ) throws(StoreError) -> Bool {
    let rawLength = Int(block.record.rawLength)
    if unpacked.count < rawLength { unpacked = [UInt8](repeating: 0, count: rawLength) }
    let codec = block.record.codec
    let isIntact = stored.withUnsafeBytes { stored in
      unpacked.withUnsafeMutableBytes { buffer in
        let raw = UnsafeMutableRawBufferPointer(rebasing: buffer[..<rawLength])
        guard decompressor.unpack(codec, stored, into: raw) else { return false }
        let parts = plan.parts[block.parts]
        guard parts.allSatisfy({ Int($0.offset) + Int($0.length) <= rawLength }) else { return false }
        let found = ObjectID.hashing(
          parts.map { part in
            UnsafeRawBufferPointer(rebasing: raw[Int(part.offset)..<Int(part.offset) + Int(part.length)])
          })
        return zip(parts, found).allSatisfy { plan.id($0) == $1 }
      }
    }
    guard isIntact else { return false }
    var claimed: [TransferPlan.Part] = []
    for part in plan.parts[block.parts] where packs.claim(plan.id(part)) { claimed.append(part) }
    if claimed.count == block.parts.count, plan.isWhole(block) {
      try append(plan, block, stored, of: reader)
      return true
    }
    for part in claimed {
      let range = Int(part.offset)..<Int(part.offset) + Int(part.length)
      var outcome = Result<Void, StoreError>.success(())
      unpacked.withUnsafeBytes { unpacked in
        outcome = Result { () throws(StoreError) in
          try add(plan.id(part), UnsafeRawBufferPointer(rebasing: unpacked[range]), block.record.kind)
        }
      }
      try outcome.get()
    }
    return true
  }

  private func append(
    _ plan: TransferPlan, _ block: TransferPlan.Block, _ stored: ArraySlice<UInt8>, of reader: PackReader
  ) throws(StoreError) {
    let blobs = plan.parts[block.parts].map { BlobRecord(id: plan.id($0), length: $0.length) }
    let record = block.record
    let origin = BlockOrigin(reader, record.offset)
    var outcome = Result<Void, StoreError>.success(())
    stored.withUnsafeBytes { stored in
      outcome = Result { () throws(StoreError) in
        // The arrangement is that of a save: the other store decides for itself what it sorts.
        try packs.append(
          record.kind, record.codec, .walk, rawLength: Int(record.rawLength), stored, blobs: blobs, origin: origin)
      }
    }
    try outcome.get()
  }

  private mutating func copyOneByOne(_ plan: TransferPlan, _ block: TransferPlan.Block) throws(StoreError) {
    for part in plan.parts[block.parts] where packs.claim(plan.id(part)) {
      let id = plan.id(part)
      let bytes = try reader.read(id)
      var outcome = Result<Void, StoreError>.success(())
      bytes.withUnsafeBytes { bytes in
        outcome = Result { () throws(StoreError) in try add(id, bytes, block.record.kind) }
      }
      try outcome.get()
    }
  }

  private mutating func add(
    _ id: ObjectID, _ bytes: UnsafeRawBufferPointer, _ kind: BlockKind
  ) throws(StoreError) {
    switch kind {
    case .data: try data.add(id, bytes)
    case .meta: try meta.add(id, bytes)
    }
  }
}
