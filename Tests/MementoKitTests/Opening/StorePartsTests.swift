// Every file and folder of a store is deleted, cut short or replaced in turn. Then every command that changes something
// runs. What was saved must still be there, with its name.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct StorePartsTests {
  /// The parts of a store. `*` stands for the first file in a folder.
  static let parts = [
    ".gitignore", "backup", "backup/config", "backup/refs", "backup/*", "cache", "cache/stat", "config", "damaged",
    "folder.lock", "index", "index/*", "journal", "lock", "packs", "parity", "parity/*", "packs.lock", "refs",
    "refs.lock", "refs.prev", "rescue", "rules", "states", "states/*", "tmp",
  ]

  enum Damage: CaseIterable, Sendable {
    case missing, empty, half, folder, link, garbage, fifo
  }

  /// A folder whose store has all of these parts.
  struct Shelf {
    let directory: TemporaryDirectory
    let folder: FolderTools
    let store: FolderTools
    let outside: FolderTools
    let states: [String: Manifest]
    let values: Int

    private static let small = Result { try Shelf(making: 3) }
    /// The store has so many states that their list is a file of its own.
    private static let large = Result { try Shelf(making: 600) }

    /// Copies a store that is made only once.
    init(isLarge: Bool) throws {
      let made = try (isLarge ? Shelf.large : Shelf.small).get()
      let copy = try TemporaryDirectory()
      try #require(try Launch(["cp", "-a", made.directory.path + "/.", copy.path]).status == 0)
      self.init(copy, made.states, values: made.values)
    }

    private init(_ directory: TemporaryDirectory, _ states: [String: Manifest], values: Int) {
      self.directory = directory
      folder = FolderTools(directory.path.bytes + "/work".bytes)
      outside = FolderTools(directory.path.bytes + "/outside".bytes)
      store = folder.folder(".memento")
      self.states = states
      self.values = values
    }

    private init(making values: Int) throws {
      self.values = values
      directory = try TemporaryDirectory()
      folder = try FolderTools(making: directory.path.bytes + "/work".bytes)
      outside = try FolderTools(making: directory.path.bytes + "/outside".bytes)
      store = folder.folder(".memento")
      try outside.write("canary".bytes, "alive".bytes)
      try folder.write("a".bytes, "first".bytes)
      try folder.makeFolder("sub".bytes)
      try folder.write("sub/b".bytes, Content.random(20_000, seed: 1))
      let repository = try Repository.create(folder: BytePath(folder.path), options: RepositoryFixture.quick)
      var states: [String: Manifest] = [:]
      _ = try repository.save(SaveOptions(name: "one"))
      states["one"] = try Manifest(folder)
      try folder.write("a".bytes, "second".bytes)
      try folder.write("c".bytes, Content.text(5000, seed: 2))
      for name in ["two", "gone", "old"] { _ = try repository.save(SaveOptions(name: name)) }
      states["two"] = try Manifest(folder)
      try repository.saveValues((0..<values).map { NamedValue(name: "v\($0)", bytes: "value \($0)".bytes) })
      for name in ["damaged", "rescue"] {
        try store.makeFolder(name.bytes)
        try store.write("\(name)/kept".bytes, "kept".bytes)
      }
      // This changes `refs`, so the refs before it have all names, too.
      var options = SaveOptions()
      options.message = "with rules"
      options.ignoring.patterns = ["*.o".bytes]
      _ = try repository.save(options)
      self.states = states
    }

    /// The real name of a part.
    func name(_ part: String) throws -> [UInt8] {
      guard part.hasSuffix("/*") else { return part.bytes }
      let parent = String(part.dropLast(2))
      let names = try store.folder(parent).names()
      let isList = { (name: [UInt8]) in name.count == 64 }
      let chosen = parent == "backup" ? names.first(where: isList) : names.first
      return parent.bytes + "/".bytes + (try #require(chosen))
    }

    /// Damages a part. Returns false when this damage does not apply to it.
    func hurt(_ part: String, _ damage: Damage) throws -> Bool {
      let name = try name(part)
      let isFolder = (try? store.folder(String(decoding: name, as: UTF8.self)).names()) != nil
      if damage == .half {
        if isFolder { return false }
        let bytes = try store.read(name)
        try store.write(name, Array(bytes.prefix(bytes.count / 2)))
        return true
      }
      if isFolder && damage == .empty {
        try store.folder(String(decoding: name, as: UTF8.self)).empty()
        return true
      }
      if isFolder && damage == .folder { return false }
      try store.remove(name)
      switch damage {
      case .missing, .half: break
      case .empty: try store.write(name, [])
      case .folder:
        try store.makeFolder(name)
        try store.write(name + "/inner".bytes, "kept".bytes)
      case .link: try store.makeLink(name, to: outside.absolute(isFolder ? [] : "canary".bytes))
      case .garbage: try store.write(name, Content.random(500, seed: 3))
      case .fifo: try store.makeFifo(name)
      }
      return true
    }

    /// Opens the store as a process that makes missing stores.
    func open(mending: Bool = false) throws -> Repository {
      var options = RepositoryFixture.quick
      options.mendsStore = mending
      return try Repository.openOrCreate(folder: BytePath(folder.path), options: options)
    }

    /// Runs every command that changes something. Returns the codes of those that failed.
    func runAll() -> [RepositoryError.Code] {
      let commands: [(Repository) throws -> Any] = [
        { try $0.save(SaveOptions(name: "new")) },
        { try $0.name("one", as: "alias") },
        { try $0.delete(["gone"]) },
        { try $0.rename("old", to: "renamed") },
        { try $0.saveValues([NamedValue(name: "value", bytes: "x".bytes)]) },
        { try $0.restore("one") },
        { try $0.undo() },
        { try $0.redo() },
        { try $0.collectGarbage() },
        { try $0.verify(readData: true) },
      ]
      return run(commands)
    }

    /// Runs commands that must work after a repair. Returns the codes of those that failed.
    func runSome() -> [RepositoryError.Code] {
      run([
        { try $0.save(SaveOptions(name: "again")) }, { try $0.restore("one") }, { try $0.undo() },
        { try $0.collectGarbage() },
      ])
    }

    private func run(_ commands: [(Repository) throws -> Any]) -> [RepositoryError.Code] {
      return commands.compactMap { command in code { try command(open()) } }
    }

    /// Checks that all names and contents are as before.
    func expectKept(contents: Bool, _ when: String) throws {
      let repository = try open()
      let names = Set(try repository.stateNames().keys)
      let missing = (["one", "two"] + (0..<values).map { "v\($0)" }).filter { !names.contains($0) }
      #expect(missing == [], "\(when): names are lost")
      #expect(names.contains("old") || names.contains("renamed"), "\(when)")
      #expect(try outside.names() == ["canary".bytes] && outside.read("canary".bytes) == "alive".bytes, "\(when)")
      guard contents else { return }
      for (name, state) in states {
        let place = directory.path.bytes + "/copy-\(name)".bytes
        _ = try repository.restore(Revision(name), to: BytePath(place))
        #expect(try Manifest(FolderTools(place)).differences(from: state) == [], "\(when): \(name)")
        try FolderTools(directory.path.bytes).remove("copy-\(name)".bytes)
      }
      guard let value = try repository.content(ofState: "v2")?.value else {
        Issue.record("\(when): v2 is no value")
        return
      }
      #expect(value == "value 2".bytes, "\(when)")
      #expect(try repository.verify(readData: true).damage == [], "\(when)")
    }
  }

  @Test func thePartsAreThoseOfAStore() throws {
    let shelf = try Shelf(isLarge: true)
    let names = Set(try shelf.store.names().map { String(decoding: $0, as: UTF8.self) })
    // The mark of --no-sync exists only until a command flushes.
    #expect(names.subtracting(["unsynced"]) == Set(StorePartsTests.parts.filter { !$0.contains("/") }))
  }

  @Test(arguments: parts)
  func whateverBecomesOfAPart(_ part: String) throws {
    for damage in Damage.allCases {
      let shelf = try Shelf(isLarge: part.hasPrefix("states") || part == "backup/*")
      guard try shelf.hurt(part, damage) else { continue }
      try expectSurvival(shelf, [part], "\(part) \(damage)")
    }
  }

  /// Which pack holds what differs from store to store, so each of them is damaged in turn.
  @Test func whateverBecomesOfAPack() throws {
    let whole = try Shelf(isLarge: false)
    for name in try whole.store.folder("packs").names() {
      let part = "packs/" + String(decoding: name, as: UTF8.self)
      for damage in Damage.allCases {
        let shelf = try Shelf(isLarge: false)
        guard try shelf.hurt(part, damage) else { continue }
        try expectSurvival(shelf, [part], "\(part) \(damage)")
      }
    }
  }

  @Test(arguments: [
    ["config", "backup"], ["config", "refs"], ["config", "packs"], ["refs", "refs.prev"], ["refs", "backup"],
    ["refs", "states"], ["states", "refs.prev"], ["config", "journal", "refs.prev"],
    ["config", "cache", "index", "tmp"],
    ["config", "refs", "refs.prev", "states", "journal"], ["lock", "refs.lock", "config"],
    ["lock", "packs.lock", "folder.lock", "refs.lock", "config"],
  ])
  func whateverIsLostTogether(_ lost: [String]) throws {
    let shelf = try Shelf(isLarge: lost.contains("states"))
    for part in lost { try shelf.store.remove(part.bytes) }
    try expectSurvival(shelf, lost, lost.joined(separator: ", "))
  }

  private func expectSurvival(_ shelf: Shelf, _ parts: [String], _ when: String) throws {
    // When the only copy of the content is damaged, only the names can survive.
    let hasContent = parts.allSatisfy { !$0.hasPrefix("packs") }
    let first = shelf.runAll()
    var expected: Set<RepositoryError.Code> = [.damaged, .badConfig]
    // When earlier commands failed, there may be nothing to undo or redo.
    if first.contains(.damaged) { expected.insert(.timelineEnd) }
    #expect(first.allSatisfy(expected.contains), "\(when): \(first)")
    if first.contains(.badConfig) {
      // A person must correct the line. The copy in `backup/` shows what it was.
      let copy = try #require(BackupCopy.decode(try shelf.store.read("backup/config".bytes)))
      try shelf.store.write("config".bytes, copy)
    }
    if first.contains(.damaged) {
      let repair = try shelf.open(mending: true).repair()
      #expect(repair.damageBefore > 0, "\(when)")
      if hasContent { #expect(repair.report.damage == [], "\(when)") }
    }
    try shelf.expectKept(contents: hasContent, when)
    if hasContent {
      let second = shelf.runSome()
      #expect(second == [], "\(when): \(second)")
      #expect(try shelf.store.read("backup/refs".bytes) == shelf.store.read("refs".bytes), "\(when)")
      let copy = BackupCopy.decode(try shelf.store.read("backup/config".bytes))
      #expect(try copy == shelf.store.read("config".bytes), "\(when)")
    }
  }
}
