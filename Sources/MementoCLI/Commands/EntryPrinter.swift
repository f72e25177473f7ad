// Writes the entries of a folder in a snapshot to standard output while they are read.

import MementoKit

struct EntryPrinter {
  private let repository: Repository
  private let revision: Revision
  private let path: BytePath

  init(_ repository: Repository, _ revision: Revision, _ path: BytePath) {
    self.repository = repository
    self.revision = revision
    self.path = path
  }

  func write(isLong: Bool, isRecursive: Bool, in session: Session) throws {
    let table = EntryTable(form: session.form)
    guard isLong else {
      return try list(isRecursive) { try session.write(line: table.line($0, $1)) }
    }
    var batch: [(path: BytePath, entry: FileEntry)] = []
    try list(isRecursive) { path, entry in
      batch.append((path, entry))
      if batch.count < EntryTable.batch { return }
      for line in table.lines(batch) { try session.write(line: line) }
      batch = []
    }
    for line in table.lines(batch) { try session.write(line: line) }
  }

  func writeRecords(isLong: Bool, isRecursive: Bool, in session: Session) throws {
    try list(isRecursive) { try session.write(EntryTable.record($0, $1, isLong: isLong)) }
  }

  func writeDocument(isRecursive: Bool, in session: Session) throws {
    var entries: [EntryDocument] = []
    try list(isRecursive) { entries.append(EntryDocument($0, $1)) }
    try session.write(document: ListingDocument(try repository.snapshot(revision), path, entries))
  }

  private func list(_ isRecursive: Bool, _ visit: (BytePath, FileEntry) throws -> Void) throws {
    var entries = try repository.entries(revision, path: path, isRecursive: isRecursive)
    while let next = try entries.next() { try visit(next.path, next.entry) }
  }
}
