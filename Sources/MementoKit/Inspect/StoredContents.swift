// The stored contents of a batch of changed files. What several of them share is read once.

internal import MementoStore
internal import Synchronization

struct StoredContents: Sendable {
  private var contents: [FileContent: [UInt8]] = [:]

  /// Nothing: each content is read when it is asked for.
  init() {}

  /// Reads with all workers. What cannot be read is left out: whoever asks for it reads it again, and says what is wrong.
  init(_ entries: some Sequence<FileEntry>, in store: Store, _ pass: ChunkPass) {
    var chunks = ChunkSet()
    var added: [FileContent] = []
    for entry in entries {
      guard let content = entry.content, content.level > 0 else { continue }
      do throws(StoreError) {
        try chunks.add(SizedContent(size: entry.size, content: content), in: store)
        added.append(content)
      } catch {
        continue  // as above
      }
    }
    let read = Mutex([[UInt8]?](repeating: nil, count: chunks.ids.count))
    pass.run(chunks.ids) { number, bytes in
      let copy = Array(bytes)
      read.withLock { $0[number] = copy }
    }
    let bytes = read.withLock { $0 }
    for content in added where contents[content] == nil {
      guard let pieces = chunks.pieces(of: content) else { continue }
      contents[content] = StoredContents.joined(pieces, bytes)
    }
  }

  /// The content of these pieces; nil when one of them was not read, or is not as long as its list says.
  private static func joined(_ pieces: [(piece: ContentPiece, number: Int?)], _ chunks: [[UInt8]?]) -> [UInt8]? {
    var length = 0
    for (piece, number) in pieces {
      if let number, chunks[number].map({ UInt64($0.count) }) != piece.length { return nil }
      let (sum, isTooLong) = length.addingReportingOverflow(Int(clamping: piece.length))
      if isTooLong { return nil }
      length = sum
    }
    // Most files are one piece. Its copy is shared; of several, one is made.
    if pieces.count == 1, let number = pieces[0].number { return chunks[number] }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    for (piece, number) in pieces {
      if let number, let bytes = chunks[number] {
        result += bytes
      } else {
        result.append(contentsOf: repeatElement(0, count: Int(clamping: piece.length)))
      }
    }
    return result
  }

  /// All bytes of a content; nil when it was not read.
  subscript(content: FileContent) -> [UInt8]? { contents[content] }
}
