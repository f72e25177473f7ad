import TestSupport
import Testing

@testable import MementoCLI

@Suite struct BisectCommandTests {
  /// Ten states; the sixth is the first bad one.
  private func folder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "same")
    for number in 1...10 {
      try folder.write("file", "\(number)\n" + (number > 5 ? "broken\n" : ""))
      try folder.done("save", "s\(number)")
    }
    return folder
  }

  private let test = "! grep -q broken file"

  @Test func theFirstBadOneIsFound() throws {
    let folder = try folder()
    let before = (try FolderRecord(of: folder.path), try folder.storeRecord())
    let run = try folder.memento("bisect", "s1", "s10", "--", "sh", "-c", test)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("first bad  \(try folder.id("s6"))") == true, "\(run.output)")
    #expect(lines[1].hasPrefix("last good  \(try folder.id("s5"))"))
    #expect(run.output.contains(" file | 3 ++-\n 1 file changed"))
    #expect(lines.last == "to see it: memento diff \(try folder.id("s5")) \(try folder.id("s6"))")
    #expect(run.errors.contains("memento: searching 10 states from BAD back to GOOD"))
    #expect(run.errors.contains("memento: 1 of about "))
    #expect(run.errors.contains("(s1) is good\n"))
    #expect(run.errors.contains("(s6) is bad (exit status 1)\n"))
    // Both ends, and no more than the logarithm of nine.
    #expect(run.errors.split(separator: "\n").count { $0.contains(" of about ") } <= 6)
    #expect(try FolderRecord(of: folder.path).differences(from: before.0) == [])
    #expect(try folder.storeRecord().differences(from: before.1) == [])
  }

  @Test func quietAndDocument() throws {
    let folder = try folder()
    let quiet = try folder.memento("bisect", "-q", "s1", "s10", "--", "sh", "-c", test)
    #expect(quiet.status == 0 && quiet.errors == "" && quiet.output.split(separator: "\n").count == 2)
    let document = try JSONValue(
      folder.memento("bisect", "--json", "s1", "s10", "--", "sh", "-c", test).outputBytes)
    #expect(document["first_bad"]["names"].list.map(\.text) == ["s6"])
    #expect(document["last_good"]["names"].list.map(\.text) == ["s5"])
    #expect(document["order"].text == "parents")
    #expect(document["changes"].list.map { $0["path"].text } == ["file"])
    #expect(document["steps"].list.first?["verdict"].text == "good")
    #expect(document["suspects"].list.count == 1)
  }

  @Test func skippedStatesAreNamed() throws {
    let folder = try folder()
    let skipping = "grep -q '^[56]$' file && exit 125; " + test
    let run = try folder.memento("bisect", "s1", "s10", "--", "sh", "-c", skipping)
    #expect(run.status == 1)
    #expect(run.output.contains("first bad one is one of these"))
    for name in ["s5", "s6", "s7"] { #expect(run.output.contains("perhaps    \(try folder.id(name))")) }
    #expect(run.output.contains("last good  \(try folder.id("s4"))"))
    #expect(run.errors.contains("is skipped (exit status 125)"))
  }

  @Test func endsAreChecked() throws {
    let folder = try folder()
    let good = try folder.memento("bisect", "s7", "s10", "--", "sh", "-c", test)
    #expect(good.status == 1 && good.output == "")
    #expect(good.errors.contains("(s7), is bad: the command fails there (exit status 1)"))
    let bad = try folder.memento("bisect", "s1", "s4", "--", "sh", "-c", test)
    #expect(bad.status == 1 && bad.errors.contains("(s4), is good: the command succeeds there"))
    #expect(try folder.memento("bisect", "s4", "s1", "--", "true").status == 2)
    #expect(try folder.memento("bisect", "s4", "s4", "--", "true").status == 2)
    #expect(try folder.memento("bisect", "s4", "none", "--", "true").status == 12)
    #expect(try folder.memento("bisect", "s1", "s4").status == 2)
    #expect(try folder.memento("bisect", "s1", "s4", "--", "no-such-command-here").status == 127)
    #expect(try folder.memento("bisect", "--in", ".", "s1", "s4", "--", "true").status == 2)
  }

  @Test func aHighStatusOrASignalEndsTheSearch() throws {
    let folder = try folder()
    for end in ["exit 128", "exit 255", "kill -9 $$"] {
      let run = try folder.memento("bisect", "s1", "s10", "--", "sh", "-c", end)
      #expect(run.status == 1 && run.errors.contains("the command ended the search at"), "\(end): \(run.errors)")
    }
  }

  @Test func theCommandIsInTheScratchFolderAndWritesDoNotStay() throws {
    let folder = try folder()
    let place = try TemporaryDirectory()
    let writing = "test -e made && exit 130; echo > made; echo broken >> same; echo x >> file; ls; " + test
    let run = try folder.memento("bisect", "--in", place.path, "s1", "s10", "--", "sh", "-c", writing)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("first bad  \(try folder.id("s6"))"))
    #expect(try place.names().isEmpty)
    let kept = try folder.memento(
      "bisect", "--keep-scratch", "--in", place.path, "s1", "s10", "--", "sh", "-c", writing)
    #expect(kept.errors.contains("memento: the scratch folder is \(place.path)/memento-bisect-"))
    #expect(try place.names().count == 1)
  }
}
