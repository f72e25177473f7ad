// Records a single value: bytes from a descriptor, cut and stored like a file, with no folder around them.

internal import MementoStore
internal import MementoSystem

struct ValueSave {
  let repository: Repository
  let name: String
  let options: ValueOptions

  func run(
    reading descriptor: Int32, confirm: () throws(RepositoryError) -> Void
  ) throws(RepositoryError) -> SaveSummary {
    try StateName.validate(name)
    let lock = try repository.lockForNaming(changes: !options.isDryRun)
    let store = repository.store
    try repository.checkName(name, noClobber: options.noClobber, in: try repository.readRefs())
    let packs = try translating { () throws(StoreError) in try store.packWriter() }
    do throws(RepositoryError) {
      let sink: ObjectSink = options.isDryRun ? .memory(ScratchObjects(over: store)) : .packs(packs)
      let writer = ObjectWriter(sink, store: store)
      let value = try read(descriptor, into: writer)
      try confirm()
      return try record(value, writer, packs, holding: lock)
    } catch {
      packs.discard()
      throw error
    }
  }

  private func read(_ raw: Int32, into writer: ObjectWriter) throws(RepositoryError) -> SizedContent {
    let chunker = Chunker(sizes: repository.store.config.chunkSizes)
    let input = StreamInput(raw)
    var list = ChunkListBuilder()
    var filled = 0
    var isEnd = false
    while !isEnd || filled > 0 {
      do throws(Errno) {
        while !isEnd, filled < writer.buffer.count {
          let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: writer.buffer[filled...]))
          if count == 0 { isEnd = true }
          filled += count
        }
      } catch {
        throw RepositoryError(.system, "cannot read the value: \(error)", systemError: error.code)
      }
      var used = 0
      while used < filled {
        let rest = UnsafeRawBufferPointer(rebasing: writer.buffer[used..<filled])
        if !isEnd, rest.count < chunker.sizes.maximum { break }
        let length = chunker.firstCut(in: rest)
        try translating { () throws(StoreError) in
          let id = try writer.storeData(UnsafeRawBufferPointer(rebasing: rest[..<length]))
          try list.append(ContentPiece(length: UInt64(length), id: id), to: writer)
        }
        used += length
      }
      let rest = UnsafeRawBufferPointer(rebasing: writer.buffer[used..<filled])
      UnsafeMutableRawBufferPointer(rebasing: writer.buffer[..<rest.count]).copyMemory(from: rest)
      filled -= used
    }
    let size = list.size
    return try translating { () throws(StoreError) in SizedContent(size: size, content: try list.finish(writer)) }
  }

  private func record(
    _ value: SizedContent, _ writer: ObjectWriter, _ packs: PackWriter,
    holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> SaveSummary {
    let saved = try ValueCommit(repository: repository, writer: writer, packs: packs).run(
      [StoredValue(name: name, message: options.message, content: value)], noClobber: options.noClobber,
      isDryRun: options.isDryRun, holding: lock)[0]
    return SaveSummary(
      snapshot: Snapshot(saved), replaced: saved.record.replaces.map { SnapshotID($0) }, changes: ChangeCounts(),
      bytesRead: value.size, bytesStored: packs.bytesStored, problems: [], isCommitted: !options.isDryRun)
  }
}
