// Searches one content, piece by piece, so that a content of gigabytes takes the memory of a few chunks. Used by one
// thread, which keeps the block of the pack that it has unpacked last: versions of a file lie side by side in one.

internal import MementoStore
internal import MementoSystem

/// What is asked of a content.
enum ScanAim: Sendable {
  /// The lines with a match.
  case lines
  /// Whether there is a match.
  case presence
  /// How often a text occurs.
  case occurrences
}

/// A line of a content.
struct FoundLine: Sendable, Equatable {
  /// From 1.
  var number: Int
  var bytes: [UInt8]
}

/// What was found in a content.
struct ScanResult: Sendable {
  /// Of a content that is not text no line is told.
  var isBinary = false
  /// The matches: lines, or occurrences.
  var count = 0
  var lines: [FoundLine] = []
  /// Why it could not be read; what was found before counts.
  var failure: StoreError?
}

final class ContentScan {
  /// A content with a NUL in its first bytes is not text. git looks at as many.
  private static let head = 8000
  /// A line that is longer is searched in parts.
  private static let longestLine = 1 << 20
  /// So much of a part is searched again with the next one.
  private static let overlap = 4096
  /// A hole is longer than it looks: more zeros hold nothing else.
  private static let longestHole: UInt64 = 1 << 16

  private let store: Store
  private let pattern: SearchPattern
  private let aim: ScanAim
  private let isCancelled: @Sendable () -> Bool
  private var reader: BlobReader
  private let matcher: LineMatcher

  init(_ store: Store, _ pattern: SearchPattern, _ aim: ScanAim, isCancelled: @escaping @Sendable () -> Bool) {
    self.store = store
    self.pattern = pattern
    self.aim = aim
    self.isCancelled = isCancelled
    reader = store.blobReader()
    matcher = LineMatcher(pattern)
  }

  /// Searches a content. With `found`, passes lines on and does not collect them; when it returns false, the search ends.
  func run(_ content: SizedContent, found: ((FoundLine) -> Bool)? = nil) -> ScanResult {
    var result = ScanResult()
    do throws(StoreError) {
      if aim == .occurrences {
        try countOccurrences(in: content, &result)
      } else {
        try searchLines(of: content, &result, found)
      }
    } catch {
      result.failure = error
    }
    return result
  }

  /// Calls `body` with each chunk. Stops when it returns false.
  private func forEachPiece(
    of content: SizedContent, _ body: ([UInt8]) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var pieces = ChunkListReader(content.content, size: content.size, in: store)
    while let piece = try pieces.next() {
      if isCancelled() { throw .cancelled }
      let bytes: [UInt8]
      if let id = piece.id {
        bytes = try reader.read(id)
        guard UInt64(bytes.count) == piece.length else { throw .wrongLength(ofChunk: id) }
      } else {
        bytes = [UInt8](repeating: 0, count: Int(min(piece.length, ContentScan.longestHole)))
      }
      guard try body(bytes) else { return }
    }
  }

  private func countOccurrences(in content: SizedContent, _ result: inout ScanResult) throws(StoreError) {
    let text = pattern.bytes
    var rest: [UInt8] = []
    var count = 0
    try forEachPiece(of: content) { (piece) throws(StoreError) in
      let bytes = rest.isEmpty ? piece : rest + piece
      bytes.withUnsafeBytes { bytes in
        var place = 0
        while let found = ByteSearch.first(of: text, in: UnsafeRawBufferPointer(rebasing: bytes[place...])) {
          count += 1
          place += found + text.count
        }
        // The text may begin in this piece and end in the next one.
        rest = Array(bytes[max(place, bytes.count - text.count + 1, 0)...])
      }
      return true
    }
    result.count = count
  }

  /// Where a search of lines is in a content.
  private struct Progress {
    /// The number of the line that the next bytes begin with.
    var line = 1
    /// The line has been told, and more of it is to come.
    var isTold = false
  }

  private func searchLines(
    of content: SizedContent, _ result: inout ScanResult, _ found: ((FoundLine) -> Bool)?
  ) throws(StoreError) {
    var progress = Progress()
    var rest: [UInt8] = []
    var isFirst = true
    var goesOn = true
    var outcome = result
    try forEachPiece(of: content) { (piece) throws(StoreError) in
      let bytes = rest.isEmpty ? piece : rest + piece
      if isFirst { outcome.isBinary = bytes.prefix(ContentScan.head).contains(0) }
      isFirst = false
      let end = bytes.withUnsafeBytes { ByteSearch.last(UInt8(ascii: "\n"), in: $0) }
      if let end {
        goesOn = try search(bytes[...end], &progress, isLineEnd: true, &outcome, found)
        rest = Array(bytes[(end + 1)...])
      } else if bytes.count > ContentScan.longestLine {
        goesOn = try search(bytes[...], &progress, isLineEnd: false, &outcome, found)
        rest = Array(bytes.suffix(max(ContentScan.overlap, pattern.bytes.count)))
      } else {
        rest = bytes
      }
      return goesOn
    }
    if goesOn, !rest.isEmpty { _ = try search(rest[...], &progress, isLineEnd: true, &outcome, found) }
    result = outcome
  }

  /// Searches whole lines, or a part of a long one. Returns whether the search goes on.
  private func search(
    _ bytes: ArraySlice<UInt8>, _ progress: inout Progress, isLineEnd: Bool, _ result: inout ScanResult,
    _ found: ((FoundLine) -> Bool)?
  ) throws(StoreError) -> Bool {
    var current = progress
    var outcome = result
    defer {
      progress = current
      result = outcome
    }
    let ended = bytes.withUnsafeBytes { bytes in
      Result<Bool, StoreError> { () throws(StoreError) in
        var place = 0
        if current.isTold {
          guard let end = ByteSearch.first(UInt8(ascii: "\n"), in: bytes) else {
            current.isTold = !isLineEnd
            return true
          }
          place = end + 1
          current.line += 1
          current.isTold = false
        }
        while let line = try next(in: bytes, from: place) {
          current.line += ContentScan.lineBreaks(in: bytes[place..<line.lowerBound])
          outcome.count += 1
          // What the caller wants to know is known then.
          if aim == .presence || outcome.isBinary { return false }
          let told = FoundLine(number: current.line, bytes: Array(bytes[line]))
          if let found {
            if !found(told) { return false }
          } else {
            outcome.lines.append(told)
          }
          guard line.upperBound < bytes.count else {
            current.isTold = !isLineEnd
            return true
          }
          current.line += 1
          place = line.upperBound + 1
        }
        if place < bytes.count { current.line += ContentScan.lineBreaks(in: bytes[place...]) }
        return true
      }
    }
    return try ended.get()
  }

  private func next(in bytes: UnsafeRawBufferPointer, from place: Int) throws(StoreError) -> Range<Int>? {
    do throws(Errno) {
      return try matcher.next(in: bytes, from: place)
    } catch {
      throw .system(operation: "search", path: "", error)
    }
  }

  private static func lineBreaks(in bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var count = 0
    for byte in UnsafeRawBufferPointer(rebasing: bytes) where byte == UInt8(ascii: "\n") { count &+= 1 }
    return count
  }
}
