// A list in `trash/` that another program could write, under its right name.

import MementoStore
import MementoSystem
import TestSupport
import Testing

struct TrashListTests {
  private let fixture: StoreFixture
  private let file: RefsFile

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder(), clock: TestClock().read)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  /// Puts a list in the place of the only one, and names it in `refs`.
  private func forge(_ list: [UInt8], instead old: String) throws {
    let name = ObjectID(hashing: list).description
    try fixture.directory.write("trash/\(name)", list)
    let text = String(decoding: try fixture.directory.read("refs"), as: UTF8.self).replacing(old, with: name)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let body = lines.dropFirst(2).joined(separator: "\n")
    try fixture.directory.write("refs", "\(lines[0])\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
  }

  /// The last line has a newline, as every other: without it, nobody knows whether the name at its end is whole.
  @Test func aListThatEndsWithinALineIsDamaged() throws {
    _ = try file.update(waiting: 10) { refs in refs.states.set((0..<200).map { ("n\($0)", id($0)) }) }
    _ = try file.update(waiting: 10) { refs in refs.states.set((0..<200).map { ("n\($0)", nil) }) }
    let name = String(try fixture.onlyFile("trash").dropFirst("trash/".count))
    let list = try fixture.directory.read("trash/\(name)")
    func read() throws -> [String?] {
      let file = RefsFile(try fixture.folder())
      return try file.trash(file.read()).map(\.name)
    }
    let known = try read()
    #expect(known.count == 200)
    // A line more or less is not what `refs` say; an empty line and a cut one are no lines.
    for other in [list.dropLast(), list.dropLast(2), list + [0x0a], list + list.prefix { $0 != 0x0a } + [0x0a]] {
      let before = try fixture.directory.read("refs")
      try forge(Array(other), instead: name)
      #expect(outcome { try read() } == .damaged)
      try fixture.directory.write("refs", before)
    }
    // Another list of the same length is what it says it is.
    let renamed = String(decoding: list, as: UTF8.self).replacing(" n1\n", with: " m1\n")
    try forge(renamed.bytes, instead: name)
    #expect(try read().filter { $0?.hasPrefix("m") == true } == ["m1"])
  }
}
