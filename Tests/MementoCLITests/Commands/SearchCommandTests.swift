import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

/// find, grep, when, and log with -S and -p.
@Suite struct SearchCommandTests {
  let folder: CommandFolder

  init() throws {
    folder = try CommandFolder()
    try folder.write("src/main.c", "int main;\n")
    try folder.write("bin", "a\0needle\n")
    try folder.done("save", "one", "-m", "first")
    try folder.write("src/main.c", "int main;\nneedle\n")
    try folder.done("save", "two")
    try folder.write("other", "x")
    try folder.done("save")
    try folder.done("delete", "two")
  }

  @Test func grepPrintsEachVersionOnce() throws {
    let id = try #require(try folder.done("log", "-n", "1", "-z").output.split(separator: "\t").dropFirst(2).first)
      .prefix(12)
    let run = try folder.memento("grep", "-n", "need[l]e")
    #expect(
      run.output == "Binary file \(id):bin matches\n\(id):src/main.c:2:needle\n" && run.status == 0 && run.errors == "")
    #expect(try folder.done("grep", "main", "one").output == "one:src/main.c:int main;\n")
    #expect(try folder.done("grep", "-il", "NEEDLE", "--", "src").output == "\(id):src/main.c\n")
    #expect(
      try folder.done("grep", "-F", "-e", "main;", "one", "--", "src", "bin").output == "one:src/main.c:int main;\n")
    #expect(try folder.memento("grep", "main", "--", "main.c", below: "src").output.hasPrefix("\(id):src/main.c:"))
  }

  @Test func statusesOfGrep() throws {
    let none = try folder.memento("grep", "nothing")
    #expect(none.status == 1 && none.output == "" && none.errors == "")
    let wrong = try folder.memento("grep", "(")
    #expect(wrong.status == 2 && wrong.errors.contains("regular expression"))
    #expect(try folder.memento("grep").status == 2)
    #expect(try folder.memento("grep", "-F", "").status == 2)
    #expect(try folder.memento("grep", "needle", "nowhere").status == 12)
    #expect(try folder.memento("find", "nothing").status == 1)
    #expect(try folder.memento("find", "/").status == 2)
    #expect(try folder.memento("when", "nothing").status == 1)
    #expect(try folder.memento("when", "").status == 2)
  }

  @Test func grepAsJSON() throws {
    let run = try folder.memento("grep", "main", "one", "--json")
    let lines = try run.outputBytes.split(separator: UInt8(ascii: "\n")).map { try JSONValue(Array($0) + "\n".bytes) }
    #expect(lines.map { $0["type"].text } == ["match", "summary"])
    #expect(
      lines[0]["path"].text == "src/main.c" && lines[0]["line"].number == 1 && lines[0]["text"].text == "int main;")
    #expect(lines[1]["matches"].number == 1 && lines[1]["states"].number == 1)
  }

  @Test func aValue() throws {
    try folder.done("save", "--stdin", "config", input: "port = 1\n")
    #expect(try folder.done("grep", "-n", "port").output == "config:1:port = 1\n")
  }

  @Test func findCollapsesRuns() throws {
    let run = try folder.done("find", "*.c")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "src/main.c", "\(run.output)")
    #expect(lines[1].contains("to") && lines[1].contains("[deleted: two]") && lines[1].contains("2 states"))
    #expect(lines[2].contains("one") && lines[2].contains("1 state") && lines[2].hasSuffix("10 B"))
    let document = try folder.document("find", "src/")
    let found = document["paths"].list
    #expect(found.count == 1 && found[0]["runs"].list[0]["states"].number == 3)
    #expect(found[0]["runs"].list[0]["oldest"]["names"].list.first?.text == "one")
  }

  @Test func whenATextCameAndWent() throws {
    let held = try folder.done("when", "needle", "--", "src").output
    #expect(held.contains("first") && held.contains("    src/main.c:2:needle\n") && held.contains("not yet"))
    try folder.write("src/main.c", "int main;\n")
    try folder.done("save", "four")
    let document = try JSONValue(folder.done("--json", "when", "needle", "--", "src").outputBytes)
    let periods = document["periods"].list
    #expect(periods.count == 1 && periods[0]["gone"]["names"].list.first?.text == "four")
    #expect(periods[0]["first_places"].list[0]["line"].number == 2 && periods[0]["states"].number == 2)
    #expect(try folder.done("when", "needle", "--", "src").output.contains("gone   "))
  }

  @Test func logOfAText() throws {
    let run = try folder.done("log", "-S", "needle", "--oneline", "--", "src")
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(try folder.document("log", "-Sneedle")["entries"].list.count == 2)
    #expect(try folder.done("log", "-S", "nothing").output == "")
    let patch = try folder.done("log", "-p", "-S", "needle", "--", "src").output
    #expect(patch.contains("+needle\n") && !patch.contains("bin"))
    #expect(try folder.memento("log", "-p", "--json").status == 2)
    #expect(try folder.memento("log", "-p", "-z").status == 2)
    let all = try folder.done("log", "--patch", "--oneline").output
    #expect(all.contains("new file mode") && all.contains("diff --git a/other b/other"))
  }

  /// Damage is named, the rest goes on, and the status says it.
  @Test func damage() throws {
    try folder.write("lost", String(repeating: "needle ", count: 3) + "\n")
    let random = Content.random(1 << 16, seed: 9)
    try folder.directory.write("lost", random)
    try folder.done("save", "five")
    try folder.dropParity()
    var isHurt = false
    for name in try folder.directory.names(".memento/packs") {
      var bytes = try folder.directory.read(".memento/packs/\(name)")
      guard let place = bytes.firstRange(of: random[1000..<1032]) else { continue }
      bytes[place.lowerBound] ^= 1
      try folder.directory.write(".memento/packs/\(name)", bytes)
      isHurt = true
    }
    try #require(isHurt)
    let run = try folder.memento("grep", "needle", "five", "one")
    #expect(run.status == 13 && run.output.contains("five:src/main.c:needle\n"), "\(run.output)\(run.errors)")
    #expect(run.errors.hasPrefix("memento: lost: the store is damaged"), "\(run.errors)")
    let document = try folder.memento("grep", "needle", "--json")
    #expect(document.status == 13 && document.output.contains("\"type\":\"problem\""))
    let when = try folder.memento("when", "needle")
    #expect(when.status == 13 && when.output.contains("src/main.c:2:needle"))
    let log = try folder.memento("log", "-S", "needle")
    #expect(log.status == 13 && !log.output.isEmpty && log.errors.contains("lost"))
    #expect(try folder.memento("find", "lost").status == 0)
  }
}
