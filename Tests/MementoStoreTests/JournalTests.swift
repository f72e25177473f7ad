import MementoStore
import MementoSystem
import TestSupport
import Testing

struct JournalTests {
  let fixture: StoreFixture
  let journal: Journal

  init() throws {
    fixture = try StoreFixture()
    journal = Journal(try fixture.folder())
  }

  private func entries() throws -> [JournalEntry] {
    var reader = try journal.newestFirst()
    var entries: [JournalEntry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries.reversed()
  }

  private func entry(_ number: Int, name: String? = nil) -> JournalEntry {
    JournalEntry(
      time: Timestamp(seconds: Int64(number), nanoseconds: 5), user: "someone", operation: "save",
      snapshot: number % 2 == 0 ? nil : ObjectID(hashing: "\(number)".bytes), name: name)
  }

  @Test func linesComeBackInOrder() throws {
    #expect(try entries().isEmpty)
    let written = [
      entry(1, name: "a"), entry(2), entry(3, name: "exp/lr 0.1"), entry(4, name: "line\nline %41 é"),
    ]
    for entry in written { journal.append(entry) }
    #expect(try entries() == written)
  }

  @Test func aUserIsAnyText() throws {
    var odd = entry(1)
    odd.user = "DOMAIN\\some one%"
    journal.append(odd)
    #expect(try entries() == [odd])
  }

  @Test func damagedLinesAreSkipped() throws {
    journal.append(entry(1))
    let line = try fixture.directory.read("journal")
    let noise: [[UInt8]] = [
      "\n".bytes, "noise\n".bytes, "a b c d e\n".bytes, [0xff, 0xfe, 0x0a], Array(line.dropFirst(3)),
      Array(line.dropLast()) + " more\n".bytes, "2026-06-01T00:00:00.000000000Z %zz save - -\n".bytes,
    ]
    try fixture.directory.write("journal", Array(noise.joined()) + line + noise.joined() + line)
    #expect(try entries() == [entry(1), entry(1)])
  }

  @Test func everyTruncationKeepsTheWholeLines() throws {
    for number in 1...3 { journal.append(entry(number, name: "x")) }
    let bytes = try fixture.directory.read("journal")
    for length in 0..<bytes.count {
      try fixture.directory.write("journal", Array(bytes.prefix(length)))
      let whole = bytes.prefix(length).count { $0 == 0x0a }
      #expect(try entries().prefix(whole) == [1, 2, 3].prefix(whole).map { entry($0, name: "x") }[...])
    }
  }

  @Test func isWrittenPrivatelyAndNotThroughALink() throws {
    journal.append(entry(1))
    #expect(try fixture.directory.status("journal").permissions == 0o600)
    try fixture.directory.rename("journal", to: "elsewhere")
    let before = try fixture.directory.read("elsewhere")
    try fixture.directory.descriptor.makeSymbolicLink("journal".bytes, target: "elsewhere".bytes)
    journal.append(entry(2))
    #expect(try fixture.directory.read("elsewhere") == before)
    #expect(outcome { try journal.newestFirst() } == .system(.loop))
  }

  @Test func aRenameHasTwoNames() throws {
    var renamed = entry(1, name: "new name")
    renamed.operation = "rename"
    renamed.formerName = "old%name"
    journal.append(renamed)
    #expect(try entries() == [renamed])
  }

  /// Lines of different lengths, which cross the borders of the pieces that are read at once.
  @Test func manyLinesComeBackNewestFirst() throws {
    var generator = SplitMix64(seed: 1)
    let written = (0..<3000).map { entry($0, name: String(repeating: "é", count: Int(generator.next() % 90) + 1)) }
    journal.append(written)
    #expect(try entries() == written)
    var reader = try journal.newestFirst()
    for entry in written.suffix(5).reversed() {
      let next = try reader.next()
      #expect(next == entry)
    }
    // A copy continues independently.
    var copy = reader
    for number in 0..<1000 {
      let next = try copy.next()
      #expect(next == written[2994 - number])
    }
    let next = try reader.next()
    #expect(next == written[2994])
  }

  @Test func linesAreChosenByTheirBytes() throws {
    journal.append((0..<100).map { entry($0, name: "n\($0)") })
    var reader = try journal.newestFirst()
    let seventh = try reader.next { $0.reversed().starts(with: "7n".utf8) }
    #expect(seventh == entry(7, name: "n7"))
    let none = try reader.next { $0.reversed().starts(with: "8n".utf8) }
    #expect(none == nil)
  }

  /// A line that is too long is skipped. The lines before and after it are not.
  @Test(arguments: [5000, 70_000, 200_000]) func endlessLinesArePassedOver(_ length: Int) throws {
    journal.append(entry(1))
    let line = try fixture.directory.read("journal")
    let long = Array(line.dropLast()) + [UInt8](repeating: UInt8(ascii: "x"), count: length) + [0x0a]
    try fixture.directory.write("journal", line + long + line + long + Array(long.dropLast()))
    #expect(try entries() == [entry(1), entry(1)])
    // An interrupted save has left half a line. Only the next line is lost with it.
    journal.append(entry(3))
    journal.append(entry(5))
    #expect(try entries() == [entry(1), entry(1), entry(5)])
  }
}
