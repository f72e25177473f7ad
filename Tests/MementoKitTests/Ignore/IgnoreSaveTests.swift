// A snapshot has no ignored file and lacks no other.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

extension RepositoryFixture {
  /// All paths of a snapshot. Folders have a slash at the end.
  func paths(_ revision: String = "@") throws -> [String] {
    var folders = [""]
    var paths: [String] = []
    let store = try reopened().store
    let tree = try SnapshotRecord.read(try reopened().snapshot(Revision(revision)).id.object, from: store).tree
    try TreeDiff(old: store, new: store, monitor: SilentMonitor()).walk(from: nil, to: tree, label: 0) {
      (label, _, entry) throws(StoreError) in
      guard let entry else { return .pass }
      let path = folders[label] + String(decoding: entry.name, as: UTF8.self)
      paths.append(entry.isDirectory ? path + "/" : path)
      folders.append(path + "/")
      return .enter(folders.count - 1)
    }
    return paths.sorted()
  }

  /// Makes files that contain their own names, and the folders around them.
  func write(_ files: String...) throws {
    for file in files {
      let parts = file.split(separator: "/").dropLast()
      for count in parts.indices { try? folder.makeFolder(parts[...count].joined(separator: "/").bytes) }
      try folder.write(file.bytes, file.bytes)
    }
  }

  func rules(_ text: String, in place: String = "") throws {
    try folder.write((place + ".mementoignore").bytes, text.bytes)
  }

  /// Adds lines to the config and opens the store again.
  func configured(_ lines: String) throws -> Repository {
    let config = try storeFolder.read("config".bytes)
    try storeFolder.write("config".bytes, config + lines.bytes)
    return try reopened()
  }

  func isThere(_ path: String) -> Bool { (try? state.entries[path.bytes]) ?? nil != nil }
}

