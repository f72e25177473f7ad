import TestSupport
import Testing

/// Making and forgetting a fork is killed before any of its calls that write.
@Suite(.needsProgram, .needsStrace) struct CrashForkTests {
  private func folder() throws -> CrashFolder {
    try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two")])
  }

  /// The same command goes on, or a restore that had begun is finished or taken back; the folder itself never changes.
  @Test func aForkIsMade() throws {
    let folder = try folder()
    let one = try #require(folder.states["one"])
    let fork = ["fork", "one", "../made", "-q"]
    let traced = try nested(folder, "traced")
    let calls = try Injection.calls(Injection.mutating, of: fork, in: traced.path)
    var (begun, pending) = (0, 0)
    for (number, call) in Injection.sample(calls, atMost: 60, seed: 71).enumerated() {
      let when = "fork killed at \(call)"
      let copy = try nested(folder, "crash-\(number)")
      try copy.kill(fork, at: call)
      let made = "\(copy.path)/../made"
      #expect(try copy.record().differences(from: folder.record) == [], "\(when)")
      let verified = try copy.memento("verify", "--read-data", "-q")
      #expect(verified.status == 0, "\(when): \(verified.errors)")
      let listed = try copy.memento("fork", "--list", "-z")
      #expect(listed.status == 0, "\(when): \(listed.errors)")
      if listed.output.contains("\tinterrupted\t") { pending += 1 }
      if listed.output.contains("\tunfilled\t") || listed.output.contains("\tmissing\t") { begun += 1 }
      if !listed.output.contains("\tready\t") {
        let again = try copy.memento("fork", "one", "../made", "-q")
        #expect(again.status == 0, "\(when): \(again.errors)")
      }
      #expect(try FolderRecord(of: made).differences(from: one) == [], "\(when)")
      let status = try copy.memento("-C", "../made", "status", "--exit-code")
      #expect(status.status == 0, "\(when): \(status.output)\(status.errors)")
      #expect(try copy.memento("fork", "--list", "-z").output.split(separator: "\0").count == 1, "\(when)")
      let saved = try copy.memento("save", "-q")
      #expect(saved.status == 0, "\(when): \(saved.errors)")
      #expect(try copy.leftovers == [], "\(when)")
    }
    #expect(begun > 0 && pending > 0, "\(begun), \(pending)")
  }

  @Test func aForkIsForgotten() throws {
    let folder = try folder()
    let one = try #require(folder.states["one"])
    let forget = ["fork", "--forget", "../made", "-q"]
    func forked(_ name: String) throws -> CrashCopy {
      let copy = try nested(folder, name)
      let made = try copy.memento("fork", "one", "../made", "-q")
      try #require(made.status == 0, "\(made.errors)")
      return copy
    }
    let calls = try Injection.calls(Injection.mutating, of: forget, in: forked("traced").path)
    for (number, call) in Injection.sample(calls, atMost: 24, seed: 73).enumerated() {
      let when = "fork --forget killed at \(call)"
      let copy = try forked("crash-\(number)")
      try copy.kill(forget, at: call)
      let left = try copy.memento("fork", "--forget", "../made", "-q")
      #expect(left.status == 0 || left.status == 12, "\(when): \(left.errors)")
      #expect(try copy.memento("fork", "--list").output == "", "\(when)")
      #expect(try FolderRecord(of: "\(copy.path)/../made").differences(from: one) == [], "\(when)")
      #expect(try Launch(["ls", "-d", "../made/.memento"], in: copy.path).status != 0, "\(when)")
      let verified = try copy.memento("verify", "--read-data", "-q")
      #expect(verified.status == 0, "\(when): \(verified.errors)")
    }
  }

  /// A copy of the folder in a folder of its own, so that forks can lie beside it.
  private func nested(_ folder: CrashFolder, _ name: String) throws -> CrashCopy {
    let made = try Launch(["mkdir", name], in: folder.shell.path)
    try #require(made.status == 0, "\(made.errors)")
    return try folder.copy("\(name)/folder")
  }
}
