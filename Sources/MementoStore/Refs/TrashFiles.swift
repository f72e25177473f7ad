// The lists in trash/, for entries of the trash that are too many for `refs`. Each list is more than twice as large as
// the next, so that an entry is rewritten only a logarithmic number of times.

internal import MementoSystem

struct TrashFiles: Sendable {
  private static let sizeLimit = 1 << 30

  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// All entries, oldest first, as `Trash.merged` leaves them. Throws when a list cannot be read and has no copy.
  func entries(of trash: Trash) throws(StoreError) -> [TrashEntry] {
    var entries: [TrashEntry] = []
    for list in trash.lists { entries += try read(list) }
    return Trash.merged(entries + trash.recentEntries)
  }

  private func read(_ list: TrashList) throws(StoreError) -> [TrashEntry] {
    let path = "trash/\(list.file.short)…"
    let bytes: [UInt8]
    do throws(StoreError) {
      bytes = try contents(list.file, path)
    } catch {
      // Use the copy. The next list that is written contains its entries.
      guard error.isDamage, let copy = try StoreBackup(folder).bytes(ofList: list.file) else { throw error }
      bytes = copy
    }
    guard let entries = Trash.entries(bytes), entries.count == list.count else {
      throw .damaged(file: path, reason: "it has a line that is not understood")
    }
    return entries
  }

  private func contents(_ id: ObjectID, _ path: String) throws(StoreError) -> [UInt8] {
    let bytes = try openingPart(path) { () throws(Errno) -> [UInt8] in
      do throws(Errno) {
        let lists = try folder.root.open(StoreFolder.trashName, .directory)
        guard let bytes = try lists.contents(of: Array(id.description.utf8), limit: TrashFiles.sizeLimit) else {
          throw .notFound
        }
        return bytes
      } catch {
        throw error == .notDirectory ? .invalid : error
      }
    }
    guard ObjectID(hashing: bytes) == id else { throw .damaged(file: path, reason: "it is not what its name says") }
    return bytes
  }

  /// Moves the entries of `refs` to a list when there are too many. Merges short lists into it. A list that cannot be
  /// read stays as it is.
  func fold(_ trash: Trash) throws(Errno) -> Trash {
    if trash.recentCount <= Trash.longestRecent { return trash }
    var entries = trash.recentEntries
    var lists = trash.lists
    // One that cannot be read ends the merge.
    while let last = lists.last, last.count <= entries.count * 2, let older = try? read(last) {
      entries = older + entries
      lists.removeLast()
    }
    return try write(Trash.merged(entries), after: lists, trash)
  }

  /// The trash with these entries and no others. A few are part of `refs`, many are in one list.
  func replace(_ trash: Trash, with entries: [TrashEntry]) throws(Errno) -> Trash {
    if entries.count <= Trash.longestRecent { return trash.with(lists: [], recent: entries) }
    return try write(entries, after: [], trash)
  }

  private func write(_ entries: [TrashEntry], after lists: [TrashList], _ trash: Trash) throws(Errno) -> Trash {
    var lines: [UInt8] = []
    for entry in entries { entry.appendLine(to: &lines) }
    let list = TrashList(file: try write(lines), count: entries.count)
    // The same entries give the same name, so this list may be there already.
    return trash.with(lists: lists.filter { $0.file != list.file } + [list], recent: [])
  }

  /// Writes a list and its copy and returns its name. The list is durable when this returns, except with `--no-sync`.
  private func write(_ bytes: [UInt8]) throws(Errno) -> ObjectID {
    let id = try folder.writeList(bytes, in: StoreFolder.trashName, "trash")
    // An error does not matter: the list is whole without its copy.
    StoreBackup(folder).keep(list: bytes[...], named: id)
    return id
  }

  /// Removes the lists that neither `refs` nor `refs.prev` names. A failure is harmless: the next call removes them.
  func remove(allBut kept: [ObjectID]) {
    folder.removeUnneeded(in: StoreFolder.trashName) { name in ObjectID(name).map { !kept.contains($0) } ?? false }
  }
}
