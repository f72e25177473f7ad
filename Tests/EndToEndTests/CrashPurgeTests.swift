import TestSupport
import Testing

/// A purge is killed before any of its calls that write. The store is whole then, every state is as it was, with the path
/// or without it, and another purge does the rest.
@Suite(.needsProgram, .needsStrace) struct CrashPurgeTests {
  private static let secret = """
    mkdir closet; echo 'the first of the hushhush' > closet/key; head -c 90000 /dev/zero | tr '\\0' s > closet/large
    """

  /// What is stored is not compressed, so that a search of the files finds it.
  private func folder() throws -> CrashFolder {
    try CrashFolder([
      ("memento init --compression none -q\n" + CrashFolder.firstFiles + "\n" + CrashPurgeTests.secret, "one"),
      (CrashFolder.changes + "\necho 'the second of the hushhush' > closet/key", "two"),
      ("rm -r closet; echo more > a", "three"),
    ])
  }

  private func without(_ record: FolderRecord) -> FolderRecord {
    var record = record
    record.entries = record.entries.filter { $0.key != "closet" && !$0.key.hasPrefix("closet/") }
    return record
  }

  /// All files of the store that have one of these words.
  private func places(of words: [String], _ copy: CrashCopy) throws -> String {
    try Launch(["grep", "-rlaE", words.joined(separator: "|"), ".memento"], in: copy.path).output
  }

  @Test func aPurgeOfAPath() throws {
    let folder = try folder()
    let trial = try folder.copy("words")
    #expect(try places(of: ["hushhush", "closet", "ssssssssssss"], trial).split(separator: "\n").count >= 2)
    let arguments = ["purge", "-y", "closet", "-q"]
    let calls = try folder.calls(of: arguments)
    for (number, call) in Injection.sample(calls, atMost: 20, seed: 11).enumerated() {
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(arguments, at: call)
      let when = "killed at \(call)"
      #expect(try copy.record().differences(from: folder.record) == [], "\(when)")
      try expectStates(folder, copy, when)
      let again = try copy.memento("purge", "-y", "closet", "-q")
      #expect(again.status == 0 || again.status == 12, "\(when): \(again.errors)")
      #expect(try places(of: ["hushhush", "closet", "ssssssssssss"], copy) == "", "\(when)")
      try copy.expectStates(folder.states.mapValues(without), when)
      try copy.expectNextSave(when)
      try copy.remove()
    }
  }

  /// Each state has the path or has it not; all of them change at once.
  private func expectStates(_ folder: CrashFolder, _ copy: CrashCopy, _ when: String) throws {
    let one = try copy.memento("ls", "one:closet").status == 0
    try copy.expectStates(one ? folder.states : folder.states.mapValues(without), when)
  }

  /// After a deletion was killed, a purge without paths removes what is left of the state.
  @Test func aDeletionForGood() throws {
    let folder = try folder()
    let arguments = ["delete", "--purge", "two", "-q"]
    let calls = try folder.calls(of: arguments)
    for (number, call) in Injection.sample(calls, atMost: 10, seed: 12).enumerated() {
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(arguments, at: call)
      let when = "killed at \(call)"
      let others = folder.states.filter { $0.key != "two" }
      try copy.expectStates(others, others: folder.states, when)
      let again = try copy.memento(arguments[0], arguments[1], arguments[2], arguments[3])
      #expect(again.status == 0 || again.status == 12, "\(when): \(again.errors)")
      #expect(try copy.memento("purge", "-y", "-q").status == 0, "\(when)")
      #expect(try places(of: ["the second of the hushhush"], copy) == "", "\(when)")
      try copy.expectStates(others, when)
      try copy.remove()
    }
  }
}
