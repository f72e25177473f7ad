import TestSupport
import Testing

@testable import MementoCLI

@Suite struct ListingCommandTests {
  /// Four states: `b` is the oldest, `exp/1` the largest, `v` a value.
  private func fourStates() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "b", "-m", "tab\there")
    try folder.write("big", String(repeating: "x", count: 5000))
    try folder.done("save", "exp/1")
    folder.remove("big")
    try folder.done("save", "a c")
    try folder.done("save", "v", "--stdin", input: "value")
    return folder
  }

  private func names(_ run: CommandRun) -> [String] {
    run.output.split(separator: "\n").map { line in
      line.dropFirst(3).split(separator: "  ").first.map(String.init) ?? ""
    }
  }

  @Test func statesAreSorted() throws {
    let folder = try fourStates()
    #expect(names(try folder.done("list")) == ["a c", "b", "exp/1", "v"])
    #expect(names(try folder.done("list", "--sort", "name")) == ["a c", "b", "exp/1", "v"])
    #expect(names(try folder.done("list", "--sort=time")) == ["v", "a c", "exp/1", "b"])
    #expect(names(try folder.done("list", "--sort", "size")) == ["exp/1", "v", "a c", "b"])
  }

  @Test func aStateIsALine() throws {
    let folder = try fourStates()
    let lines = try folder.done("list").output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("*  a c    \(try folder.id("a c"))  2"))
    #expect(lines[1].hasPrefix("   b      "))
    #expect(lines[1].hasSuffix("  1 file      1 B  tab\\there"))
    #expect(lines[2].hasSuffix(" 2 files  4.9 KiB"))
    #expect(lines[3].hasSuffix("   value      5 B"))
    #expect(try folder.done("list", "-v").output.contains(try folder.fullID("b")))
    #expect(try folder.done("list", "-q").output == (try folder.done("list").output))
  }

  @Test(arguments: [
    ("*", ["a c", "b", "exp/1", "v"]), ("exp*", ["exp/1"]), ("*1", ["exp/1"]), ("?", ["b", "v"]), ("[ab]", ["b"]),
    ("[!b]", ["v"]), ("zz", []), ("a c", ["a c"]),
  ])
  func patternsChoose(_ pattern: String, _ expected: [String]) throws {
    let folder = try fourStates()
    let run = try folder.done("list", pattern)
    #expect(names(run) == expected)
    #expect(run.status == 0)
  }

  @Test func recordsAreExact() throws {
    let folder = try fourStates()
    let records = try folder.done("list", "-z").outputBytes.split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
    let states = try folder.document("list")["states"].list
    #expect(records.count == 4)
    for (record, state) in zip(records, states) {
      let fields = record.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
      let snapshot = state["snapshot"]
      #expect(fields[0] == (state["current"] == .bool(true) ? "*" : " "))
      #expect(fields[1] == state["name"].text)
      #expect(fields[2] == snapshot["id"].text)
      #expect(fields[3] == snapshot["time"].text)
      #expect(Int(fields[4]) == snapshot["files"].number)
      #expect(Int(fields[5]) == snapshot["bytes"].number)
      #expect(fields[6] == snapshot["message"].text ?? "")
    }
    #expect(try folder.done("list", "-z", "nothing").outputBytes.isEmpty)
    #expect(try folder.memento("list", "-z", "--json").status == 2)
    #expect(try folder.memento("log", "-z", "--json").status == 2)
  }

  @Test func documentsKeepTheirContract() throws {
    let folder = try fourStates()
    let states = try folder.document("list", "--sort", "time")
    #expect(states["schema"] == .number(1))
    #expect(states["states"].list.count == 4)
    for state in states["states"].list {
      #expect(state.breaches(of: Contract.state) == [])
      #expect(state["snapshot"].breaches(of: Contract.snapshot) == [])
    }
    let log = try folder.document("log")
    #expect(log["schema"] == .number(1))
    #expect(log["entries"].list.count == 3)
    for entry in log["entries"].list {
      #expect(entry.breaches(of: Contract.entry) == [])
      #expect(entry["snapshot"].breaches(of: Contract.snapshot) == [])
      #expect(Contract.isTime(entry["time"]))
    }
    #expect(
      log["entries"].list.map { $0["names"] } == [.list([.text("a c")]), .list([.text("exp/1")]), .list([.text("b")])])
    #expect(log["entries"].list.map { $0["current"] } == [.bool(true), .bool(false), .bool(false)])
  }

  @Test func theHistoryIsNewestFirst() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one", "-m", "first\n\nmore")
    try folder.write("b", "b")
    try folder.done("save")
    try folder.done("restore", "one")
    try folder.done("save", "two", "--from", "@")
    let lines = try folder.done("log").output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].hasPrefix("*  \(try folder.id("one"))  restore  2"))
    #expect(lines[0].hasSuffix("  +0 ~0 -1  one, two"))
    #expect(lines[1...4] == ["    restored one: 1 removed", "    first", "", "    more"])
    #expect(lines[5].contains("  save     "))
    #expect(lines.count == 11)
    let operations = try folder.document("log")["entries"].list.map { $0["op"].text }
    #expect(operations == ["restore", "save", "save"])
    let records = try folder.done("log", "-z").outputBytes.split(separator: 0)
    let fields = records[0].split(separator: 9, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(fields.count == 11)
    #expect(fields[0...1] == ["*", "restore"])
    #expect(fields[3] == "one:two")
    #expect(fields[7...10] == ["0", "0", "1", "first\n\nmore"])
  }

  @Test func theHistoryIsLimited() throws {
    let folder = try CommandFolder(files: "a")
    for content in ["1", "2", "3", "4"] {
      try folder.write("a", content)
      try folder.done("save", "s\(content)")
    }
    for arguments in [["-n", "2"], ["-n2"], ["--max-count", "2"], ["--max-count=2"]] {
      let run = try CommandRun(bytes: (["log"] + arguments).map(\.bytes), in: folder.path)
      #expect(run.output.split(separator: "\n").count == 2)
    }
    #expect(try folder.done("log", "-n", "0").output.isEmpty)
    let names = try folder.document("log", "s3")["entries"].list.map { $0["names"].list.first?.text }
    #expect(names == ["s3", "s2", "s1"])
    #expect(try folder.document("log", "@~1", "-n1")["entries"].list.count == 1)
    #expect(try folder.memento("log", "nothing").status == 12)
    #expect(try folder.memento("log", "-n", "-1").status == 2)
  }

  @Test func anEmptyStoreHasNoStates() throws {
    let folder = try CommandFolder()
    try folder.done("init")
    #expect(try folder.done("list").output.isEmpty)
    #expect(try folder.done("log").output.isEmpty)
    #expect(try folder.document("list")["states"] == .list([]))
    #expect(try folder.document("log")["entries"] == .list([]))
    #expect(try folder.memento("restore", "@").status == 12)
  }
}
