import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct StoreCommandTests {
  // MARK: init

  @Test func initMakesAStore() throws {
    let folder = try CommandFolder(files: "sub/a")
    let run = try folder.memento("init")
    #expect(run.status == 0)
    #expect(run.output == "made the store \(folder.path)/.memento\n")
    #expect(run.errors.isEmpty)
    #expect(try folder.directory.status(".memento").permissions == 0o700)
    let again = try folder.memento("init")
    #expect(again.status == 1)
    #expect(
      again.errors
        == "memento: there is a store already: \(folder.path)/.memento\nhint: use it: `memento save NAME`\n")
    #expect(try folder.memento("init", "sub").output == "made the store \(folder.path)/sub/.memento\n")
    #expect(try folder.memento("init", "-q", below: "sub").status == 1)
  }

  @Test func initHasADocument() throws {
    let folder = try CommandFolder()
    let document = try folder.document("init")
    #expect(document["schema"] == .number(1))
    #expect(document["folder"] == .text(folder.path))
    #expect(document["store"] == .text("\(folder.path)/.memento"))
  }

  @Test(arguments: ["none", "zlib", "zlib:1", "zlib:9", "zstd", "zstd:1", "zstd:19"])
  func everyCompressionWorks(_ compression: String) throws {
    let folder = try CommandFolder(files: "a", "sub/b")
    try folder.directory.write("big", Content.text(300_000, seed: 1))
    try folder.done("init", "--compression", compression)
    let before = try FolderRecord(of: folder.path)
    try folder.done("save", "one")
    try folder.directory.write("big", [])
    try folder.done("restore", "one")
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
    try folder.done("verify", "--read-data")
    #expect(try folder.read(".memento/config").contains("compression = \(compression.prefix(4))"))
  }

  @Test(arguments: ["", "gzip", "zlib:0", "zlib:10", "zstd:20", "zstd:x", "none:1"])
  func otherCompressionsAreRefused(_ compression: String) throws {
    let folder = try CommandFolder()
    let run = try folder.memento("init", "--compression", compression)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("memento: \"\(compression)\" is not a compression\nhint: "))
    #expect(!folder.directory.exists(".memento"))
  }

  @Test func initNeedsAFolder() throws {
    let folder = try CommandFolder(files: "a")
    #expect(try folder.memento("init", "a").errors == "memento: cannot make a store in a: Not a directory\n")
    let run = try folder.memento("init", "nowhere")
    #expect(run.status == 1)
    #expect(run.errors == "memento: cannot make a store in nowhere: No such file or directory\n")
  }

  // MARK: delete

  @Test func deletedNamesCanComeBack() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one two")
    let id = try folder.id("one two")
    let run = try folder.done("delete", "one two")
    #expect(run.output == "deleted one two (was \(id)); name it again with: memento save 'one two' --from \(id)\n")
    #expect(try folder.done("list").output.isEmpty)
    try folder.done("save", "one two", "--from", id)
    #expect(try folder.id("one two") == id)
  }

  @Test func allNamesAreLookedUpFirst() throws {
    let folder = try CommandFolder(files: "a")
    for name in ["a", "b", "exp/1", "exp/2"] { try folder.done("save", name) }
    let before = try folder.storeRecord().entries["refs"]
    for arguments in [["a", "nothing"], ["a", "--pattern", "nothing*"], ["--pattern", "exp/*", "nothing"], ["@"]] {
      let run = try CommandRun(bytes: (["delete"] + arguments).map(\.bytes), in: folder.path)
      #expect(run.status == 12)
      #expect(run.output.isEmpty)
      #expect(run.errors.hasSuffix("\nhint: `memento list` shows the states\n"))
    }
    #expect(try folder.storeRecord().entries["refs"] == before)
    let document = try folder.document("delete", "a", "--pattern", "exp*", "--pattern", "*/1", "a")
    #expect(document["schema"] == .number(1))
    #expect(document["dry_run"] == .bool(false))
    #expect(document["deleted"].list.map { $0["name"].text } == ["a", "exp/1", "exp/2"])
    #expect(document["deleted"].list.allSatisfy { Contract.isID($0["id"]) })
    #expect(try folder.document("list")["states"].list.map { $0["name"].text } == ["b"])
    #expect(try folder.done("delete", "-q", "b").output.isEmpty)
  }

  // MARK: gc and verify

  @Test func spaceComesBack() throws {
    let folder = try CommandFolder()
    try folder.done("save", "v", "--stdin", input: String(decoding: Content.random(90_000, seed: 3), as: UTF8.self))
    try folder.done("save", "w", "--stdin", input: "w")
    #expect(try folder.done("gc").output.hasPrefix("nothing to free; "))
    try folder.done("delete", "v")
    // For a time it is held, and gc says so.
    let held = try folder.document("gc")
    #expect(held["dropped"].list.isEmpty)
    let entry = try #require(held["held"].list.first)
    #expect(entry["names"].list.map(\.text) == ["v"])
    #expect(entry["reason"] == .text("deleted"))
    #expect(entry["bytes"].number ?? 0 > 50_000)
    #expect(entry["until"].text?.hasSuffix("Z") == true)
    #expect(entry["id"].text?.count == 64)
    let lines = try folder.done("gc").output.split(separator: "\n").map(String.init)
    #expect(lines.count == 2 && lines[1].hasPrefix("kept v until 20") && lines[1].contains(": deleted "), "\(lines)")
    #expect(try folder.done("gc", "-n").output.contains("\nwould keep v until 20"))

    let plan = try folder.document("gc", "-n", "--now")
    #expect(plan["dry_run"] == .bool(true))
    #expect(plan["dropped"].list.map { $0["names"].list.map(\.text) } == [["v"]])
    #expect(try folder.done("gc", "-n", "--now").output.contains("\nwould drop v: deleted "))
    let document = try folder.document("gc", "--now")
    #expect(document["dropped"] == plan["dropped"])
    for field in ["schema", "packs_removed", "packs_rewritten", "blobs_removed", "bytes_freed", "bytes_kept"] {
      #expect(document[field].number != nil, "\(field)")
      #expect(document[field] == plan[field], "\(field)")
    }
    #expect(document["bytes_freed"].number ?? 0 > 50_000)
    #expect(try folder.done("gc").output.hasPrefix("nothing to free; "))
    #expect(try folder.done("restore", "w", "--stdout").output == "w")
    #expect(try folder.done("gc", "-q").output.isEmpty)
  }

  @Test func purgedStatesAreGone() throws {
    let folder = try CommandFolder(files: "a")
    for name in ["one", "two", "three"] {
      try folder.directory.write(
        "a", Content.random(50_000, seed: UInt64(name.utf8.last ?? 0) + UInt64(name.utf8.count)))
      try folder.done("save", name)
    }
    let id = try folder.id("one")
    let plan = try folder.done("delete", "-n", "--purge", "one").output
    #expect(plan.hasPrefix("would purge one (is \(id))\nwould free about "))
    #expect(plan.hasSuffix(", 1 step of the history removed\n"))
    let done = try folder.done("delete", "--purge", "one").output
    #expect(
      done.hasPrefix("purged one (was \(id))\nfreed 4") && done.hasSuffix(", 1 step of the history removed\n"),
      "\(done)")
    #expect(try folder.memento("show", id).status == 12)
    let document = try folder.document("delete", "--purge", "three", "--pattern", "tw*")
    #expect(document["purged"] == .bool(true) && document["dry_run"] == .bool(false))
    #expect(document["deleted"].list.map { $0["name"].text } == ["three", "two"])
    #expect(document["deleted"].list.map { $0["current"] } == [.bool(true), .bool(false)])
    #expect(document["bytes_freed"].number ?? 0 > 40_000 && document["steps_removed"] == .number(1))
    #expect(try folder.memento("delete", "--purge", "none").status == 12)
    try folder.done("verify", "--read-data")
  }

  @Test func aGoodStoreIsGood() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    #expect(try folder.done("verify").output.hasSuffix(" and 1 snapshot: no damage\n"))
    #expect(try folder.done("verify", "--read-data").output.contains(", every byte of "))
    #expect(try folder.done("verify", "-q").output.isEmpty)
    let document = try folder.document("verify", "--read-data")
    for field in ["schema", "packs", "blobs", "snapshots", "bytes_read"] { #expect(document[field].number != nil) }
    #expect(document["damage"] == .list([]))
  }

  @Test func damageIsNamedWithStateAndPath() throws {
    let folder = try CommandFolder()
    try folder.directory.write("sub-file", Content.random(50_000, seed: 9))
    try folder.done("save", "hurt")
    try folder.dropParity()
    let pack = try #require(try folder.directory.names(".memento/packs").first)
    var bytes = try folder.directory.read(".memento/packs/\(pack)")
    bytes[20_000] ^= 1
    try folder.directory.write(".memento/packs/\(pack)", bytes)
    let run = try folder.memento("verify", "--read-data")
    #expect(run.status == 13)
    #expect(run.output.contains("sub-file"))
    #expect(run.output.contains("hurt"))
    #expect(
      run.errors == "memento: the store is damaged: 2 things are damaged\n"
        + "hint: `memento verify --repair` repairs what the folder, another copy or a remote still has\n")
    let json = try folder.memento("verify", "--read-data", "--json")
    #expect(json.status == 13)
    let damage = try JSONValue(json.outputBytes)["damage"].list
    #expect(damage.contains { $0["path"] == .text("sub-file") && $0["states"] == .list([.text("hurt")]) })
    #expect(try JSONValue(json.errorBytes)["code"] == .number(13))
    folder.remove("sub-file")
    #expect(try folder.memento("restore", "hurt").status == 13)
    #expect(try folder.directory.names().filter { $0 != ".memento" } == [])
    // The file is gone: there is nothing to heal it from. Then it is found again.
    let failed = try folder.memento("verify", "--repair")
    #expect(failed.status == 13)
    let lines = failed.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("sub-file: chunk ") && lines[0].hasSuffix(" is missing (in the state hurt)"))
    #expect(lines[1] == "moved packs/\(pack) to damaged/ of the store")
    #expect(lines[2] == "repaired 1 of 2 damaged things")
    #expect(lines[3].hasSuffix(": 1 thing is damaged"))
    #expect(failed.errors.hasSuffix("memento restore STATE PATH\n"))
    try folder.directory.write("found", Content.random(50_000, seed: 9))
    let document = try folder.document("verify", "--repair")
    #expect(document["repair"]["damage_before"] == .number(1))
    #expect(document["repair"]["packs_set_aside"] == .list([]))
    #expect(document["repair"]["went_back_to_previous_names"] == .bool(false))
    try folder.done("restore", "hurt")
    #expect(try folder.directory.read("sub-file") == Content.random(50_000, seed: 9))
    #expect(try folder.directory.names(".memento/damaged") == [pack])
    #expect(try folder.done("verify", "--repair").output.hasSuffix(": no damage\n"))
  }

  /// No name is lost; without the second copy those of the last command at most.
  @Test func damagedNamesAreMended() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.done("save", "two")
    folder.remove(".memento/refs")
    let run = try folder.memento("list")
    #expect(run.status == 13)
    #expect(
      run.errors.hasSuffix(
        "hint: run `memento verify --repair` to get the names back, or what they were before the last command\n"))
    let whole = try folder.done("verify", "--repair").output.split(separator: "\n")
    #expect(whole[0] == "put back refs from its second copy" && whole[1] == "repaired 1 of 1 damaged thing")
    #expect(try folder.done("list").output.contains("two"))
    folder.remove(".memento/refs")
    folder.remove(".memento/backup/refs")
    let repair = try folder.done("verify", "--repair").output.split(separator: "\n")
    #expect(repair[0] == "the names were damaged; they are now what they were before the last command")
    #expect(repair[1] == "repaired 1 of 1 damaged thing")
    #expect(repair[2].hasSuffix(": no damage"))
    #expect(try folder.done("list").output.contains("one"))
  }
}