struct IgnoreSaveTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.write("a.c", "a.o", "src/b.c", "src/b.o", "src/deep/c.o", "build/x/y", "build/z", "sub/build/q")
  }

  /// A file that a user names may be a pipe that does not end.
  @Test func aFileOfPatternsHasABound() throws {
    let directory = try TemporaryDirectory()
    let path = BytePath(directory.path).appending("patterns".bytes)
    var options = IgnoreOptions()
    try FolderTools(directory.path.bytes).write(
      "patterns".bytes, [UInt8](repeating: 0x0a, count: IgnoreList.largestFile))
    try options.addPatterns(of: path, name: "patterns")
    try FolderTools(directory.path.bytes).write(
      "patterns".bytes, [UInt8](repeating: 0x0a, count: IgnoreList.largestFile + 1))
    #expect(code { try options.addPatterns(of: path, name: "patterns") } == .system)
  }

  @Test func rulesOfAllFoldersCount() throws {
    try shop.rules("*.o\n/build/\n!**/deep/c.o\n")
    try shop.rules("b.c\n!b.o\n", in: "src/")
    let saved = try shop.save("one")
    #expect(saved.problems == [])
    #expect(
      try shop.paths() == [
        ".mementoignore", "a.c", "src/", "src/.mementoignore", "src/b.o", "src/deep/", "src/deep/c.o", "sub/",
        "sub/build/",
        "sub/build/q",
      ])
    #expect(try shop.repository.verify(readData: true).damage == [])
  }

  @Test func nothingCanBeTakenBackInFromAnIgnoredFolder() throws {
    try shop.rules("build/\n!build/x/\n!build/x/y\n")
    try shop.rules("!*\n", in: "build/")
    try shop.save("one")
    #expect(try !shop.paths().contains { $0.contains("build") })
  }

  /// An ignored folder is not read at all: its content would cause notes.
  @Test func anIgnoredFolderIsNotWalked() throws {
    try shop.folder.makeSocket("build/socket".bytes)
    try shop.folder.makeFolder("build/.memento".bytes)
    #expect(try shop.save("one").problems.count == 2)
    try shop.rules("build\n")
    #expect(try shop.save("two").problems == [])
  }

  @Test func theCommandLineHasTheFirstWordAndTheConfigTheLast() throws {
    try shop.rules("!b.o\n*.c\n")
    let repository = try shop.configured("ignore = *.o\nignore = /sub\n")
    try repository.save()
    #expect(
      try shop.paths() == [
        ".mementoignore", "build/", "build/x/", "build/x/y", "build/z", "src/", "src/b.o", "src/deep/",
      ])
    var options = SaveOptions()
    options.ignoring.patterns = ["!a.c".bytes, "b.?".bytes, "build".bytes]
    try repository.save(options)
    #expect(try shop.paths() == [".mementoignore", "a.c", "src/", "src/deep/"])
    // Patterns of the command line win over a file of patterns.
    options.ignoring.files = [.init(name: BytePath("patterns"), bytes: "# all\n*\n!src/\n".bytes)]
    try repository.save(options)
    #expect(try shop.paths() == ["a.c", "src/"])
  }

  @Test func gitignoreIsReadWhenAskedFor() throws {
    try shop.folder.write(".gitignore".bytes, "*.o\nb.c\n".bytes)
    try shop.rules("!b.c\n")
    try shop.save("without")
    #expect(try shop.paths().contains("a.o"))
    try shop.save("with") { $0.ignoring.readsGitignore = true }
    #expect(try shop.paths().filter { $0.hasSuffix(".o") } == [])
    // .mementoignore wins over .gitignore, and .gitignore itself is saved.
    #expect(try shop.paths().contains("src/b.c"))
    #expect(try shop.paths().contains(".gitignore"))
    let repository = try shop.configured("gitignore = true\n")
    let saved = try repository.save(SaveOptions(name: "config"))
    #expect(saved.changes == ChangeCounts())
  }

  @Test func cachesKeepTheirTag() throws {
    let tag = CacheTag.signature + "\n# a cache\n".bytes
    for place in ["build/CACHEDIR.TAG", "CACHEDIR.TAG"] { try shop.folder.write(place.bytes, tag) }
    try shop.folder.write("sub/CACHEDIR.TAG".bytes, "Signature: 8a477f597d28d172789f06886806bc5".bytes)
    try shop.folder.makeLink("src/CACHEDIR.TAG".bytes, to: "../CACHEDIR.TAG".bytes)
    try shop.save("all")
    #expect(try shop.paths().contains("build/x/y"))
    try shop.save("some") { $0.ignoring.excludesCaches = true }
    #expect(try shop.paths().filter { $0.hasPrefix("build") } == ["build/", "build/CACHEDIR.TAG"])
    // Half a signature and a link are no tags. The tag of the top folder does not count.
    #expect(try shop.paths().contains("sub/build/q"))
    #expect(try shop.paths().contains("src/b.c"))
    #expect(try shop.paths().contains("a.c"))
  }

  @Test func largeFilesAreLeftOut() throws {
    try shop.folder.write("large".bytes, Content.zeros(1001))
    try shop.folder.write("exact".bytes, Content.zeros(1000))
    try shop.rules("!large\n")
    try shop.save("one") { $0.ignoring.largestFile = 1000 }
    #expect(try !shop.paths().contains("large"))
    #expect(try shop.paths().contains("exact"))
    let repository = try shop.configured("exclude-larger-than = 1k\n")
    try repository.save()
    #expect(try shop.paths().contains("large"))
  }

  /// The stat cache holds no ignored file, and keeps all others.
  @Test func rulesMayChangeBetweenSaves() throws {
    try shop.save("all")
    let all = try shop.tree("all")
    // Files that are as new as the cache are read again.
    for path in try shop.state.entries.keys { try shop.folder.setTime(path, 1_000_000_000) }
    let repository = try shop.configured("ignore = *.o\n")
    try repository.save(SaveOptions(name: "few"))
    #expect(try shop.paths("few").filter { $0.hasSuffix(".o") } == [])
    try shop.repository.save(SaveOptions(name: "again"))
    #expect(try shop.paths("again") == shop.paths("all"))
    try shop.configured("").save(SaveOptions(name: "few again"))
    var options = SaveOptions(name: "fresh")
    options.rehash = true
    try shop.repository.save(options)
    let read = try shop.reopened()
    let trees = try ["all", "few", "again", "few again", "fresh"].map { name in
      try SnapshotRecord.read(try read.snapshot(name).id.object, from: read.store).tree
    }
    #expect(trees[0] == all && trees[0] != trees[2], "the times have changed")
    #expect(trees[3] == trees[1])
    #expect(trees[4] == trees[2])
    #expect(try read.verify(readData: true).damage == [])
  }

  @Test func onlyRegularFilesAreRuleFiles() throws {
    try shop.folder.makeFolder("src/.mementoignore".bytes)
    try shop.folder.write("patterns".bytes, "*\n".bytes)
    try shop.folder.makeLink(".mementoignore".bytes, to: "patterns".bytes)
    try shop.folder.makeFifo("sub/.mementoignore".bytes)
    let saved = try shop.save("one")
    #expect(saved.problems.map(\.path) == [BytePath(".mementoignore")])
    #expect(saved.problems.map(\.isNote) == [true])
    #expect(try shop.paths().contains("src/.mementoignore/"))
    #expect(try shop.paths().contains("a.o"))
  }

  @Test func aHugeRuleFileDoesNotCount() throws {
    try shop.rules("*.o\n")
    try shop.folder.truncate(".mementoignore".bytes, to: (100 << 20) + 1)
    let status = try shop.repository.status()
    #expect(status.problems.map(\.message) == ["its rules do not count: it has more than 100 MiB"])
    #expect(status.changes.map(\.path).contains(BytePath("a.o")))
  }

  @Test func aLastLineNeedsNoEnd() throws {
    try shop.rules("*.c\r\n*.o")
    try shop.save("one")
    #expect(try shop.paths().filter { $0.hasSuffix(".o") || $0.hasSuffix(".c") } == [])
  }

  @Test func whatIsIgnoredHasNoPartInHardLinks() throws {
    try shop.folder.makeHardLink("linked.o".bytes, to: "a.c".bytes)
    try shop.rules("*.o\n")
    try shop.save("one")
    #expect(try SnapshotLists(shop.repository).links(of: shop.record("one")) == [])
    try shop.folder.write("a.c".bytes, "changed".bytes)
    try shop.restore("one")
    #expect(try shop.folder.read("a.c".bytes) == "a.c".bytes)
    // A restore must not write through the name outside.
    #expect(try shop.folder.read("linked.o".bytes) == "changed".bytes)
  }
}
