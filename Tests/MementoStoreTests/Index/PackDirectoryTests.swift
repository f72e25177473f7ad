import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct PackDirectoryTests {
  let fixture: StoreFixture
  let directory: PackDirectory

  init() throws {
    fixture = try StoreFixture()
    directory = PackDirectory(LocalPacks(try fixture.folder()))
  }

  private func makePack(_ number: UInt64, size: Int = 10) throws -> ObjectID {
    let id = ObjectID(number, 0, 0, 0)
    try fixture.directory.write("packs/\(id).pack", Content.zeros(size))
    return id
  }

  private func rows(_ ids: [ObjectID], size: UInt64 = 10) -> PackRows {
    PackRows(ids.map { IndexedPack(id: $0, size: size) })
  }

  @Test func newPacksAreNamedUntilTheyHaveANumber() throws {
    let ids = [try makePack(2), try makePack(1)]
    try fixture.directory.write("packs/no pack", [])
    let changes = try #require(try directory.changes(again: false))
    #expect(changes.new == ids.reversed())
    #expect(directory.number(rows(changes.new)) == 0)
    #expect(directory.accept(changes, isWhole: true))
    let again = try #require(try directory.changes(again: true))
    #expect(again.new.isEmpty)
    #expect(!directory.accept(again, isWhole: true))
    #expect(directory.number(of: ids[0]) == 1)
    #expect(directory.id(0) == ids[1])
    #expect(directory.gone.isEmpty)
  }

  @Test func packsThatGoAreGoneUntilTheyAreBack() throws {
    let ids = [try makePack(1), try makePack(2)]
    _ = directory.number(rows(ids))
    let name = "packs/\(ids[1]).pack"
    try fixture.directory.rename(name, to: "hidden")
    _ = try directory.changes(again: true)
    #expect(directory.gone == [1])
    try fixture.directory.rename("hidden", to: name)
    _ = try directory.changes(again: true)
    #expect(directory.gone.isEmpty)
  }

  @Test func packsOfRetiredTablesAreNewAgainAndKeepTheirNumbers() throws {
    let id = try makePack(1)
    let first = directory.number(rows([id]))
    directory.retire([first])
    #expect(try directory.changes(again: true)?.new == [id])
    #expect(directory.id(first) == id)
    #expect(directory.number(rows([id])) == first + 1)
    #expect(try directory.changes(again: true)?.new == [])
  }

  @Test func onlyPacksOfTheRightSizeAreIntact() throws {
    let ids = [try makePack(1), try makePack(2, size: 9)]
    _ = directory.number(rows(ids))
    #expect(directory.isIntact(0))
    #expect(!directory.isIntact(1))
    #expect(try directory.allIntact() == [ids[0]])
    // The pack was seen in full size and still counts as intact, until a save forgets that.
    try fixture.directory.descriptor.removeFile("packs/\(ids[0]).pack".bytes)
    #expect(directory.isIntact(0))
    _ = directory.forgetIntact()
    #expect(!directory.isIntact(0))
  }
}
