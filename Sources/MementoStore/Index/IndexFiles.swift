// The files of the index in `index/`, one for each table. They are derived data: when a table cannot be written or
// removed, the next command only has to read more.

internal import MementoSystem

struct IndexFiles: Sendable {
  /// Tables with up to this many rows are built in memory and stay there.
  static let smallTable = 16 << 10

  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// The names of all tables. Throws when `index/` cannot be listed.
  func names() throws(StoreError) -> [[UInt8]] {
    try onFile("read", "index") { () throws(Errno) in
      let listing = try DirectoryListing(reading: try folder.root.open(StoreFolder.indexName, .directory))
      return (0..<listing.count).map { listing.name(at: $0) }
    }
  }

  /// Opens a table. Removes a damaged one and returns nil. Throws when the file cannot be read: a later attempt may
  /// succeed, and the table may be the only list of the blobs of a damaged pack.
  func open(_ name: [UInt8]) throws(StoreError) -> IndexTable? {
    do throws(Errno) {
      if let table = try IndexTable(opening: name, in: folder.index) { return table }
      try folder.index.removeFile(name)
      return nil
    } catch {
      throw .system(operation: "read", path: "index/\(String(decoding: name, as: UTF8.self))", error)
    }
  }

  /// A new builder that keeps large parts in temporary files.
  func builder() -> IndexTableBuilder {
    IndexTableBuilder(in: folder)
  }

  /// Makes a table that no other process sees. A small one is in memory. A large one is in a file without a name, which
  /// lasts as long as the table; if the file cannot be written, it is in memory too. Throws when a source cannot be
  /// read.
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

  /// Makes a table and writes it into `index/`. If that fails, the table is in memory only. Throws when a source cannot
  /// be read.
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

  /// Removes the files of old tables whose rows are in `table`. Does nothing when `table` has no file. A file that
  /// cannot be removed is harmless: the rows of an old table are still true, and a later command merges or removes it.
  func remove(_ old: [[UInt8]], replacedBy table: IndexTable) {
    guard let new = table.fileName else { return }
    for name in old where name != new { folder.index.removeUnneeded(name) }
  }

  /// Removes the files of all other tables. If they cannot be listed, they stay.
  func removeAll(replacedBy table: IndexTable) {
    do throws(StoreError) {
      remove(try names(), replacedBy: table)
    } catch {
      // As above.
    }
  }
}
