// What an index says of packs, for other machines and from them.

internal import MementoSystem
internal import Synchronization

extension Index {
  /// All packs that the tables list, with their sizes.
  package func listedPacks() -> [IndexedPack] {
    state.withLock { $0.tables }.flatMap { Array($0.table.packs) }
  }

  /// The size of all blobs of each pack that the tables list, in bytes before compression. No pack is asked.
  package func rawLengths() throws(StoreError) -> [ObjectID: UInt64] {
    var result: [ObjectID: UInt64] = [:]
    for numbered in state.withLock({ $0.tables }) {
      let packs = Array(numbered.table.packs)
      var lengths = [UInt64](repeating: 0, count: packs.count)
      try numbered.table.forEachBlock { (block) throws(StoreError) in
        if let block { lengths[Int(block.pack)] += UInt64(block.record.rawLength) }
      }
      // Several tables may list a pack; they say the same of it.
      for (pack, length) in zip(packs, lengths) { result[pack.id] = length }
    }
    return result
  }

  /// Takes over what another machine says of packs. `table`: the bytes of the table of contents; its SHA-256 is the name of
  /// the pack. Throws `.damaged` when one is not what it should be; nothing is taken over then.
  package func takeOver(_ packs: [(id: ObjectID, size: UInt64, table: [UInt8])]) throws(StoreError) {
    var contents: [PackContents] = []
    for pack in packs {
      let path = "packs/\(pack.id.short)….pack"
      guard ObjectID(hashing: pack.table) == pack.id else {
        throw .damaged(file: path, reason: "its table of contents is that of another pack")
      }
      let (end, overflow) = pack.size.subtractingReportingOverflow(UInt64(PackFormat.footerSize + pack.table.count))
      do throws(FormatError) {
        guard !overflow else { throw .truncated }
        let table = try TableOfContents(pack.table, blockEnd: end)
        contents.append(PackContents(id: pack.id, size: pack.size, contents: table))
      } catch {
        throw .damaged(file: path, reason: error.reason)
      }
    }
    if !contents.isEmpty { add(contents, since: nil) }
  }

  /// Takes over what a pack says of itself. Its bytes need not have a name yet. Returns its id and its size.
  package func takeOver(_ pack: PackReader) throws(StoreError) -> IndexedPack {
    let path = "packs"
    let size = try onFile("read", path) { () throws(Errno) in try pack.size() }
    let footerSize = UInt64(PackFormat.footerSize)
    guard size > footerSize else { throw .damaged(file: path, reason: "a pack is too short") }
    let footer = try onFile("read", path) { () throws(Errno) in
      try pack.bytes(at: size - footerSize, count: PackFormat.footerSize)
    }
    guard footer.count == PackFormat.footerSize else { throw .damaged(file: path, reason: "a pack was cut") }
    // Its end has the id, and `contents` checks that it is the right one.
    let id = footer.withUnsafeBytes { ObjectID(loading: $0.baseAddress! + 16) }
    let contents = try PackCheck.contents(pack, named: id)
    add([contents], since: nil)
    return IndexedPack(id: id, size: size)
  }
}

extension PackContents {
  /// Reads what a pack says of itself, and checks it against the name of the pack.
  package init(of pack: PackReader, named id: ObjectID) throws(StoreError) {
    self = try PackCheck.contents(pack, named: id)
  }
}
