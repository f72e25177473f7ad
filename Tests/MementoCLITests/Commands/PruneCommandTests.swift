import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct PruneCommandTests {
  private func folder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "f")
    for name in ["n1", "n2", "n3", "other"] {
      try folder.write("f", name)
      try folder.done("save", name)
    }
    return folder
  }

  @Test func theReasonIsPrinted() throws {
    let folder = try folder()
    let day = try String(folder.document("list", "n3")["states"].list[0]["snapshot"]["time"].text?.prefix(10) ?? "")
    let plan = try folder.done("prune", "-n", "--keep-daily", "1", "n*").output
    let lines = plan.split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("n3  ") && lines[0].hasSuffix("would keep: daily \(day)"), "\(plan)")
    #expect(lines[1].hasPrefix("n2  ") && lines[1].hasSuffix("would remove"))
    #expect(lines[3] == "would keep 1 state, would remove 2")
    #expect(try folder.document("list")["states"].list.count == 4)
    let document = try folder.document("prune", "--keep-daily", "1", "--keep-last", "2", "n*")
    #expect(document["schema"] == .number(1) && document["dry_run"] == .bool(false))
    #expect(document["kept"].list.map { $0["name"].text } == ["n3", "n2"])
    #expect(document["kept"].list[0]["reasons"] == .list([.text("last"), .text("daily \(day)")]))
    #expect(document["removed"].list.map { $0["name"].text } == ["n1"])
    #expect(Contract.isID(document["removed"].list[0]["id"]))
    #expect(try folder.document("list")["states"].list.map { $0["name"].text } == ["n2", "n3", "other"])
    let done = try folder.done("prune", "--keep-last", "1", "n*").output
    #expect(done.contains("  kept: last\n") && done.contains("  removed\n"))
    #expect(done.hasSuffix("kept 1 state, removed 1; name one again with: memento save NAME --from ID\n"))
    #expect(try folder.done("prune", "-q", "--keep-last", "1").output.isEmpty)
  }

  @Test func nothingGoesByMistake() throws {
    let folder = try folder()
    let before = try folder.storeRecord().entries["refs"]
    for (arguments, status, text) in [
      (["prune"], 2, "name what to keep"), (["prune", "n*"], 2, "name what to keep"),
      (["prune", "--keep-last", "0"], 1, "--allow-empty"), (["prune", "--keep-last", "x"], 2, "keep-last"),
      (["prune", "--keep-last", "-1"], 2, "keep-last"), (["prune", "--keep-within", "2026-01-01"], 2, "is not an age"),
      (["prune", "--keep-last", "1", "zzz*"], 12, "no state matches"),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path)
      #expect(run.status == status && run.output.isEmpty && run.errors.contains(text), "\(arguments) \(run.errors)")
    }
    #expect(try folder.storeRecord().entries["refs"] == before)
    try folder.done("prune", "--keep-yearly", "unlimited", "--keep-last", "unlimited")
    #expect(try folder.document("list")["states"].list.count == 4)
    try folder.done("prune", "--allow-empty", "n*")
    #expect(try folder.document("list")["states"].list.map { $0["name"].text } == ["other"])
  }

  @Test func namesOfARemoteGo() throws {
    let folder = try folder()
    try folder.done("remote", "add", "far", "file://\(folder.path)/remote", "--plain", "-q")
    try folder.done("push", "-q")
    let plan = try folder.done("prune", "--remote", "far", "-n", "--keep-last", "1", "n*").output
    let lines = plan.split(separator: "\n").map(String.init)
    #expect(lines.count == 5, "\(plan)")
    #expect(lines[0].hasPrefix("far/n3  ") && lines[0].hasSuffix("would keep: last"))
    #expect(lines[3] == "would keep 1 state, would remove 2" && lines[4] == "the states that are left need every pack")
    let document = try folder.document("prune", "--remote", "far", "--keep-last", "1", "n*")
    #expect(document["remote"] == .text("far") && document["dry_run"] == .bool(false))
    #expect(document["removed"].list.map { $0["name"].text } == ["far/n2", "far/n1"])
    #expect(document["kept"].list[0]["reasons"] == .list([.text("last")]))
    #expect(document["unneeded"]["packs"] == .number(0))
    #expect(try folder.document("list", "far/")["states"].list.map { $0["name"].text } == ["far/n3", "far/other"])
    #expect(try folder.document("list")["states"].list.count == 4)
    for (words, status) in [
      (["--remote", "none"], 12), (["--remote", "far", "zzz*"], 12), (["--remote", "far", "--no-sync"], 2),
    ] as [([String], Int32)] {
      let run = try CommandRun(bytes: (["prune", "--keep-last", "1"] + words).map(\.bytes), in: folder.path)
      #expect(run.status == status && run.output.isEmpty, "\(run.errors)")
    }
  }

  /// Days are those of local clocks.
  @Test func periodsAreLocal() throws {
    let folder = try folder()
    let run = try folder.memento("prune", "-n", "--keep-hourly", "1", "n3") { $0.zoneOffset = { _ in 5 * 3600 } }
    let utc = try folder.memento("prune", "-n", "--keep-hourly", "1", "n3")
    let hours = [run, utc].map { $0.output.split(separator: "\n")[0].suffix(5).prefix(2) }.compactMap { Int($0) }
    #expect(hours.count == 2 && (hours[0] - hours[1] + 24) % 24 == 5, "\(run.output)")
  }

  /// `log --until DAY` shows what was saved on that day.
  @Test func aDayAsAnEndIsAllOfIt() throws {
    let folder = try folder()
    let day = try String(folder.document("list", "n3")["states"].list[0]["snapshot"]["time"].text?.prefix(10) ?? "")
    #expect(try folder.document("log", "--since", day, "--until", day)["entries"].list.count == 4)
  }
}
