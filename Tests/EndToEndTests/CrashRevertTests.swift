import TestSupport
import Testing

/// A revert that merges a text is killed before any of its calls that write. It is a restore of the paths that it changes,
/// to a tree that no snapshot had before: the merged text must be there for the recovery.
@Suite(.needsProgram, .needsStrace) struct CrashRevertTests {
  private let before = "1\n2\nupgraded\n4\n5\nlater\n"
  private let merged = "1\n2\n3\n4\n5\nlater\n"

  private func folder() throws -> CrashFolder {
    try CrashFolder([
      ("printf '1\\n2\\n3\\n4\\n5\\n6\\n' > text; echo gone > gone; mkdir d; echo one > d/other", "one"),
      ("printf '1\\n2\\nupgraded\\n4\\n5\\n6\\n' > text; rm gone; echo two > d/other; echo made > made", "two"),
      ("printf '1\\n2\\nupgraded\\n4\\n5\\nlater\\n' > text; echo extra > extra", nil),
    ])
  }

  /// The files by name, the text among them, as one text.
  private func state(_ copy: CrashCopy) throws -> String {
    let run = try Launch(["sh", "-c", "ls; ls d; cat text d/other extra"], in: copy.path)
    return run.output
  }

  @Test func aRevert() throws {
    let folder = try folder()
    let revert = ["revert", "one..two", "-q"]
    let old = "d\nextra\nmade\ntext\nother\n" + before + "two\nextra\n"
    let new = "d\nextra\ngone\ntext\nother\n" + merged + "one\nextra\n"
    let calls = try Injection.calls(Injection.mutating, of: revert, in: folder.copy("traced").path)
    var pending = 0
    for (number, call) in Injection.sample(calls, atMost: 24, seed: 61).enumerated() {
      let when = "revert killed at \(call)"
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(revert, at: call)
      let plan = try copy.memento("save", "-n")
      if plan.status == 0 {
        let now = try state(copy)
        #expect(now == old || now == new, "\(when): \(now)")
      } else {
        #expect(plan.status == 14, "\(when): \(plan.errors)")
        pending += 1
        for (direction, expected) in [("--continue", new), ("--abort", old)] {
          let other = try folder.copy("crash-\(number)\(direction)", of: "crash-\(number)")
          let run = try other.memento("restore", direction, "-q")
          #expect(run.status == 0, "\(when), \(direction): \(run.errors)")
          #expect(try state(other) == expected, "\(when), \(direction)")
          if direction == "--abort" {
            let differences = try other.record().differences(from: folder.record)
            #expect(differences == [], "\(when): \(differences)")
          }
          try other.expectStates(folder.states, when)
          try other.expectNextSave("\(when), \(direction)")
          try other.remove()
        }
      }
      try copy.remove()
    }
    #expect(pending > 3, "too few of the kills came into the middle")
  }
}
