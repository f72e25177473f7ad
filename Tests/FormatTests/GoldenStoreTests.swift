// Tests a store of format 1 that was made once and is kept. This version must still restore what was saved then.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// Unpacks a golden store into a temporary folder.
private func unpacked(_ archive: String) throws -> (TemporaryDirectory, Repository) {
  let directory = try TemporaryDirectory()
  let (output, status) = Command.run("tar xf \(Command.quoted("\(Project.golden)/\(archive)"))", in: directory.path)
  try #require(status == 0, "\(String(decoding: output, as: UTF8.self))")
  return (directory, try Repository.find(from: BytePath(directory.path)))
}

@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenStoreTests {
  private let directory: TemporaryDirectory
  private let repository: Repository

  init() throws {
    (directory, repository) = try unpacked("format-1.tar")
  }

  /// The recorded listing of each state.
  private static func expected() throws -> [(state: String, lines: [String])] {
    let bytes = try Descriptor.open(Array("\(Project.golden)/format-1.txt".utf8), .namedFile).contents()
    var result: [(state: String, lines: [String])] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("== ") {
        result.append((String(line.dropFirst(3)), []))
      } else {
        result[result.count - 1].lines.append(String(line))
      }
    }
    return result
  }

  /// A listing with only one line for the folder that has many files.
  private func summary(of path: String) throws -> [String] {
    let lines = try FolderListing.lines(of: path)
    let inside = lines.filter { $0.hasPrefix("many/") }
    if inside.isEmpty { return lines }
    let sum = ObjectID(hashing: Array(inside.joined(separator: "\n").utf8))
    return lines.filter { !$0.hasPrefix("many/") } + ["many/* \(inside.count) \(sum)"]
  }

  @Test func listsItsStates() throws {
    let states = try repository.states()
    #expect(states.map(\.name) == ["first", "second one", "value"])
    #expect(
      states.map(\.snapshot.id.description) == [
        "e20f823b2ba075c0184c55b6a73fdeaf66f9659c0955e2fa9e93e73bb8df2e61",
        "2f3de81771442775d20d7c3b68fe10579adcd9ce3c06ad733af243491cbabaed",
        "517596bdf757da30312bbc06a7f31bb375d2a78121627347cfb37ecedefdfbcc",
      ])
    #expect(states.map(\.snapshot.message) == [nil, "ż and a\nsecond line", nil])
    #expect(states.map(\.snapshot.files) == [7, 807, 1])
    #expect(states.map(\.snapshot.kind) == [.tree, .tree, .value])
    for state in states {
      #expect(state.snapshot.user == "ada")
      #expect(state.snapshot.host == "golden")
      #expect(state.snapshot.isComplete)
    }
    #expect(try repository.snapshot("first~1").message == "stored, not compressed")
  }

  @Test func hasItsTimeline() throws {
    let log = try repository.log()
    #expect(log.map(\.operation) == [.restore, .save, .save, .save])
    #expect(log.map(\.isCurrent) == [true, false, false, false])
    let oldest = try repository.snapshot("first~1")
    #expect(log.first?.snapshot == oldest)
    #expect(log.last?.snapshot == oldest)
    #expect(log.last?.time.rfc3339 == "2026-11-21T09:39:55.950979823Z")
  }

  @Test func isWhole() throws {
    let report = try repository.verify(readData: true)
    #expect(report.damage == [])
    #expect([report.packs, report.blobs, report.snapshots] == [4, 54, 4])
  }

  @Test func restoresExactly() throws {
    let expected = try GoldenStoreTests.expected()
    #expect(expected.map(\.state) == ["first~1", "first", "second one"])
    for (number, (state, lines)) in expected.enumerated() {
      let place = "\(directory.path)/restored-\(number)"
      _ = try repository.restore(Revision(state), to: BytePath(place))
      #expect(try summary(of: place) == lines, "\(state)")
    }
  }

  @Test func restoresInPlace() throws {
    for (state, lines) in try GoldenStoreTests.expected() {
      let summary = try repository.restore(Revision(state))
      #expect(summary.isCommitted)
      #expect(try self.summary(of: directory.path) == lines, "\(state)")
    }
  }

  @Test func givesItsValue() throws {
    let file = try directory.descriptor.open("value".bytes, .create)
    try repository.write("value", to: file.raw)
    #expect(try directory.read("value") == "a single value\n".bytes)
  }

  @Test func holdsAllFormsOfTheFormat() throws {
    let store = repository.store
    var codecs: Set<Codec> = []
    for pack in try store.index.presentPacks() {
      codecs.formUnion(try store.index.contents(of: pack).contents.blocks.map(\.codec))
    }
    #expect(codecs == Set(Codec.allCases))
    let record = try #require(try repository.record(of: repository.snapshot("second one").id.object)).record
    let tree = try #require(record.tree)
    func entry(_ path: String) throws -> TreeEntry? { try TreePath.entry(BytePath(path), in: tree, store) }
    let many = try #require(try entry("many")?.tree)
    var reader = TreeReader(many, in: store)
    while try reader.next() != nil {}
    #expect(reader.visited.count > 2)
    guard case .file(_, let content) = try entry("zeros")?.content else { throw Errno.notFound }
    #expect(content.level == 3)
    #expect(
      try entry("text")?.metadata.attributes == [
        ExtendedAttribute(name: "user.memento".bytes, value: "golden".bytes)
      ])
    let first = try #require(try repository.record(of: repository.snapshot("first").id.object)).record
    #expect(try SnapshotLists(repository).links(of: first) == [["dir/hard".bytes, "text".bytes]])
  }
}

