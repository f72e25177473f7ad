import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What goes wrong has a status, a line, a hint; under `--json` an object.
@Suite struct FailureTests {
  private static let changing = [
    ["save", "x"], ["save", "x", "--from", "one"], ["save", "x", "--stdin"], ["restore", "one"], ["delete", "one"],
    ["gc"],
  ]

  private func fail(_ folder: CommandFolder, _ arguments: [String], status: Int32, id: String, _ message: String) throws
  {
    let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path)
    #expect(run.status == status, "\(arguments)")
    #expect(run.errors.hasPrefix("memento: \(message)"), "\(arguments): \(run.errors)")
    #expect(run.output.isEmpty, "\(arguments)")
    let lines = run.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count == 1 || (lines.count == 2 && lines[1].hasPrefix("hint: ")), "\(arguments): \(run.errors)")
    let json = try CommandRun(bytes: (arguments + ["--json"]).map(\.bytes), in: folder.path)
    #expect(json.status == status)
    #expect(json.outputBytes.isEmpty)
    let document = try JSONValue(json.errorBytes)
    #expect(document.breaches(of: Contract.error) == [])
    #expect(document["type"] == .text("error"))
    #expect(document["code"] == .number(Int(status)))
    #expect(document["id"] == .text(id), "\(arguments)")
    #expect(document["message"].text?.hasPrefix(message) == true, "\(arguments): \(json.errors)")
  }

  @Test(arguments: [
    ["list"], ["log"], ["restore", "a"], ["delete", "a"], ["gc"], ["verify"], ["save", "a", "--from", "b"],
  ])
  func withoutAStore(_ arguments: [String]) throws {
    let folder = try CommandFolder()
    try fail(folder, arguments, status: 10, id: "no-store", "no store here or in a folder above: \(folder.path)")
    #expect(try folder.directory.names() == [])
  }

  @Test(arguments: [
    ["restore", "nothing"], ["restore", "nothing", "--stdout"], ["delete", "nothing"], ["log", "nothing"],
    ["save", "x", "--from", "nothing"], ["restore", "one~7"], ["restore", "@~9"],
  ])
  func anUnknownState(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let before = try folder.storeRecord()
    // --stdout does not go with --json.
    if arguments.contains("--stdout") {
      #expect(try CommandRun(bytes: arguments.map(\.bytes), in: folder.path).status == 12)
    } else {
      try fail(folder, arguments, status: 12, id: "no-such-state", "there is no state \"")
    }
    #expect(try folder.storeRecord().entries["refs"] == before.entries["refs"])
  }

  @Test func anAmbiguousPrefix() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let store = try Store(opening: folder.directory.descriptor.open(".memento".bytes, .directory), durable: false)
    _ = try store.refs.update(waiting: 0) { refs in
      for last in "12" { refs["\(last)"] = ObjectID(hex: "abcd" + String(repeating: "0", count: 59) + "\(last)") }
    }
    for prefix in ["abcd", "ABCD0000"] {
      let message = "\"\(prefix.lowercased())\" is the beginning of 2 ids: "
      try fail(folder, ["log", prefix], status: 12, id: "ambiguous", message)
      try fail(folder, ["save", "x", "--from", prefix], status: 12, id: "ambiguous", message)
      #expect(try folder.memento("restore", prefix).errors.hasSuffix("\nhint: give more digits\n"))
    }
  }

  @Test(arguments: changing)
  func whileAnotherWorksAlone(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let before = try folder.storeRecord()
    try holding(folder, "packs.lock", LOCK_EX) { () throws in
      try fail(
        folder, arguments + ["--wait", "0"], status: 11, id: "locked", "another process is using the store")
      #expect(try folder.memento("list", "--wait", "0").status == 0)
      #expect(try folder.memento("log", "--wait=0").status == 0)
    }
    #expect(try folder.storeRecord().differences(from: before) == [])
    #expect(try CommandRun(bytes: arguments.map(\.bytes), in: folder.path).status == 0)
  }

  @Test func savesGoOnBesideEachOther() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try holding(folder, "folder.lock", LOCK_SH) { () throws in
      #expect(try folder.memento("save", "two", "--wait", "0").status == 0)
      #expect(try folder.memento("verify", "--wait", "0").status == 0)
      #expect(try folder.memento("restore", "one", "--wait", "0").status == 11)
      #expect(try folder.memento("gc", "--wait", "0").status == 11)
    }
  }

  /// As beside a long verify, or a restore to elsewhere.
  @Test func onlyWhatRemovesPacksWaitsForWhoReadsThem() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try holding(folder, "packs.lock", LOCK_SH) { () throws in
      try folder.directory.write("a", "changed".bytes)
      for line in [["save", "two"], ["restore", "one"], ["undo"], ["redo"], ["rename", "two", "three"], ["verify"]] {
        #expect(try CommandRun(bytes: (line + ["--wait", "0"]).map(\.bytes), in: folder.path).status == 0, "\(line)")
      }
      #expect(try folder.memento("gc", "--wait", "0").status == 11)
      #expect(try folder.memento("verify", "--repair", "--wait", "0").status == 11)
    }
  }

  private func holding(_ folder: CommandFolder, _ lock: String, _ how: Int32, _ body: () throws -> Void) throws {
    let file = open("\(folder.path)/.memento/\(lock)", O_RDONLY | O_CLOEXEC)
    try #require(file >= 0 && flock(file, how) == 0)
    defer { close(file) }
    try body()
  }

  @Test(arguments: changing + [["list"], ["log"], ["verify"]])
  func damagedRefs(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let good = try folder.directory.read(".memento/refs")
    folder.remove(".memento/backup/refs")
    for bad in [[], Content.zeros(good.count), good.dropLast(3), Content.flipping(good, bit: good.count * 4)]
      as [[UInt8]]
    {
      try folder.directory.write(".memento/refs", bad)
      let before = try folder.storeRecord()
      // verify describes damage on standard output.
      if arguments == ["verify"] {
        #expect(try folder.memento("verify").status == 13)
      } else {
        try fail(folder, arguments, status: 13, id: "damaged", "the store is damaged: refs")
      }
      #expect(try folder.storeRecord().differences(from: before) == [])
    }
  }

  @Test(arguments: changing + [["list"], ["log"], ["verify"]])
  func damagedConfig(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    for bad in ["", "format\n", "format = x\n", "chunk = 1 2\n"] {
      try folder.write(".memento/config", bad)
      try fail(folder, arguments, status: 13, id: "damaged", "the store is damaged: config: ")
    }
  }

  @Test(arguments: changing + [["status"], ["diff"], ["check-ignore", "a"]])
  func aWrongValueInTheConfig(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    for bad in ["compression = lzma", "chunk = 1 2", "ignore =", "noise"] {
      try folder.write(".memento/config", "format = 1\n\n\(bad)\n")
      let before = try folder.storeRecord()
      try fail(folder, arguments, status: 2, id: "bad-config", "config: line 3: ")
      #expect(try folder.storeRecord().differences(from: before) == [])
      // What does not go by it works.
      for looking in [
        ["list"], ["log"], ["verify"], ["show", "one"], ["cat", "one:a"], ["ls", "one"],
        ["restore", "one", "a", "--stdout"],
      ] {
        #expect(try CommandRun(bytes: looking.map(\.bytes), in: folder.path).status == 0, "\(looking)")
      }
    }
  }

  /// A misspelt rule protects nothing.
  @Test func anUnknownKeyIsNamed() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write(".memento/config", try folder.read(".memento/config") + "protct = a\nflavour = 3\n")
    let lines = try folder.read(".memento/config").split(separator: "\n").count
    let errors = try folder.done("save", "two").errors
    #expect(
      errors == """
        memento: note: .memento/config: line \(lines - 1): there is no key "protct"; did you mean "protect"?
        memento: note: .memento/config: line \(lines): there is no key "flavour"

        """)
    #expect(try folder.done("save", "three", "-q").errors == "")
    #expect(try folder.done("save", "four", "--json").errors == "")
  }

  @Test(arguments: changing + [["list"], ["log"], ["verify"], ["restore", "one", "--to", "new"]])
  func aNewerFormatIsNotTouched(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    for newer in ["format = 2\nanything\n", "format = 1\nrequires = holograms\n"] {
      try folder.write(".memento/config", newer)
      let before = try folder.storeRecord()
      try fail(folder, arguments, status: 1, id: "newer-format", "the store was made by a newer memento (")
      #expect(try folder.storeRecord().differences(from: before) == [])
      #expect(!folder.directory.exists("new"))
    }
  }

  @Test(arguments: changing + [["restore", "one", "a"], ["save"], ["save", "-n"], ["restore", "one", "-n"]])
  func whileARestoreIsPending(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try interrupt(folder)
    let before = try folder.storeRecord().entries["refs"]
    try fail(folder, arguments, status: 14, id: "restore-pending", "a restore was interrupted")
    #expect(try folder.storeRecord().entries["refs"] == before)
    // What only looks goes on.
    for arguments in [["list"], ["log"], ["verify"], ["restore", "one", "a", "--stdout"]] {
      #expect(try CommandRun(bytes: arguments.map(\.bytes), in: folder.path).status == 0, "\(arguments)")
    }
    let document = try folder.document("restore", "--continue")
    #expect(document.breaches(of: Contract.restore) == [])
    #expect(try CommandRun(bytes: arguments.map(\.bytes), in: folder.path).status == 0)
  }

  @Test func anAbortSaysSo() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try interrupt(folder)
    #expect(try folder.done("restore", "--abort").output == "took back the restore: nothing to change\n")
    try interrupt(folder)
    #expect(try folder.done("restore", "--continue").output.hasPrefix("restored one "))
  }

  /// Marks a restore as begun.
  private func interrupt(_ folder: CommandFolder) throws {
    let store = try Store(opening: folder.directory.descriptor.open(".memento".bytes, .directory), durable: false)
    _ = try store.refs.update(waiting: 0) { refs in
      refs.pending = refs["one"].map { PendingRestore(target: $0, before: $0, staging: "restore-0-0", position: nil) }
    }
  }

  @Test func aDamagedPack() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.dropParity()
    let pack = ".memento/packs/\(try #require(try folder.directory.names(".memento/packs").first))"
    try folder.directory.write(pack, Array(try folder.directory.read(pack).prefix(20)))
    try fail(folder, ["restore", "one"], status: 13, id: "damaged", "the store is damaged: ")
    #expect(try folder.read("a") == "a")
    #expect(try folder.memento("verify").status == 13)
  }
}
