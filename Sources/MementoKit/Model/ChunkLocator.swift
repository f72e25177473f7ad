// Finds the chunk of a content that holds a byte. Only the lists on the way to it are read.

internal import MementoStore

/// Keeps the lists that it read last, one of each height: what is asked for next is mostly close.
struct ChunkLocator {
  /// A list with all of its pieces.
  private struct OpenList {
    /// Where it begins in the content.
    let start: UInt64
    let level: UInt8
    /// Where each piece ends, from `start` on.
    var ends: [UInt64] = []
    var ids: [ObjectID?] = []

    var length: UInt64 { ends.last ?? 0 }

    /// The piece that holds the byte at `offset`, from `start` on.
    func number(at offset: UInt64) -> Int {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if ends[middle] <= offset { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private let content: SizedContent
  private let source: any MetaSource
  private var open: [OpenList] = []

  init(_ content: SizedContent, in source: any MetaSource) {
    self.content = content
    self.source = source
  }

  /// The chunk or hole that holds the byte at `offset`, which is less than the size, and where it begins in the content.
  mutating func piece(at offset: UInt64) throws(StoreError) -> (start: UInt64, piece: ContentPiece) {
    if content.content.level < 2 {
      return (0, ContentPiece(length: content.size, id: content.content.id))
    }
    while let last = open.last, offset < last.start || offset - last.start >= last.length { open.removeLast() }
    if open.isEmpty {
      try enter(ContentPiece(length: content.size, id: content.content.id), at: 0, level: content.content.level)
    }
    while true {
      let list = open[open.count - 1]
      let number = list.number(at: offset - list.start)
      let before = number == 0 ? 0 : list.ends[number - 1]
      let piece = ContentPiece(length: list.ends[number] - before, id: list.ids[number])
      let start = list.start + before
      if piece.id == nil || list.level == 2 { return (start, piece) }
      try enter(piece, at: start, level: list.level - 1)
    }
  }

  private mutating func enter(_ piece: ContentPiece, at start: UInt64, level: UInt8) throws(StoreError) {
    guard let id = piece.id else { return }
    var blob = try ChunkListBlob(id, in: source)
    guard blob.level == level else {
      throw StoreError.damagedList(id, FormatError("it is not a chunk list of height \(level)"))
    }
    var list = OpenList(start: start, level: level)
    while let next = try blob.next() {
      // A list may say in one byte that there is a hole: one after the other, they take the memory of one.
      if next.id == nil, let last = list.ids.last, last == nil {
        list.ends[list.ends.count - 1] = blob.total
      } else {
        list.ends.append(blob.total)
        list.ids.append(next.id)
      }
    }
    guard blob.total == piece.length else { throw StoreError.damagedList(id, ChunkListFormat.wrongTotal) }
    open.append(list)
  }
}
