import MementoObjects
import Testing

@testable import MementoSeal

struct RepositoryMarkerTests {
  private let id: RepositoryID
  private let name: ObjectName

  init() throws {
    id = try #require(RepositoryID("000102030405060708090a0b0c0d0e0f"))
    name = try Sample.name("format/000102030405060708090a0b0c0d0e0f")
  }

  private func read(_ text: String) throws(SealError) -> RepositoryMarker {
    try RepositoryMarker(Array(text.utf8), name: name)
  }

  @Test(arguments: [true, false]) func isText(_ isSealed: Bool) throws {
    let marker = RepositoryMarker(id: id, isSealed: isSealed)
    let text = "memento repository 1\nid \(id)\ncontents \(isSealed ? "sealed" : "plain")\n"
    #expect(marker.text == Array(text.utf8))
    #expect(marker.name == name)
    #expect(try read(text) == marker)
    #expect(try read(text + "colour blue\n") == marker)
  }

  @Test func newOnesDiffer() {
    #expect(RepositoryMarker(isSealed: true).id != RepositoryMarker(isSealed: true).id)
    #expect(RepositoryMarker.id(name) == id)
    #expect(ObjectName("format/x").flatMap { RepositoryMarker.id($0) } == nil)
  }

  @Test(arguments: [
    "memento repository 2\n", "memento repository 2\nid x\n", "memento repository 2\n\u{1}",
    "memento repository 1\nrequires magic\n",
  ])
  func saysWhenItIsNewer(_ text: String) {
    let error = #expect(throws: SealError.self) { try read(text) }
    #expect(error?.kind == .newer)
  }

  @Test(arguments: [
    "", "\n", "memento repository 1", "memento repository 1\n", "memento repository 01\n", "memento repository one\n",
    "memento repository 1\nid 000102030405060708090a0b0c0d0e0f\n",
    "memento repository 1\nid 000102030405060708090a0b0c0d0e0f\ncontents other\n",
    "memento repository 1\nid 000102030405060708090a0b0c0d0eff\ncontents plain\n",
    "memento repository 1\nid 000102030405060708090a0b0c0d0e0f\ncontents plain\ncontents sealed\n",
    "memento repository 1\nid 000102030405060708090A0B0C0D0E0F\ncontents plain\n",
    "memento repository 1\nid 000102030405060708090a0b0c0d0e0f\ncontents plain",
    "memento repository 1\nid\ncontents plain\n", "memento repository 99999999999999999999999\n",
    "memento repository 1\nid 000102030405060708090a0b0c0d0e0f\ncontents plain\nx "
      + String(repeating: "x", count: 5000) + "\n",
  ])
  func refusesWhatIsNoMarker(_ text: String) {
    let error = #expect(throws: SealError.self) { try read(text) }
    #expect(error?.kind == .damaged)
  }

  /// A flipped bit is an error, or the marker is the same. No flip makes a sealed repository a plain one.
  @Test func noFlipChangesIt() throws {
    let marker = RepositoryMarker(id: id, isSealed: true)
    for index in marker.text.indices {
      for bit in 0..<8 {
        var text = marker.text
        text[index] ^= 1 << bit
        do throws(SealError) {
          #expect(try RepositoryMarker(text, name: name) == marker)
        } catch {
          #expect([.damaged, .newer].contains(error.kind))
        }
      }
    }
  }
}
