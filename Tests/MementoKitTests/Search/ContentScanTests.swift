// Contents of many pieces: what is found is what a look at all of the bytes finds.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct ContentScanTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private func content(_ bytes: [UInt8]) throws -> SizedContent {
    try shop.folder.write("file".bytes, bytes)
    try shop.save("one")
    let entry = try shop.repository.entry("one", path: "file")
    return SizedContent(size: entry.size, content: try #require(entry.content))
  }

  private func scan(_ content: SizedContent, _ pattern: SearchPattern, _ aim: ScanAim) -> ScanResult {
    ContentScan(shop.repository.store, pattern, aim, isCancelled: { false }).run(content)
  }

  @Test(arguments: 0..<4) func linesOfALargeFile(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var text: [UInt8] = []
    var expected: [Int] = []
    var line = 1
    while text.count < 6 << 20 {
      let isNeedle = Int.random(in: 0..<2000, using: &generator) == 0
      if isNeedle { expected.append(line) }
      text += "\(UInt64.random(in: 0...UInt64.max, using: &generator)) \(isNeedle ? "needle" : "hay")\n".bytes
      line += 1
    }
    let file = try content(text)
    let found = scan(file, try SearchPattern(text: "needle".bytes), .lines)
    #expect(found.lines.map(\.number) == expected && found.count == expected.count && !found.isBinary)
    #expect(scan(file, try SearchPattern(regularExpression: "n[e]+dle$".bytes), .lines).lines == found.lines)
    #expect(scan(file, SearchPattern(bytes: "needle\n".bytes), .occurrences).count == expected.count)
    #expect(scan(file, try SearchPattern(text: "needle".bytes), .presence).count == 1)
  }

  /// A line may have no end: memory is bounded, it is told once, and the number of the next line is right.
  @Test func aLongLine() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20)
    let file = try content("a\n".bytes + long + "needle".bytes + long + "needle\nneedle\n".bytes)
    let found = scan(file, try SearchPattern(text: "needle".bytes), .lines)
    #expect(found.lines.map(\.number) == [2, 3] && found.lines.last?.bytes == "needle".bytes)
    #expect(found.lines.allSatisfy { $0.bytes.count < 8 << 20 })
  }

  @Test func occurrencesDoNotOverlap() throws {
    let file = try content("aaaa aa a".bytes)
    #expect(scan(file, SearchPattern(bytes: "aa".bytes), .occurrences).count == 3)
  }

  @Test func whatIsNoText() throws {
    let file = try content("a\0b\nneedle\n".bytes)
    let found = scan(file, try SearchPattern(text: "needle".bytes), .lines)
    #expect(found.isBinary && found.count == 1 && found.lines.isEmpty)
  }

  @Test func aHole() throws {
    try shop.folder.truncate("file".bytes, to: 1 << 40)
    try shop.save("one")
    let entry = try shop.repository.entry("one", path: "file")
    let file = SizedContent(size: entry.size, content: try #require(entry.content))
    #expect(scan(file, try SearchPattern(text: "needle".bytes), .lines).count == 0)
  }

  /// A count by chunks is a count of the whole content, wherever the text lies across the borders of chunks.
  @Test(arguments: 0..<6) func occurrencesByChunks(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for text in ["needle", "x", "ab", "needle in hay"].map(\.bytes) {
      let counter = try #require(OccurrenceCount(text))
      for _ in 0..<50 {
        let words = [text, text, Array(text.prefix(1)), Array(text.suffix(1)), [0], "n".bytes]
        let bytes = (0..<Int.random(in: 0...30, using: &generator)).flatMap { _ in
          words.randomElement(using: &generator) ?? []
        }
        var parts: [ChunkOccurrences] = []
        var rest = bytes[...]
        while !rest.isEmpty {
          let part = rest.prefix(Int.random(in: 1...text.count * 2, using: &generator))
          rest = rest.dropFirst(part.count)
          parts.append(
            part.allSatisfy { $0 == 0 }
              ? counter.hole(UInt64(part.count)) : Array(part).withUnsafeBytes { counter.look(at: $0) })
          #expect(parts.last?.length == part.count)
        }
        let expected = ContentScanTests.occurrences(of: text, in: bytes)
        #expect(counter.total(of: parts) == expected, "\(bytes)")
      }
    }
    for text in ["", "aa", "abab", "\0", "\0\0", String(repeating: "x", count: 300)] {
      #expect(OccurrenceCount(text.bytes) == nil)
    }
  }

  private static func occurrences(of text: [UInt8], in bytes: [UInt8]) -> Int {
    var count = 0
    var place = 0
    while place + text.count <= bytes.count {
      let isHere = Array(bytes[place..<place + text.count]) == text
      count += isHere ? 1 : 0
      place += isHere ? text.count : 1
    }
    return count
  }

  /// Files that share chunks, with holes, and one that is damaged.
  @Test func occurrencesInManyFiles() throws {
    let part = Content.random(300_000, seed: 3)
    let needle = "needle".bytes
    let contents: [(name: String, bytes: [UInt8], count: Int)] = [
      ("none", part, 0), ("first", needle + part, 1), ("last", part + needle, 1),
      ("many", needle + needle + part + needle, 3),
      ("small", needle, 1), ("empty", [], 0),
    ]
    for (name, bytes, _) in contents { try shop.folder.write(name.bytes, bytes) }
    try shop.folder.truncate("hole".bytes, to: 1 << 22)
    try shop.save("one")
    let search = ContentSearch(
      shop.repository.store, SearchPattern(bytes: needle), .occurrences, isCancelled: { false })
    let files = try (contents + [("hole", [], 0)]).map { file in
      let entry = try shop.repository.entry("one", path: BytePath(file.name))
      return (SizedContent(size: entry.size, content: entry.content ?? .empty), file.count)
    }
    let results = try search.run(files.map(\.0))
    for (content, count) in files where content.size > 0 { #expect(results[content.content]?.count == count) }
    let lost = SizedContent(size: 5, content: FileContent(level: 1, id: ObjectID(hashing: "nothing".bytes)))
    #expect(try search.run([lost])[lost.content]?.failure != nil)
    let wrong = SizedContent(size: 7, content: files[4].0.content)
    let other = ContentSearch(shop.repository.store, SearchPattern(bytes: needle), .occurrences, isCancelled: { false })
    #expect(try other.run([wrong])[wrong.content]?.failure != nil)
  }

  @Test func eachContentIsSearchedOnce() throws {
    let file = try content("needle\n".bytes)
    let search = ContentSearch(
      shop.repository.store, try SearchPattern(text: "needle".bytes), .lines, isCancelled: { false })
    for _ in 0..<3 { #expect(try search.run([file, file])[file.content]?.count == 1) }
    #expect(search.searched == 1)
  }
}
