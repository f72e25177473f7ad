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

  @Test func eachContentIsSearchedOnce() throws {
    let file = try content("needle\n".bytes)
    let search = ContentSearch(
      shop.repository.store, try SearchPattern(text: "needle".bytes), .lines, isCancelled: { false })
    for _ in 0..<3 { #expect(try search.run([file, file])[file.content]?.count == 1) }
    #expect(search.searched == 1)
  }
}
