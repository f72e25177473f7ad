// Reads one value or file of a snapshot, or writes it to a descriptor. Takes no lock, so nobody has to wait for a
// reader. When gc replaces a pack meanwhile, the reader finds the blob in the new pack.

internal import MementoStore
internal import MementoSystem

struct ContentOutput {
  let repository: Repository

  func open(_ revision: Revision, path: BytePath?) throws(RepositoryError) -> ContentReader {
    let record = try RevisionResolver(repository, try repository.readRefs()).resolve(revision).record
    return ContentReader(
      try content(of: record, revision, path), path: path ?? BytePath(""), in: repository)
  }

  func run(_ revision: Revision, path: BytePath?, to descriptor: Int32) throws(RepositoryError) {
    var reader = try open(revision, path: path)
    let output = StreamOutput(descriptor)
    while let bytes = try reader.next() {
      do throws(Errno) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
          try output.write(UnsafeRawBufferPointer(bytes))
        }
      } catch {
        throw RepositoryError(
          .system, "cannot write the output: \(error)", reason: .failedOutput, systemError: error.code)
      }
    }
  }

  private func content(
    of record: SnapshotRecord, _ revision: Revision, _ path: BytePath?
  ) throws(RepositoryError) -> SizedContent {
    switch record.body {
    case .value(let value):
      guard let path else { return value }
      throw RepositoryError(.wrongKind, "\"\(revision)\" is a single value and has no \(path)", path: path)
    case .tree:
      guard let path, !path.components.isEmpty else {
        throw RepositoryError(
          .wrongKind, "\"\(revision)\" is a folder", reason: .folderHasNoContent, revision: revision)
      }
      let entry = try SnapshotTree(repository, revision, record).entry(path)
      guard let content = entry.content else {
        throw RepositoryError(
          .wrongKind, "\(path) is not a regular file in \"\(revision)\"", reason: .notRegularFile,
          revision: revision, path: path)
      }
      return SizedContent(size: entry.size, content: content)
    }
  }
}
