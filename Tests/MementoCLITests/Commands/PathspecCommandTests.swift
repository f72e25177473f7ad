import TestSupport
import Testing

@testable import MementoCLI

@Suite struct PathspecCommandTests {
  private func twoStates() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a.c", "b.h", "src/a.c", "vendor/a.c", "a[1]", "a1")
    try folder.done("save", "one")
    for file in ["a.c", "b.h", "src/a.c", "vendor/a.c", "a[1]", "a1"] { try folder.write(file, "changed") }
    return folder
  }

  private func changed(_ folder: CommandFolder) throws -> [String] {
    try folder.document("status")["changes"].list.compactMap { $0["path"].text }.sorted()
  }

  @Test func restoreTakesPathspecs() throws {
    let folder = try twoStates()
    try folder.done("restore", "one", "*.c", ":!vendor")
    #expect(try changed(folder) == ["a1", "a[1]", "b.h", "vendor/a.c"])
    try folder.done("undo")
    for file in ["a.c", "b.h", "src/a.c", "vendor/a.c"] { #expect(try folder.read(file) == "changed") }
    // The others were never saved.
    #expect(try changed(folder) == ["a1", "a[1]", "b.h", "vendor/a.c"])
  }

  @Test func theyStartWhereTheCommandDoes() throws {
    let folder = try twoStates()
    #expect(try folder.memento("restore", "one", "*.c", below: "src").status == 0)
    #expect(try changed(folder) == ["a.c", "a1", "a[1]", "b.h", "vendor/a.c"])
    #expect(try folder.memento("restore", "one", ":/*.h", below: "src").status == 0)
    #expect(try changed(folder) == ["a.c", "a1", "a[1]", "vendor/a.c"])
  }

  @Test func aPathThatExistsMeansItself() throws {
    let folder = try twoStates()
    try folder.done("restore", "one", "a[1]")
    #expect(try changed(folder).contains("a1"))
    folder.remove("a[1]")
    try folder.done("restore", "one", "a[1]")
    #expect(try changed(folder).contains("a1") && folder.read("a[1]") == "a[1]")
  }

  @Test func othersTakeThemToo() throws {
    let folder = try twoStates()
    #expect(try folder.done("diff", "--name-status", "--", "*.h").output == "M b.h\n")
    #expect(try folder.done("status", ":(glob)*/a.c").output.split(separator: "\n").count == 3)
    try folder.done("save", "two")
    try folder.write("b.h", "again")
    try folder.done("save", "three")
    for (pathspec, count) in [("*.h", 3), ("*.c", 2)] {
      let log = try JSONValue(folder.done("log", "--json", "--", pathspec).outputBytes)
      #expect(log["entries"].list.count == count)
    }
    #expect(try folder.done("log", "-p", "--", ":!*.h").output.contains("b.h") == false)
    let found = try folder.done("grep", "-l", "changed", "two", "--", "*.c", ":!src")
    #expect(found.output.split(separator: "\n").count == 2)
  }

  @Test func whatIsWrongIsUsage() throws {
    let folder = try twoStates()
    for wrong in [":(nonsense)a", ":(glob,literal)a", ":(top", "../*.c"] {
      let run = try folder.memento("restore", "one", wrong)
      #expect(run.status == 2 && run.errors.contains("hint: magic words are"), "\(wrong)")
    }
    let none = try folder.memento("restore", "one", "*.none")
    #expect(none.status == 12 && none.errors.contains("*.none"))
    #expect(try changed(folder).count == 6)
  }
}
