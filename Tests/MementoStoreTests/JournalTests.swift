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

  private func entries() -> [JournalEntry] {
    var reader = journal.newestFirst()
    var entries: [JournalEntry] = []
    while let entry = reader.next() { entries.append(entry) }
    return entries.reversed()
  }

  private func entry(_ number: Int, name: String? = nil) -> JournalEntry {
    JournalEntry(
      time: Timestamp(seconds: Int64(number), nanoseconds: 5), user: "someone", operation: "save",
      snapshot: number % 2 == 0 ? nil : ObjectID(hashing: "\(number)".bytes), name: name)
  }

  @Test func linesComeBackInOrder() {
    #expect(entries().isEmpty)
    let written = [
      entry(1, name: "a"), entry(2), entry(3, name: "exp/lr 0.1"), entry(4, name: "line\nline %41 é"),
    ]
    for entry in written { journal.append(entry) }
    #expect(entries() == written)
  }

  @Test func aUserIsAnyText() {
    var odd = entry(1)
    odd.user = "DOMAIN\\some one%"
    journal.append(odd)
    #expect(entries() == [odd])
  }

  @Test func damagedLinesAreSkipped() throws {
    journal.append(entry(1))
    let line = try fixture.directory.read("journal")
    let noise: [[UInt8]] = [
      "\n".bytes, "noise\n".bytes, "a b c d e\n".bytes, [0xff, 0xfe, 0x0a], Array(line.dropFirst(3)),
      Array(line.dropLast()) + " more\n".bytes, "2026-06-01T00:00:00.000000000Z %zz save - -\n".bytes,
    ]
    try fixture.directory.write("journal", Array(noise.joined()) + line + noise.joined() + line)
    #expect(entries() == [entry(1), entry(1)])
  }

  @Test func everyTruncationKeepsTheWholeLines() throws {
    for number in 1...3 { journal.append(entry(number, name: "x")) }
    let bytes = try fixture.directory.read("journal")
    for length in 0..<bytes.count {
      try fixture.directory.write("journal", Array(bytes.prefix(length)))
      let whole = bytes.prefix(length).count { $0 == 0x0a }
      #expect(entries().prefix(whole) == [1, 2, 3].prefix(whole).map { entry($0, name: "x") }[...])
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
    #expect(entries().isEmpty)
  }
}
