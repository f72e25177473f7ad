import TestSupport
import Testing

@testable import MementoCLI

@Suite struct StatsCommandTests {
  private func folder() throws -> CommandFolder {
    let folder = try CommandFolder()
    for (name, seed) in [("big1", 1), ("big2", 2), ("small", 3)] as [(String, UInt64)] {
      try folder.write("src/a.swift", String(decoding: Content.text(30_000, seed: seed), as: UTF8.self))
      try folder.directory.write("x.bin", Content.random(name == "small" ? 10 : 60_000, seed: seed))
      try folder.done("save", name)
    }
    return folder
  }

  @Test func theDocumentIsComplete() throws {
    let folder = try folder()
    let document = try folder.document("stats")
    #expect(document["schema"] == .number(1) && document["last_verified"] == .null)
    #expect(document["stored_bytes_are_prorated"] == .bool(true))
    let states = document["states"].list
    #expect(states.map { $0["name"].text } == ["big1", "big2", "small"])
    #expect(states.map { $0["current"] } == [.bool(false), .bool(false), .bool(true)])
    #expect(states.allSatisfy { Contract.isID($0["id"]) && $0["unique_bytes"].number ?? 0 > 0 })
    #expect(document["raw_bytes"].number == states.reduce(0) { $0 + ($1["raw_bytes"].number ?? 0) })
    #expect(document["stored_bytes"].number ?? 0 > 100_000)
    #expect(document["folders"].list.map { $0["name"].text } == ["", "src"])
    #expect(document["kinds"].list.map { $0["name"].text } == ["bin", "swift"])
    #expect(document["growth"].list.count == 3 && document["packs"].number == 3)
    for field in ["unique", "freed_now", "freed_later"] {
      #expect(document[field]["raw_bytes"].number != nil && document[field]["stored_bytes"].number != nil)
    }
    #expect(document["kept_by"]["position"]["raw_bytes"].number ?? 0 > 0)
    let some = try folder.document("stats", "big*")
    #expect(some["states"].list.map { $0["name"].text } == ["big1", "big2"])
    #expect(some["freed_now"]["raw_bytes"].number ?? 0 > 120_000)
    // The rest of them is the same in the third state.
    #expect(document["kept_by"]["states"].list.isEmpty)
    try folder.done("save", "other", "--from", "big1")
    let kept = try folder.document("stats", "big*")["kept_by"]["states"].list
    #expect(kept.map { $0["names"].list.map(\.text) } == [["other"]] && kept[0]["raw_bytes"].number ?? 0 > 60_000)
    #expect(try folder.done("stats", "big*").output.contains("the rest is kept by: other about "))
    try folder.done("delete", "other")
    #expect(try folder.document("stats", "@~1")["states"].list.map { $0["name"].text } == ["big2"])
  }

  @Test func itIsPrintedForPeople() throws {
    let folder = try folder()
    let text = try folder.done("stats").output
    #expect(text.hasPrefix("3 states: 6 files, 2"), "\(text)")
    #expect(text.contains("\ndeduplication ") && text.contains(", compression ") && text.contains("about"))
    #expect(text.contains("\nthe rest is kept by: the position about "))
    #expect(text.contains("\n   big1 ") || text.contains("big1 "))
    #expect(text.contains("src/") && text.contains(".swift") && text.contains("\ngrowth: from "))
    #expect(!text.contains("█"))
    func shown(_ width: Int, _ locale: String) throws -> String {
      try folder.memento("stats", environment: ["LC_ALL": locale]) {
        $0.isOutputTerminal = true
        $0.terminalWidth = width
      }.output
    }
    let terminal = try shown(100, "C.UTF-8")
    for width in [70, 80, 100, 200] {
      let lines = try shown(width, "C.UTF-8").split(separator: "\n").filter { $0.contains("█") }
      #expect(lines.allSatisfy { $0.count <= width } && !lines.isEmpty, "\(width): \(lines)")
    }
    #expect(try shown(100, "C").allSatisfy(\.isASCII))
    #expect(terminal.contains("█") && terminal.contains { "▂▃▄▅▆".contains($0) }, "\(terminal)")
    #expect(try CommandFolder(files: "a").memento("stats").status == 10)
    let none = try folder.memento("stats", "zzz*")
    #expect(none.status == 12 && none.errors.contains("no state matches"))
    #expect(try folder.memento("stats", "zzz").status == 12)
    let empty = try CommandFolder()
    try empty.done("init")
    #expect(try empty.done("stats").output.hasPrefix("no states; the store: 0 packs, 0 B"))
  }
}
