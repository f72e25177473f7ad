// Compares a directory with its record in the cache. Both lists are sorted by name, so one pass is enough.

internal import MementoStore

struct CachedComparison {
  private let cached: CachedDirectory
  private var cursor: CachedDirectory.Cursor
  private var passed = 0
  private var isWhole = true
  private var differences: [EntryDifference] = []

  init(_ cached: CachedDirectory) {
    self.cached = cached
    cursor = CachedDirectory.Cursor(cached)
  }

  /// Adds the next entry of the directory as it is now.
  mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ encoded: UnsafeRawBufferPointer) {
    while let known = cursor.current {
      let order = known.order(to: name, in: cached.bytes)
      if order > 0 { break }
      if order == 0 {
        let isSame = cached.bytes[known.encoded].elementsEqual(encoded)
        return pass(known, isSame ? nil : EntryDifference(old: entry(known), new: entry(Array(encoded))))
      }
      pass(known, EntryDifference(old: entry(known), new: nil))
    }
    differences.append(EntryDifference(old: nil, new: entry(Array(encoded))))
  }

  /// The differences; nil when the cache is damaged.
  mutating func finish() -> [EntryDifference]? {
    while let known = cursor.current { pass(known, EntryDifference(old: entry(known), new: nil)) }
    return isWhole && passed == cached.entryCount ? differences : nil
  }

  private mutating func pass(_ known: CachedEntry, _ difference: EntryDifference?) {
    if let difference { differences.append(difference) }
    passed += 1
    cursor.advance()
  }

  private mutating func entry(_ known: CachedEntry) -> TreeEntry? {
    entry(Array(cached.bytes[known.encoded]))
  }

  private mutating func entry(_ bytes: [UInt8]) -> TreeEntry? {
    var reader = ByteReader(bytes)
    // When the cache is damaged, nothing is noted.
    let entry = try? TreeEntryCodec.decode(&reader)
    if entry == nil { isWhole = false }
    return entry
  }
}
