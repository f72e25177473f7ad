import TestSupport
import Testing

/// A restore of chosen hunks is killed before any of its calls that write. It is a restore to a tree that no snapshot had
/// before: the text with the chosen hunks must be there for the recovery.
@Suite(.needsProgram, .needsStrace) struct CrashPatchTests {
  private let changed = "a\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nb\n"
  private let partly = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nb\n"

  private func folder() throws -> CrashFolder {
    try CrashFolder([
      ("seq 12 > text; echo gone > gone; mkdir d; echo one > d/other", "one"),
      ("sed -i 's/^1$/a/;s/^12$/b/' text; rm gone; rm -r d; mkdir e; echo made > e/made; echo extra > extra", nil),
    ])
  }

  /// The files by name, the text among them, as one text.
  private func state(_ copy: CrashCopy) throws -> String {
    try Launch(["sh", "-c", "find . -path ./.memento -prune -o -type f -print | sort; cat text extra"], in: copy.path)
      .output
  }

  @Test func aRestoreOfChosenHunks() throws {
    let folder = try folder()
    let restore = ["restore", "--patch", "one", "-q"]
    // d/other, e/made, extra, gone, and the two hunks of the text.
    let answers = "y\ny\nn\ny\ny\nn\n"
    let old = "./e/made\n./extra\n./text\n" + changed + "extra\n"
    let new = "./d/other\n./extra\n./gone\n./text\n" + partly + "extra\n"
    let calls = try Injection.calls(
      Injection.mutating, of: restore, in: folder.copy("traced").path, input: answers)
    var pending = 0
    for (number, call) in Injection.sample(calls, atMost: 40, seed: 67).enumerated() {
      let when = "restore --patch killed at \(call)"
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(restore, at: call, input: answers)
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
