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

  /// Root gives no rights away that somebody else has recorded, unless it is asked to.
  @Test(.enabled(if: isSuperuser, "only root can restore owners"), arguments: [false, true])
  func rightsOfOthersAreRestoredOnlyWhenAskedFor(_ asRecorded: Bool) throws {
    let one = try Machine("one")
    try one.add(url)
    try one.write("program", "#!/bin/sh\n")
    func shell(_ script: String, _ path: BytePath) throws -> String {
      let run = try Launch(["sh", "-c", script, "sh", "\(path)"])
      #expect(run.status == 0)
      return run.output
    }
    _ = try shell("cd \"$1\" && chown 1234:1235 program && chmod 4755 program", one.repository.folder)
    try one.save("x")
    try one.push()
    let folder = BytePath(place.path.bytes + "/clone".bytes)
    let clone = try Repository.clone(
      url, to: folder, options: RepositoryFixture.quick, asRecorded: asRecorded,
      access: RemoteTests.access("two", "correct horse".bytes))
    let problems = clone.restore?.problems ?? []
    let found = try shell("cd \"$1\" && stat -c '%u %g %a' program", folder)
    if asRecorded {
      #expect(problems.isEmpty && found == "1234 1235 4755\n", "\(found) \(problems)")
    } else {
      #expect(!problems.isEmpty && problems.allSatisfy { $0.reason == .withheldRight }, "\(problems)")
      #expect(found == "0 0 755\n", "\(found)")
    }
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
