import TestSupport
import Testing

/// A restore killed before any of its calls that write can be finished and can be taken back, both exactly; so can a
/// recovery that was itself killed.
@Suite(.needsProgram, .needsStrace) struct CrashRestoreTests {
  private let restore = ["restore", "one", "-q"]

  /// Two states, and changes that no state has.
  private func busyFolder() throws -> CrashFolder {
    try CrashFolder([
      (CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two"), ("echo precious > a; echo extra > d/extra", nil),
    ])
  }

  @Test(arguments: [0, 1])
  func aRestore(_ half: Int) throws {
    let folder = try busyFolder()
    let target = try #require(folder.states["one"])
    var pending = 0
    let calls = try folder.calls(of: restore)
    for (number, call) in Injection.sample(calls, atMost: 40, seed: 11).enumerated() where number % 2 == half {
      let when = "restore killed at \(call)"
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(restore, at: call)
      try expectWholeFiles(copy, from: folder.record, to: target, when)
      if try expectRecoverable(copy, before: folder.record, target: target, when) { pending += 1 }
      try copy.remove()
    }
    #expect(pending > 5, "most of a restore is recoverable: too few of the kills came there")
  }

  @Test(arguments: ["--continue", "--abort"])
  func aRecovery(_ direction: String) throws {
    let folder = try busyFolder()
    let target = try #require(folder.states["one"])
    let interrupted = try folder.copy("interrupted")
    // In the middle of putting files in place.
    let exchanges = try folder.calls(of: restore).filter { $0.name.hasPrefix("renameat") }
    try interrupted.kill(restore, at: #require(exchanges.dropFirst(exchanges.count / 2).first))
    try #require(try interrupted.memento("save", "-n").status == 14)
    let arguments = ["restore", direction, "-q"]
    let calls = try folder.calls(of: arguments, in: "interrupted")
    for (number, call) in Injection.sample(calls, atMost: 10, seed: 12).enumerated() {
      let when = "\(direction) killed at \(call)"
      let copy = try folder.copy("crash\(direction)-\(number)", of: "interrupted")
      try copy.kill(arguments, at: call)
      try expectWholeFiles(copy, from: folder.record, to: target, when)
      _ = try expectRecoverable(copy, before: folder.record, target: target, when)
      try copy.remove()
    }
  }

  /// Every file is the old one or the new one; nothing is half written.
  private func expectWholeFiles(
    _ copy: CrashCopy, from before: FolderRecord, to target: FolderRecord, _ when: String
  ) throws {
    for (path, entry) in try copy.record().entries where entry.mode & 0o170000 != 0o040000 {
      let known = [before.entries[path], target.entries[path]].compactMap { $0 }
      #expect(known.contains { $0.content == entry.content }, "\(when): \(path) is a mixture")
    }
  }

  /// Whether the restore is pending; then both ways out lead exactly to where they should.
  private func expectRecoverable(
    _ copy: CrashCopy, before: FolderRecord, target: FolderRecord, _ when: String
  ) throws -> Bool {
    let states = copy.folder.states
    let plan = try copy.memento("save", "-n")
    if plan.status == 0 {
      let now = try copy.record()
      #expect(
        now == before || now == target, "\(when): \(now.differences(from: before)) \(now.differences(from: target))")
      try copy.expectStates(states, when)
      try copy.expectNextSave(when)
      return false
    }
    #expect(plan.status == 14, "\(when): \(plan.errors)")
    #expect(
      plan.errors
        == "memento: a restore was interrupted\n"
        + "hint: finish it with `memento restore --continue`, or take it back with `memento restore --abort`\n")
    for arguments in [["save", "x"], ["restore", "two"], ["gc"], ["delete", "one"], ["save", "x", "--from", "one"]] {
      #expect(try Launch([Machine.program] + arguments, in: copy.path).status == 14, "\(when): \(arguments)")
    }
    for (direction, expected) in [("--continue", target), ("--abort", before)] {
      let other = try copy.folder.copy(copy.name + direction, of: copy.name)
      let run = try other.memento("restore", direction, "-q")
      #expect(run.status == 0, "\(when), \(direction): \(run.errors)")
      #expect(try other.record().differences(from: expected) == [], "\(when), \(direction)")
      #expect(try other.memento("restore", direction).status == 1, "\(when), \(direction) twice")
      if direction == "--continue" { try other.expectStates(states, when) }
      try other.expectNextSave("\(when), \(direction)")
      try other.remove()
    }
    return true
  }
}
