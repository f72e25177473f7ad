// The files of the index: one table each, in `index/`. Derived: a table that cannot be written or removed costs the next run
// some reading, and nothing else.

internal import MementoSystem

struct IndexFiles: Sendable {
  /// Tables with up to this many rows are made in memory and stay there.
  static let smallTable = 16 << 10

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

  /// An empty builder, whose large parts are in files meanwhile.
  func builder() -> IndexTableBuilder {
    IndexTableBuilder(in: folder)
  }

  /// A table that no other process sees: in memory if it is small, else in a file without a name, which is there until the
  /// table goes. Where no file can be written, in memory.
  func temporaryTable(_ merge: IndexMerge) throws(IndexMerge.MergeError) -> IndexTable {
    try IndexFiles.temporaryTable(merge, in: folder)
  }

  static func temporaryTable(
    _ merge: IndexMerge, in folder: StoreFolder?
  ) throws(IndexMerge.MergeError) -> IndexTable {
    if let folder, merge.limit > smallTable {
      do throws(IndexMerge.MergeError) {
        if let table = try namelessTable(merge, in: folder) { return table }
      } catch .unwritable {
        // Memory takes its place.
      } catch {
        throw error
      }
    }
    return try merge.inMemory()
  }

  /// Throws `.unwritable` when there can be no such file; nil when it is not read as it was written.
  private static func namelessTable(
    _ merge: IndexMerge, in folder: StoreFolder
  ) throws(IndexMerge.MergeError) -> IndexTable? {
    let file: TemporaryFile
    do throws(Errno) { file = try folder.makeTemporary("index") } catch { throw .unwritable(error) }
    try merge.write(to: file.file)
    do throws(Errno) { return try IndexTable(reading: file.file, named: nil) } catch { throw .unwritable(error) }
  }

  /// Makes a table and writes it. When it cannot be written it is in memory only. Throws when a source cannot be read.
  func makeTable(_ merge: IndexMerge) throws(IndexMerge.MergeError) -> IndexTable {
    do throws(IndexMerge.MergeError) {
      return try write(merge)
    } catch .unwritable {
      return try merge.inMemory()
    } catch {
      throw error
    }
  }

  private func write(_ merge: IndexMerge) throws(IndexMerge.MergeError) -> IndexTable {
    var hasher = ContentHasher()
    for pack in merge.packs.map(\.id).sorted() { hasher.update(Array("\(pack)".utf8)) }
    let name = Array(hasher.finish().description.utf8.prefix(32))
    let file: TemporaryFile
    do throws(Errno) { file = try folder.makeTemporary("index") } catch { throw .unwritable(error) }
    try merge.write(to: file.file)
    let content = file.file
    do throws(Errno) {
      try file.place(as: name, in: folder.index, durable: false)
      if merge.limit > IndexFiles.smallTable, let table = try IndexTable(reading: content, named: name) { return table }
    } catch {
      throw .unwritable(error)
    }
    return try merge.inMemory(fileName: name)
  }

  /// Removes tables whose rows are in `table`, if that has a name: an old table tells nothing wrong. One that stays is merged
  /// or removed another time.
  func remove(_ old: [[UInt8]], replacedBy table: IndexTable) {
    guard let new = table.fileName else { return }
    for name in old where name != new { folder.index.removeUnneeded(name) }
  }

  /// Removes all other tables. Where these cannot be listed they stay.
  func removeAll(replacedBy table: IndexTable) {
    do throws(StoreError) {
      remove(try names(), replacedBy: table)
    } catch {
      // As above.
    }
  }
}
