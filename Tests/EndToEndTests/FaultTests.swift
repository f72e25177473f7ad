import TestSupport
import Testing

/// A failed call ends a command with a clear message, or is reported as a problem. It never causes a crash, a hang or a
/// loss.
@Suite(.needsProgram, .needsStrace) struct FaultTests {
  struct Fault: CustomTestStringConvertible, Sendable {
    let calls: String
    let error: String
    let words: String
    var testDescription: String { "\(calls) \(error)" }
  }

  static let faults = [
    Fault(calls: "fsync,fdatasync", error: "EIO", words: "Input/output error"),
    Fault(calls: "?syncfs,fsync", error: "EIO", words: "Input/output error"),
    Fault(calls: "write,pwrite64", error: "ENOSPC", words: "No space left on device"),
    Fault(calls: "write,pwrite64", error: "EIO", words: "Input/output error"),
    Fault(calls: "renameat,?renameat2", error: "EIO", words: "Input/output error"),
    Fault(calls: "mkdirat,linkat,unlinkat", error: "ENOSPC", words: "No space left on device"),
    Fault(calls: "openat", error: "EMFILE", words: "Too many open files"),
    Fault(calls: "fchmod,utimensat,fchown", error: "EPERM", words: "Operation not permitted"),
    Fault(calls: "read,pread64", error: "EIO", words: "Input/output error"),
    Fault(calls: "flock", error: "ENOLCK", words: "No locks available"),
  ]

  static let commands: [[String]] = [["save", "two"], ["restore", "one"], ["delete", "one"], ["gc", "--now"]]

  @Test(arguments: faults, commands)
  func aCallFails(_ fault: Fault, _ arguments: [String]) throws {
    let folder = try CrashFolder([
      (CrashFolder.firstFiles, "one"), ("echo v > v; memento save gone -q; memento delete gone -q", nil),
      (CrashFolder.changes, nil),
    ])
    let trial = try folder.copy("trial")
    let all = try Injection.calls(fault.calls, of: arguments, in: trial.path)
    // The opens and reads of the loader come first. Their failure would not test memento.
    let begin = try Injection.calls(fault.calls, of: ["--version"], in: trial.path).count
    try trial.remove()
    for (number, call) in Injection.sample(Array(all.dropFirst(begin)), atMost: 3, seed: 21).enumerated() {
      let when = "\(arguments[0]) with \(fault.error) of \(call)"
      let copy = try folder.copy("fault-\(number)")
      let run = try Injection.run(arguments, in: copy.path, inject: call.inject("error=\(fault.error)"))
      #expect([0, 1, 3, 13].contains(run.status), "\(when): \(run.status) \(run.errors)")
      if run.status == 1 {
        #expect(run.errors.contains(fault.words), "\(when): \(run.errors)")
      }
      if run.status != 0 { #expect(run.errors.hasPrefix("memento: "), "\(when): \(run.errors)") }
      // A failed flush must never end with status 0.
      if call.name.hasSuffix("sync") || call.name == "fdatasync" {
        #expect(run.status == 1, "\(when): \(run.output)")
      }
      try expectNothingLost(copy, arguments, run, when)
      try copy.remove()
    }
  }

  private func expectNothingLost(_ copy: CrashCopy, _ arguments: [String], _ run: Launch, _ when: String) throws {
    let folder = copy.folder
    let target = try #require(folder.states["one"])
    if try copy.memento("save", "-n").status == 14 {
      #expect(arguments[0] == "restore", "\(when)")
      #expect(try copy.memento("restore", "--continue", "-q").status == 0, "\(when)")
      #expect(try copy.record().differences(from: target) == [], "\(when)")
    } else if arguments[0] == "restore" {
      let now = try copy.record()
      if run.status == 0 {
        #expect(now.differences(from: target) == [], "\(when)")
      } else if run.status == 1 {
        #expect(now == folder.record || now == target, "\(when): \(now.differences(from: folder.record))")
      } else {
        // The restore has named its problems, and a second attempt solves them.
        #expect(try copy.memento("restore", "one", "-q").status == 0, "\(when)")
        #expect(try copy.record().differences(from: target) == [], "\(when)")
      }
    } else {
      #expect(try copy.record().differences(from: folder.record) == [], "\(when)")
    }
    let one = ["one": target]
    if arguments[0] == "delete" {
      try copy.expectStates([:], others: one, when)
    } else {
      var others: [String: FolderRecord] = [:]
      if arguments[0] == "save" { others["two"] = run.status == 3 ? try incomplete(copy) : folder.record }
      try copy.expectStates(one, others: others, when)
    }
    try copy.expectNextSave(when)
  }

  /// What an incomplete state holds. The command that saved it has reported what it lacks.
  private func incomplete(_ copy: CrashCopy) throws -> FolderRecord {
    let place = "\(copy.path)-incomplete"
    let run = try copy.memento("restore", "two", "--to", place, "-q")
    #expect(run.status == 0)
    defer { _ = try? Launch(["rm", "-rf", place]) }
    return try FolderRecord(of: place)
  }

  /// A call that is interrupted by a signal is repeated and changes nothing.
  @Test(arguments: [
    "read:error=EINTR:when=40+3", "pread64:error=EINTR:when=30+2", "openat:error=EINTR:when=200+5",
    "write,pwrite64:error=EINTR:when=3+2", "flock:error=EINTR:when=1+2",
  ])
  func interruptedCallsAreRepeated(_ inject: String) throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, nil)])
    let copy = try folder.copy("copy")
    let run = try Injection.run(["save", "two", "-q"], in: copy.path, inject: inject)
    #expect(run.status == 0, "\(run.errors)")
    try copy.expectStates(folder.states.merging(["two": folder.record]) { $1 }, inject)
    let restore = try Injection.run(["restore", "one", "-q"], in: copy.path, inject: inject)
    #expect(restore.status == 0, "\(restore.errors)")
    #expect(try copy.record().differences(from: #require(folder.states["one"])) == [], "\(inject)")
  }

  /// On a system that lacks a call, the command finds another way or refuses. It never does half of its work.
  @Test(arguments: [
    ("?renameat2", "ENOSYS"), ("?renameat2", "EINVAL"), ("?syncfs", "ENOSYS"), ("fallocate", "EOPNOTSUPP"),
    ("?sync_file_range", "ENOSYS"), ("flistxattr", "EOPNOTSUPP"), ("?fchmodat2", "ENOSYS"), ("?statx", "ENOSYS"),
    ("getrandom", "ENOSYS"), ("sched_getaffinity", "ENOSYS"), ("fadvise64", "EINVAL"), ("?copy_file_range", "ENOSYS"),
  ])
  func missingCalls(_ call: String, _ error: String) throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, nil)])
    let copy = try folder.copy("copy")
    for arguments in [["save", "two", "-q"], ["restore", "one", "-q"]] {
      let run = try Injection.run(arguments, in: copy.path, inject: "\(call):error=\(error)")
      #expect(run.status == 0 || run.status == 1, "\(run.status) \(run.errors)")
      if run.status == 1 { #expect(run.errors.hasPrefix("memento: cannot "), "\(run.errors)") }
    }
    if try copy.memento("save", "-n").status == 14 {
      #expect(try copy.memento("restore", "--continue", "-q").status == 0)
    }
    let now = try copy.record()
    #expect(now == folder.record || now == folder.states["one"], "\(now.differences(from: folder.record))")
    #expect(try copy.memento("verify", "--read-data", "-q").status == 0)
  }
}
