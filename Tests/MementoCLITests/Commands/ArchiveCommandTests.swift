import TestSupport
import Testing

@testable import MementoCLI

@Suite struct ArchiveCommandTests {
  @Test func anArchiveGoesOutAndIn() throws {
    let folder = try CommandFolder(files: "a", "d/b")
    try folder.done("save", "one")
    let out = try folder.done("export", "one", "x.tar.gz")
    #expect(out.output.hasPrefix("exported one \(try folder.id("one")) to x.tar.gz: 4 entries, "))
    let into = try folder.done("import", "x.tar.gz", "two", "-m", "why")
    #expect(into.output.hasPrefix("imported two \(try folder.id("two")): 2 entries, 4 B; "))
    #expect(try folder.done("cat", "two:d/b").output == "d/b")
    #expect(try folder.memento("import", "x.tar.gz", "two", "--no-clobber").status == 1)
    let again = try folder.done("import", "-n", "x.tar.gz", "three")
    #expect(again.output.hasPrefix("would import three: 2 entries"))
    #expect(try folder.memento("cat", "three:a").status == 12)
  }

  @Test func standardStreamsCarryArchives() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let bytes = try folder.done("export", "one").outputBytes
    #expect(bytes.count == 10240)
    #expect(try folder.done("export", "one", "-").outputBytes == bytes)
    #expect(try folder.done("export", "one", "--gzip").outputBytes.starts(with: [0x1f, 0x8b]))
    #expect(try folder.done("export", "one", "--zstd", "-").outputBytes.starts(with: [0x28, 0xb5]))
    let run = try CommandRun(bytes: ["import", "-", "two"].map(\.bytes), in: folder.path, input: bytes)
    #expect(run.status == 0)
    #expect(try folder.done("cat", "two:a").output == "a")
  }

  @Test func aTerminalGetsNoArchive() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let run = try folder.memento("export", "one") { $0.isOutputTerminal = true }
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("hint: name a FILE"))
  }

  @Test func documentsSayWhatWasDone() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let out = try folder.document("export", "one", "x.tar")
    #expect(out["snapshot"].breaches(of: Contract.snapshot) == [])
    #expect(out["entries"] == .number(2))
    #expect(out["bytes"] == .number(1))
    #expect(out["bytes_written"] == .number(10240))
    #expect(out["compression"] == .text("none"))
    let into = try folder.document("import", "x.tar", "two")
    #expect(into["snapshot"].breaches(of: Contract.snapshot) == [])
    #expect(into["problems"] == .list([]))
    let piped = try folder.memento("export", "one", "--json")
    #expect(piped.outputBytes.count == 10240)
    #expect(piped.errors.contains("\"file\":null"))
  }

  @Test func whatIsNoArchiveIsSaid() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "v", "--stdin", input: "x")
    let value = try folder.memento("export", "v", "x.tar")
    #expect(value.status == 1)
    #expect(value.errors.contains("`memento cat v` writes its bytes"))
    let none = try folder.memento("import", "a", "two")
    #expect(none.status == 1)
    #expect(none.errors == "memento: it is not a tar archive\n")
    let xz = try folder.memento("import", "-", "two", input: "BZh91AY")
    #expect(xz.status == 1)
    #expect(xz.errors.contains("compressed with bzip2"))
    #expect(try folder.memento("import", "nowhere", "two").status == 1)
  }
}
