// Directories whose entries are handed over in several pieces.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct EntryArenaTests {
  @Test func moreEntriesThanOnePieceHolds() throws {
    let shop = try RepositoryFixture()
    let target = [UInt8](repeating: UInt8(ascii: "t"), count: 3500)
    let count = 2 * EntryArena.pieceSize / target.count
    for number in 0..<count { try shop.folder.makeLink("link \(number)".bytes, to: target + "\(number)".bytes) }
    try shop.folder.write("file".bytes, "between".bytes)
    let before = try shop.state
    try shop.save("one")
    try shop.folder.remove("link 7".bytes)
    try shop.folder.makeLink("link 7".bytes, to: "changed".bytes)
    try shop.save("two")
    try shop.restore("one")
    #expect(try shop.state.differences(from: before) == [])
  }
}
