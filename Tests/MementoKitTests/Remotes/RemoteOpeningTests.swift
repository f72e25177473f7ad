import MementoObjects
import MementoSeal
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteOpeningTests {
  private func opening(hasSlot: Bool = true) throws -> RemoteOpening {
    let marker = RepositoryMarker(isSealed: hasSlot)
    let slot = try KeySlot(
      wrapping: MasterKey(), with: .passphrase("correct horse".bytes), label: "host".bytes, of: marker.id,
      made: Timestamp(seconds: 1_700_000_000, nanoseconds: 5), scrypt: RemoteTests.quickScrypt)
    func listed(_ name: ObjectName, _ size: Int) -> ListedObject {
      ListedObject(name: name, size: UInt64(size), modified: Timestamp(seconds: -3, nanoseconds: 999_999_999))
    }
    return RemoteOpening(
      marker: listed(marker.name, marker.text.count),
      slot: hasSlot ? (listed(slot.name, slot.text.count), slot) : nil)
  }

  @Test(arguments: [true, false])
  func anOpeningComesBack(_ hasSlot: Bool) throws {
    let opening = try opening(hasSlot: hasSlot)
    #expect(RemoteOpening(opening.encoded()) == opening)
  }

  /// What is not whole says nothing, or less.
  @Test func aCutFileIsNoOther() throws {
    let opening = try opening()
    let bytes = opening.encoded()
    for length in 0..<bytes.count {
      let cut = RemoteOpening(Array(bytes.prefix(length)))
      #expect(cut == nil || cut == RemoteOpening(marker: opening.marker), "\(length)")
    }
    for bit in stride(from: 0, to: bytes.count * 8, by: 3) { _ = RemoteOpening(Content.flipping(bytes, bit: bit)) }
  }

  /// The file is a note, and nothing depends on it: it may be gone, rubbish, or about a key that was removed.
  @Test func aRemoteIsOpenedWithoutIt() throws {
    let place = try TemporaryDirectory()
    let url = try RemoteURL("file://\(place.path)/remote")
    let machine = try RemoteTests.Machine("one")
    try machine.write("a", "alpha")
    try machine.save("first")
    try machine.add(url)
    try machine.push()
    let folder = RemoteFolder(machine.repository)
    let known = try #require(try folder.opening("origin"))
    let path = machine.fixture.folder.absolute(".memento/remotes/origin/opened".bytes)
    for bytes in ["".bytes, "rubbish\n".bytes, Array(known.encoded().dropLast(9)), try opening().encoded()] {
      try FolderTools(Array(path.dropLast("/opened".utf8.count))).write("opened".bytes, bytes)
      try machine.push()
      #expect(try folder.opening("origin") == known)
    }
    // The slot is still noted here, and is not there any more.
    let slot = try #require(known.slot)
    try FolderTools("\(place.path)/remote".bytes).write(slot.object.name.text.bytes, "rubbish".bytes)
    #expect(throws: RepositoryError.self) { try machine.push() }
  }
}