/// Stores of versions with one lock. Commands that only read leave them as they are; the first command that changes
/// something upgrades them.
@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenUpgradeTests {
  static let archives = ["format-1.tar", "refs-2.tar", "refs-3.tar"]

  private func config(_ directory: TemporaryDirectory) throws -> Config {
    try Config(directory.read(".memento/config"))
  }

  @Test(arguments: archives)
  func lookingChangesNothing(_ archive: String) throws {
    let (directory, repository) = try unpacked(archive)
    let before = try directory.read(".memento/config")
    #expect(try repository.verify(readData: true).damage == [])
    _ = try repository.states()
    _ = try repository.status()
    _ = try repository.collectGarbage(isDryRun: true)
    // One of the stores has only values.
    if archive != "refs-2.tar" {
      _ = try repository.restore("@", to: BytePath("\(directory.path)/copy"))
      _ = try repository.undo(isDryRun: true)
    }
    var options = SaveOptions(name: "x")
    options.isDryRun = true
    _ = try repository.save(options)
    #expect(try directory.read(".memento/config") == before)
    #expect(try directory.descriptor.status(of: ".memento/lock".bytes).isRegular)
    #expect(!directory.exists(".memento/packs.lock"))
  }

  @Test(arguments: archives)
  func theFirstChangeUpgrades(_ archive: String) throws {
    let (directory, repository) = try unpacked(archive)
    let opened = try Repository.find(from: BytePath(directory.path))
    let before = try config(directory)
    try repository.saveValues([NamedValue(name: "new", bytes: "new".bytes)])
    var after = try config(directory)
    #expect(before.features == [] && after.features == [.twoLocks])
    after.features = []
    #expect(after == before)
    #expect(try BackupCopy.decode(directory.read(".memento/backup/config")) == directory.read(".memento/config"))
    // A store that was opened before the upgrade sees it and does not undo it.
    try opened.saveValues([NamedValue(name: "newer", bytes: "newer".bytes)])
    #expect(try BackupCopy.decode(directory.read(".memento/backup/config")) == directory.read(".memento/config"))
    #expect(try repository.verify(readData: true).damage == [])
    // An older version that has read `config` before the upgrade cannot lock the store any more.
    let store = try Descriptor.open("\(directory.path)/.memento".bytes, .directory)
    do throws(Errno) {
      _ = try FileLock.acquire("lock".bytes, in: store, .exclusive, waiting: 0)
      Issue.record("it is locked")
    } catch {
      #expect(error == .isDirectory)
    }
  }
}

/// A store with a list of states in a file of its own, and changes since it was written.
@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenListTests {
  private let directory: TemporaryDirectory
  private let repository: Repository

  init() throws {
    (directory, repository) = try unpacked("refs-2.tar")
  }

  private static let expected: [String: String] = {
    var values: [String: String] = ["a new one": "new\n"]
    for number in 1...520 where number != 9 { values["value \(number)"] = number == 7 ? "moved\n" : "\(number)\n" }
    return values
  }()

  @Test func listsItsStates() throws {
    let expected = GoldenListTests.expected
    #expect(Set(try repository.states().map(\.name)) == Set(expected.keys))
    #expect(try repository.verify(readData: true).damage == [])
    for (name, value) in expected {
      #expect(try repository.content(ofState: name) == .value(value.bytes), "\(name)")
    }
  }

  /// The next change is added to the changes in `refs`. The list stays.
  @Test func canBeChanged() throws {
    let list = try directory.names(".memento/states")
    try repository.saveValues([NamedValue(name: "value 9", bytes: "again".bytes)], deleting: ["value 1"])
    #expect(try directory.names(".memento/states") == list)
    let names = Set(GoldenListTests.expected.keys).union(["value 9"]).subtracting(["value 1"])
    #expect(Set(try repository.states().map(\.name)) == names)
  }
}

