// Clones: what they bring, and how they go on.

import TestSupport
import Testing

@testable import MementoKit

extension RemoteTests {
  /// The timeline comes along with a push of everything, and a clone goes on with it.
  @Test func aCloneHasThePushedTimeline() throws {
    let one = try Machine("one")
    try one.add(url)
    for number in 1...4 {
      try one.write("a", "\(number)")
      _ = try one.repository.save()
    }
    _ = try one.repository.undo()
    let pushed = try one.push(timeline: true)
    #expect(pushed.moves.isEmpty && pushed.packs == 2 && pushed.isCommitted)
    #expect(try one.push(timeline: true).packs == 0)
    let folder = BytePath(place.path.bytes + "/clone".bytes)
    let clone = try Repository.clone(
      url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    #expect(clone.restore != nil)
    let repository = try Repository.find(from: folder, options: RepositoryFixture.quick)
    let made = FolderTools(folder.bytes)
    #expect(try made.read("a".bytes) == "3".bytes)
    #expect(try repository.verify(readData: true).damage.isEmpty)
    _ = try repository.redo()
    #expect(try made.read("a".bytes) == "4".bytes)
    for expected in ["3", "2", "1"] {
      _ = try repository.undo()
      #expect(try made.read("a".bytes) == expected.bytes)
    }
    // A push of names alone does not take the steps away.
    try one.save("named")
    try one.push("named")
    let third = BytePath(place.path.bytes + "/third".bytes)
    _ = try Repository.clone(
      url, to: third, options: RepositoryFixture.quick, access: RemoteTests.access("three", "correct horse".bytes))
    #expect(try FolderTools(third.bytes).read("a".bytes) == "3".bytes)
  }

  /// A clone that was interrupted while it filled the folder goes on with that.
  @Test func anInterruptedCloneFinishesItsRestore() throws {
    let one = try Machine("one")
    try one.add(url)
    for number in 0..<20 { try one.write("f\(number)", "text \(number)") }
    try one.save("x")
    try one.push()
    let expected = try one.fixture.state
    for count in stride(from: 1, to: 200, by: 11) {
      let folder = BytePath(place.path.bytes + "/clone\(count)".bytes)
      let access = RemoteTests.access("two", "correct horse".bytes)
      do {
        _ = try Repository.clone(
          url, to: folder, options: RepositoryFixture.quick, access: access, monitor: PatientMonitor(after: count))
      } catch {
        #expect(error.code == .cancelled, "\(error)")
        _ = try Repository.clone(url, to: folder, options: RepositoryFixture.quick, access: access)
      }
      #expect(try Manifest(FolderTools(folder.bytes)).differences(from: expected).isEmpty)
    }
  }
}
