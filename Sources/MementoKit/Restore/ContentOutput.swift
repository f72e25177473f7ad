// Writes one value or file to a descriptor, chunk by chunk, each checked against its id.

internal import MementoStore
internal import MementoSystem

struct ContentOutput {
  let repository: Repository

  func run(_ revision: String, path: BytePath?, to descriptor: Int32) throws(RepositoryError) {
    let lock = try repository.lockForReading()
    let (_, record) = try RevisionResolver(repository, try repository.readRefs()).resolve(revision)
    let value = try content(of: record, revision, path)
    let output = StreamOutput(descriptor)
    var pieces = ChunkListReader(value.content, size: value.size, in: repository.store)
    var reader = repository.store.blobReader()
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    while let piece = try next(&pieces) {
      if let id = piece.id {
        let bytes = try translating { () throws(StoreError) in try reader.read(id) }
        guard UInt64(bytes.count) == piece.length else {
          throw RepositoryError(
            .damaged, "the store is damaged: chunk \(id.short) has another length than its list says")
        }
        try write(bytes[...], to: output)
      } else {
        var rest = piece.length
        while rest > 0 {
          let count = Int(clamping: min(rest, UInt64(zeros.count)))
          try write(zeros[..<count], to: output)
          rest -= UInt64(count)
        }
      }
    }
    _ = consume lock
  }

  private func next(_ pieces: inout ChunkListReader) throws(RepositoryError) -> ContentPiece? {
    do throws(StoreError) {
      return try pieces.next()
    } catch {
      throw RepositoryError(error)
    }
  }

  private func content(
    of record: SnapshotRecord, _ revision: String, _ path: BytePath?
  ) throws(RepositoryError) -> SizedContent {
    switch record.body {
    case .value(let value):
      if let path {
        throw RepositoryError(.wrongKind, "\"\(revision)\" is a single value and has no \(path)", path: path)
      }
      return value
    case .tree(let tree, _):
      guard let path else {
        throw RepositoryError(
          .wrongKind, "\"\(revision)\" is a folder",
          advice: "name one file of it: memento restore \(revision) FILE --stdout")
      }
      let entry = try translating { () throws(StoreError) in
        try TreePath.entry(path, in: tree, repository.store)
      }
      guard let entry else {
        throw RepositoryError(.noSuchPath, "\"\(revision)\" has no \(path)", path: path)
      }
      guard case .file(let size, let content) = entry.content else {
        throw RepositoryError(.wrongKind, "\(path) is not a regular file in \"\(revision)\"", path: path)
      }
      return SizedContent(size: size, content: content)
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>, to output: StreamOutput) throws(RepositoryError) {
    do throws(Errno) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in try output.write(UnsafeRawBufferPointer(bytes)) }
    } catch {
      throw RepositoryError(.system, "cannot write the output: \(error)", systemError: error.code)
    }
  }
}