/// A store with snapshots in the trash, and a step that changed one path only.
@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenTrashTests {
  private let directory: TemporaryDirectory
  private let repository: Repository

  init() throws {
    (directory, repository) = try unpacked("refs-3.tar")
  }

  @Test func holdsWhatHasLostItsName() throws {
    #expect(try repository.states().map(\.name) == ["first", "second"])
    #expect(try repository.verify(readData: true).damage == [])
    let collection = try repository.collectGarbage()
    #expect(collection.dropped.isEmpty)
    #expect(collection.held.count == 141)
    #expect(try repository.verify(readData: true).damage == [])
    #expect(try repository.collectGarbage(emptyingTrash: true).dropped.count == 141)
    #expect(try repository.verify(readData: true).damage == [])
    #expect(try repository.states().map(\.name) == ["first", "second"])
  }

  @Test func undoesAStepOfPathsAlone() throws {
    var options = RestoreOptions()
    options.discard = true
    _ = try repository.restore("@", options)
    #expect(try directory.read("a") == "two\n".bytes)
    #expect(try directory.read("dir/b") == "in one\n".bytes)
    try directory.write("a", "mine\n".bytes)
    _ = try repository.undo()
    #expect(try directory.read("a") == "mine\n".bytes)
    #expect(try directory.read("dir/b") == "in two\n".bytes)
  }
}

/// A store whose steps have ages, with the parity of its packs.
@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenParityTests {
  private let directory: TemporaryDirectory
  private let repository: Repository

  init() throws {
    (directory, repository) = try unpacked("refs-4.tar")
  }

  @Test func undoesItsSteps() throws {
    #expect(try repository.states().map(\.name) == ["first", "second"])
    #expect(try repository.verify(readData: true).damage == [])
    var options = RestoreOptions()
    options.discard = true
    _ = try repository.restore("@", options)
    #expect(try directory.read("a") == "two\n".bytes)
    #expect(try directory.read("dir/b") == "in one\n".bytes)
    _ = try repository.undo()
    #expect(try directory.read("dir/b") == "in two\n".bytes)
  }

  /// In each pack in turn, each byte is wrong, and everything is read all the same.
  @Test func healsItsPacks() throws {
    for name in try directory.names(".memento/packs") {
      let path = ".memento/packs/\(name)"
      let whole = try directory.read(path)
      for place in stride(from: 0, to: whole.count, by: 7) {
        var damaged = whole
        damaged[place] ^= 0x20
        try directory.write(path, damaged)
        let opened = try Repository.find(from: BytePath(directory.path))
        let copy = "copy-\(place)"
        _ = try opened.restore("second", to: BytePath("\(directory.path)/\(copy)"))
        #expect(try directory.read("\(copy)/a") == "two\n".bytes)
        #expect(try directory.read("\(copy)/dir/b") == "in two\n".bytes)
        try directory.descriptor.removeTree(copy.bytes)
      }
      try directory.write(path, whole)
    }
  }
}

/// A store whose steps say what they did, with a note.
@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenStoryTests {
  @Test func tellsItsHistory() throws {
    let (directory, repository) = try unpacked("refs-5.tar")
    let log = try repository.log()
    #expect(log[0].restored?.name == "first")
    #expect(log[0].restored.map { [$0.created, $0.replaced, $0.removed, $0.metadata] } == [0, 1, 0, 0])
    #expect(log[1].command?.words.map(\.bytes) == ["sh", "-c", "echo run >a; exit 3"].map { Array($0.utf8) })
    #expect(log[1].command?.status == 3 && log[1].command?.isCut == false)
    #expect(try repository.note(of: "second").note == "a note")
    #expect(try repository.verify(readData: true).damage == [])
    var options = RestoreOptions()
    options.discard = true
    _ = try repository.restore("@", options)
    #expect(try directory.read("a") == "run\n".bytes)
    #expect(try directory.read("dir/b") == "in one\n".bytes)
    _ = try repository.undo()
    #expect(try directory.read("dir/b") == "in two\n".bytes)
    #expect(try repository.log()[0].isTakenBack)
  }
}

/// A store with a fork whose folder is not here.
@Suite(.enabled(if: Command.exists("tar"), "tar is missing")) struct GoldenForkTests {
  @Test func goesOnInTheFork() throws {
    let (directory, repository) = try unpacked("refs-6.tar")
    let fork = try #require(try repository.forks().first)
    #expect(fork.folder == "/tmp/memento golden/fork" && !fork.isThere && fork.steps == 2 && fork.names == ["first"])
    #expect(try repository.verify(readData: true).damage == [])
    // A folder with the id is the fork, moved.
    try directory.descriptor.makeDirectory(Array("moved".utf8))
    try directory.descriptor.makeDirectory(Array("moved/.memento".utf8))
    try directory.write("moved/.memento/store", Array("\(repository.storePath)\n".utf8))
    try directory.write("moved/.memento/fork", Array("\(fork.id)\n".utf8))
    let moved = try Repository.find(from: repository.folder.appending(Array("moved".utf8)))
    #expect(moved.forkOf == repository.folder && moved.isAttached)
    var options = RestoreOptions()
    options.discard = true
    _ = try moved.restore("@", options)
    #expect(try directory.read("moved/a") == "one\n".bytes)
    _ = try moved.redo()
    #expect(try directory.read("moved/a") == "forked\n".bytes)
    #expect(try repository.forks().first?.isThere == true)
  }
}
