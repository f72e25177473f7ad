import TestSupport
import Testing

@testable import MementoModel

@Suite struct RenameDetectionTests {
  private func removed(_ path: String, _ content: String) -> FileChange {
    FileChange(
      path: BytePath(path), kind: .removed, oldPath: nil, old: FileEntry(.file("x", content.bytes)), new: nil)
  }

  private func added(_ path: String, _ content: String) -> FileChange {
    FileChange(path: BytePath(path), kind: .added, oldPath: nil, old: nil, new: FileEntry(.file("x", content.bytes)))
  }

  /// `old > new` for renames, else the path.
  private func pairs(_ changes: FileChange...) -> [String] {
    RenameDetection.pairing(changes).map { change in
      change.oldPath.map { "\($0) > \(change.path)" } ?? "\(change.kind) \(change.path)"
    }
  }

  @Test func equalContentIsOneFile() {
    #expect(pairs(removed("a", "1"), added("b", "1")) == ["a > b"])
    #expect(pairs(removed("a", "1"), added("b", "2")) == ["removed a", "added b"])
    #expect(pairs(added("a", "1"), added("b", "1"), removed("c", "1")) == ["c > a", "added b"])
    #expect(pairs(added("a", "1"), removed("b", "1"), removed("c", "1")) == ["b > a", "removed c"])
  }

  @Test func emptyFilesAreNotTakenForEachOther() {
    #expect(pairs(removed("a", ""), added("b", "")) == ["removed a", "added b"])
  }

  @Test func aNameThatWasKeptSaysMore() {
    #expect(
      pairs(removed("a/x", "1"), removed("a/y", "1"), added("b/y", "1"), added("c/x", "1")) == [
        "a/y > b/y", "a/x > c/x",
      ])
    #expect(pairs(added("b/z", "1"), added("b/y", "1"), removed("c/y", "1")) == ["added b/z", "c/y > b/y"])
  }
}
