// The files of the index: one table each, in `index/`. Derived: a table that cannot be written or removed costs the next run
// some reading, and nothing else.

internal import MementoSystem

struct IndexFiles: Sendable {
  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// The names of all tables. Throws when they cannot be listed.
  func names() throws(StoreError) -> [[UInt8]] {
    try onFile("read", "index") { () throws(Errno) in
      let listing = try DirectoryListing(reading: try folder.root.open(StoreFolder.indexName, .directory))
      return (0..<listing.count).map { listing.name(at: $0) }
    }
  }

  /// Opens a table. One that is damaged is removed, and the result is nil. Throws when it cannot be read: it may be read
  /// another time, and of a damaged pack it may be all there is.
  func open(_ name: [UInt8]) throws(StoreError) -> IndexTable? {
    do throws(Errno) {
      if let table = try IndexTable(opening: name, in: folder.index) { return table }
      try folder.index.removeFile(name)
      return nil
    } catch {
      throw .system(operation: "read", path: "index/\(String(decoding: name, as: UTF8.self))", error)
    }
  }

  /// Makes a table, which takes the place of others. When it cannot be written it is in memory only, and the others stay: an
  /// old table tells nothing wrong.
  func makeTable(_ builder: IndexTableBuilder, replacing old: [[UInt8]]) -> IndexTable {
    var hasher = ContentHasher()
    for pack in builder.packs.sorted(by: { $0.id < $1.id }) { hasher.update(Array("\(pack.id)".utf8)) }
    let name = Array(hasher.finish().description.utf8.prefix(32))
    do throws(Errno) {
      let file = try folder.makeTemporary("index")
      try file.write(IndexTable.header(builder))
      try file.write(builder.entryBytes)
      try file.place(as: name, in: folder.index, durable: false)
    } catch {
      return IndexTable(builder)
    }
    // A table that stays is merged or removed another time.
    for table in old where table != name { try? folder.index.removeFile(table) }
    return IndexTable(builder, fileName: name)
  }

  /// The same in place of all tables there are. Where these cannot be listed they stay.
  func makeTable(replacingAll builder: IndexTableBuilder) -> IndexTable {
    // As above.
    makeTable(builder, replacing: (try? names()) ?? [])
  }
}
