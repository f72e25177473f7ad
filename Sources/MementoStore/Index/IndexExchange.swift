// What an index says of packs, for other machines and from them.

internal import Synchronization

extension Index {
  /// All packs that the tables list, with their sizes.
  package func listedPacks() -> [IndexedPack] {
    state.withLock { $0.tables }.flatMap { Array($0.table.packs) }
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
        var decoder = TableDecoder(length: UInt64(pack.table.count), blockEnd: end)
        try decoder.add(pack.table)
        contents.append(PackContents(id: pack.id, size: pack.size, contents: try decoder.finish()))
      } catch {
        throw .damaged(file: path, reason: error.reason)
      }
    }
    if !contents.isEmpty { add(contents, since: nil) }
  }
}
