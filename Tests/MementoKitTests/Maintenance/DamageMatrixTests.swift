// Each file of a store x each damage x each command. A command gives the answer that it would have given, or says that the
// store is damaged; what rots is healed; and nothing that was saved is lost.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct DamageMatrixTests {
  enum Damage: CaseIterable {
    case missing, empty, half, folder, link, garbage, fifo
    /// A flipped bit at the beginning, somewhere, and at the end; and 4096 bytes of zeros. The time stays: nobody has
    /// written the file.
    case firstBit, anyBit, lastBit, zeros

    /// Whether this is what a bad disk does.
    var isRot: Bool { [.firstBit, .anyBit, .lastBit, .zeros].contains(self) }
  }

  /// One of so many cells is tried; all where MEMENTO_DAMAGE_STRIDE is 1. Another seed gives other cells.
  private static let stride = number("MEMENTO_DAMAGE_STRIDE") ?? 101
  private static let seed = number("MEMENTO_DAMAGE_SEED") ?? 1

  private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

  /// The parts of a store that are not lists. `*` stands for the first file in a folder.
  static let parts = [
    ".gitignore", "backup", "backup/config", "backup/refs", "backup/rules", "bad-blocks", "cache", "cache/changes",
    "cache/gc", "cache/mark", "cache/merged", "cache/stat", "cache/verified", "config", "damaged", "folder.lock",
    "index",
    "index/*", "journal", "lock", "packs",
    "packs/*", "packs.lock", "parity", "parity/*", "refs", "refs.lock", "refs.prev", "rescue", "rules", "tmp",
    "unsynced",
  ]
  /// The lists, which only a store with many states has.
  static let lists = ["backup/*", "states", "states/*", "trash", "trash/*"]

  @Test(arguments: parts) func eachPart(_ part: String) throws {
    try expectSurvival(part, DamagedStore.small.get())
  }

  @Test(arguments: lists) func eachList(_ part: String) throws {
    try expectSurvival(part, DamagedStore.large.get())
  }

  /// What writes lists says that something else has the name of their folder.
  @Test(arguments: ["states", "trash"], [Damage.link, .garbage, .fifo])
  func aFolderOfListsIsSomethingElse(_ part: String, _ damage: Damage) throws {
    let whole = try DamagedStore.large.get()
    let command = try #require(DamageCommand.all.first { $0.name == "delete --purge" })
    var generator = SplitMix64(seed: 1)
    let store = try whole.copy()
    #expect(try store.hurt(part, damage, using: &generator))
    try expect(store, part, damage, command, like: whole)
  }

  /// Whatever has the place of the mark of unflushed packs, a repair makes a mark of which nothing is believed, and the
  /// packs are read.
  @Test(arguments: [Damage.folder, .link, .fifo, .garbage])
  func theMarkIsSomethingElse(_ damage: Damage) throws {
    let whole = try DamagedStore.small.get()
    var generator = SplitMix64(seed: 1)
    for command in DamageCommand.all.filter({ ["status", "save", "gc", "undo"].contains($0.name) }) {
      let store = try whole.copy()
      #expect(try store.hurt("unsynced", damage, using: &generator))
      try expect(store, "unsynced", damage, command, like: whole)
    }
  }

  /// Nothing that a store can hold is left out.
  @Test func thePartsAreThoseOfAStore() throws {
    for store in [try DamagedStore.small.get(), try DamagedStore.large.get()] {
      let known = DamageMatrixTests.parts + DamageMatrixTests.lists
      for name in try store.store.names().map({ String(decoding: $0, as: UTF8.self) }) {
        #expect(known.contains(name), "\(name)")
      }
    }
    let small = try DamagedStore.small.get()
    for part in DamageMatrixTests.parts { #expect(try small.status(of: part) != nil, "\(part)") }
    let large = try DamagedStore.large.get()
    for part in DamageMatrixTests.lists { #expect(try large.status(of: part) != nil, "\(part)") }
  }

  private func expectSurvival(_ part: String, _ whole: DamagedStore) throws {
    let commands = DamageCommand.all
    for (row, damage) in Damage.allCases.enumerated() {
      for (column, command) in commands.enumerated() {
        let cell = "\(part) \(row) \(column)".utf8.reduce(UInt64(DamageMatrixTests.seed)) {
          $0 &* 1_000_003 ^ UInt64($1)
        }
        var generator = SplitMix64(seed: cell)
        guard Int.random(in: 0..<DamageMatrixTests.stride, using: &generator) == 0 else { continue }
        let store = try whole.copy()
        guard try store.hurt(part, damage, using: &generator) else { continue }
        try expect(store, part, damage, command, like: whole)
      }
    }
  }

  private func expect(
    _ store: DamagedStore, _ part: String, _ damage: Damage, _ command: DamageCommand, like whole: DamagedStore
  ) throws {
    let when = "\(part) \(damage), \(command.name)"
    var outcome = DamageCommand.Outcome.damaged
    let failed = withExtendedLifetime(store) { code { outcome = try command.run(try store.open()) } }
    let isPack = part.hasPrefix("packs")
    if damage.isRot {
      #expect(failed == nil, "\(when)")
      if failed == nil { #expect(outcome == whole.answers[command.name], "\(when)") }
    } else {
      #expect([nil, .damaged, .badConfig].contains(failed), "\(when): \(String(describing: failed))")
      // A file that is edited, or removed where that is allowed, may change an answer; damage may not.
      if failed == nil, outcome != .damaged, !["config", "rules", "journal", "backup"].contains(part) {
        #expect(outcome == whole.answers[command.name], "\(when)")
      }
    }
    if failed == .badConfig {
      // A person must correct the line. The copy in `backup/` shows what it was.
      let copy = try #require(BackupCopy.decode(try store.store.read("backup/config".bytes)))
      try store.store.write("config".bytes, copy)
    }
    _ = try store.open(mending: true).repair()
    try store.expectKept(hasContent: !isPack || damage.isRot, when)
  }
}

/// A command, with what it answers.
struct DamageCommand: Sendable {
  enum Outcome: Equatable, Sendable {
    /// It changes something, and did.
    case done
    case answer(String)
    /// It has said what is damaged.
    case damaged
  }

  let name: String
  let run: @Sendable (Repository) throws -> Outcome

  private init(reading name: String, _ run: @escaping @Sendable (Repository) throws -> String?) {
    self.name = name
    self.run = { repository in try run(repository).map { .answer($0) } ?? .damaged }
  }

  private init(changing name: String, _ run: @escaping @Sendable (Repository) throws -> Any) {
    self.name = name
    self.run = { repository in
      _ = try run(repository)
      return .done
    }
  }

  static let all = reading + changing

  private static let reading = [
    DamageCommand(reading: "list") { repository in
      let states = try repository.states()
      return states.contains { $0.problem != nil } ? nil : states.map { "\($0.name)" }.joined(separator: " ")
    },
    DamageCommand(reading: "log") { try $0.log().map { "\($0.snapshot.id)" }.joined(separator: " ") },
    DamageCommand(reading: "log one") { repository in
      var options = LogOptions()
      options.from = Revision("one")
      return try repository.log(options).map { "\($0.snapshot.id)" }.joined(separator: " ")
    },
    DamageCommand(reading: "show") { "\(try $0.details(of: "two").snapshot)" },
    DamageCommand(reading: "status") { "\(try $0.status().changes.count)" },
    DamageCommand(reading: "diff") { repository in
      var options = DiffOptions()
      (options.from, options.to) = ("one", "two")
      return "\(try repository.diff(options).changes.count)"
    },
    DamageCommand(reading: "ls") { repository in
      var entries = try repository.entries("one", isRecursive: true)
      var names: [String] = []
      while let entry = try entries.next() { names.append("\(entry.path)") }
      return names.joined(separator: " ")
    },
    DamageCommand(reading: "cat") { repository in
      var reader = try repository.content(of: "one", path: "sub/b")
      var file: [UInt8] = []
      while let piece = try reader.next() { file += piece }
      return "\(ObjectID(hashing: file))"
    },
    DamageCommand(reading: "value") { "\(String(describing: try $0.content(ofState: "v1")?.value))" },
    DamageCommand(reading: "stats") { repository in
      let found = try repository.statistics()
      return found.damage > 0 ? nil : "\(found.states.map(\.name)) \(found.rawBytes) \(found.all.raw) \(found.amounts)"
    },
    DamageCommand(reading: "verify") { verified(try $0.verify()) },
    DamageCommand(reading: "verify --read-data") { verified(try $0.verify(readData: true)) },
    DamageCommand(reading: "verify --read-data=10%") { verified(try $0.verify(VerifyOptions(readPercent: 10))) },
    DamageCommand(reading: "verify --since") { repository in
      var options = VerifyOptions(readPercent: 100)
      options.notReadSince = SnapshotTime(seconds: 0, nanoseconds: 0)
      return verified(try repository.verify(options))
    },
    DamageCommand(reading: "config") { "\(try $0.settings().count)" },
    DamageCommand(reading: "gc -n") {
      _ = try $0.collectGarbage(isDryRun: true); return ""
    },
  ]

  /// The number of snapshots; nil when something is damaged that is not derived.
  private static func verified(_ report: VerifyReport) -> String? {
    report.damage.allSatisfy(\.isDerived) ? "\(report.snapshots)" : nil
  }

  private static let changing = [
    DamageCommand(changing: "save") { try $0.save(SaveOptions(name: "new")) },
    DamageCommand(changing: "save value") { try $0.saveValues([NamedValue(name: "value", bytes: "x".bytes)]) },
    DamageCommand(changing: "name") { try $0.name("one", as: "alias") },
    DamageCommand(changing: "rename") { try $0.rename("old", to: "renamed") },
    DamageCommand(changing: "delete") { try $0.delete(["spare"]) },
    DamageCommand(changing: "delete --purge") { try $0.purge(["spare"]) },
    DamageCommand(changing: "prune") { repository in
      var policy = PrunePolicy()
      policy.last = 1
      var options = PruneOptions(policy)
      options.names = ["spare", "spare 2"]
      return try repository.prune(options)
    },
    DamageCommand(changing: "restore") { try $0.restore("one") },
    DamageCommand(changing: "restore PATH") { repository in
      var options = RestoreOptions()
      options.paths = ["a"]
      return try repository.restore("one", options)
    },
    DamageCommand(changing: "restore --to") {
      try $0.restore("one", to: BytePath($0.storePath.bytes + "/../../out".bytes))
    },
    DamageCommand(changing: "undo") { try $0.undo() },
    DamageCommand(changing: "undo, redo") { repository in
      _ = try repository.undo()
      return try repository.redo()
    },
    DamageCommand(changing: "gc") { try $0.collectGarbage() },
    DamageCommand(changing: "gc --now") { try $0.collectGarbage(emptyingTrash: true) },
    DamageCommand(changing: "gc --prune-unnamed --max-size") { repository in
      var options = GarbageOptions()
      options.unnamedAge = 0
      options.budget = RetentionPolicy.Budget(bytes: 1 << 30)
      return try repository.collectGarbage(options)
    },
    DamageCommand(changing: "config KEY VALUE") { try $0.changeConfig(.set("trash", to: "7d".bytes)) },
  ]
}

/// A store with all parts that a store can have, and what is in it.
struct DamagedStore {
  let directory: TemporaryDirectory
  let folder: FolderTools
  let store: FolderTools
  private let outside: FolderTools
  private let states: [String: Manifest]
  private let names: [String]
  /// What the commands say of it while it is whole.
  let answers: [String: DamageCommand.Outcome]

  static let small = Result { try DamagedStore(making: 3) }
  /// It has so many states, and so much trash, that their lists are files of their own.
  static let large = Result { try DamagedStore(making: 660) }

  private init(
    _ directory: TemporaryDirectory, _ states: [String: Manifest], _ names: [String],
    _ answers: [String: DamageCommand.Outcome]
  ) {
    self.directory = directory
    folder = FolderTools(directory.path.bytes + "/work".bytes)
    outside = FolderTools(directory.path.bytes + "/outside".bytes)
    store = folder.folder(".memento")
    self.states = states
    self.names = names
    self.answers = answers
  }

  private init(making values: Int) throws {
    let directory = try TemporaryDirectory()
    let folder = try FolderTools(making: directory.path.bytes + "/work".bytes)
    let outside = try FolderTools(making: directory.path.bytes + "/outside".bytes)
    let store = folder.folder(".memento")
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
    for name in ["two", "spare", "old", "spare 2", "gone"] {
      _ = try repository.save(SaveOptions(name: name))
      states["two"] = try Manifest(folder)
    }
    try repository.saveValues((0..<values).map { NamedValue(name: "v\($0)", bytes: "value \($0)".bytes) })
    _ = try repository.delete(["gone"] + (values > 600 ? (3..<140).map { "v\($0)" } : []))
    for name in ["damaged", "rescue"] {
      try store.makeFolder(name.bytes)
      try store.write("\(name)/kept".bytes, "kept".bytes)
    }
    // A block of a pack that is gone.
    try store.write("bad-blocks".bytes, "block \(ObjectID(hashing: "none".bytes)) 16\n".bytes)
    _ = try repository.verify(readData: true)
    _ = try repository.collectGarbage()
    try folder.write("a".bytes, "third".bytes)
    var options = SaveOptions(name: "rules")
    options.ignoring.patterns = ["*.o".bytes]
    _ = try repository.save(options)
    _ = try repository.undo()
    _ = try repository.redo()
    if try !store.names().contains("bad-blocks".bytes) {
      try store.write("bad-blocks".bytes, "block \(ObjectID(hashing: "none".bytes)) 16\n".bytes)
    }
    // Its marks are no part of a store that is whole otherwise.
    _ = try repository.collectGarbage()
    _ = try repository.collectGarbage()
    if try !store.names().contains("bad-blocks".bytes) {
      try store.write("bad-blocks".bytes, "block \(ObjectID(hashing: "none".bytes)) 16\n".bytes)
    }
    let last = try repository.save(options)
    // A collection that has begun, and packs that were merged.
    var collection = SpreadCollection()
    collection.header.phase = .marking
    collection.todo = [last.snapshot.id.object]
    try store.write("cache/mark".bytes, collection.encoded())
    var merged = MergedPacks()
    let pack = try #require(try repository.store.index.presentPacks().first)
    merged.add([ObjectID(hashing: "gone".bytes)], into: pack)
    try store.write("cache/merged".bytes, merged.encoded())
    let names = try repository.stateNames().keys.filter { !["spare", "spare 2", "old"].contains($0) }.sorted()
    let made = DamagedStore(directory, states, names, [:])
    var answers: [String: DamageCommand.Outcome] = [:]
    for command in DamageCommand.all {
      let copy = try made.copy()
      answers[command.name] = try withExtendedLifetime(copy) { try command.run(copy.open()) }
    }
    self.init(directory, states, names, answers)
  }

  func copy() throws -> DamagedStore {
    let copy = try TemporaryDirectory()
    try #require(try Launch(["cp", "-a", directory.path + "/.", copy.path]).status == 0)
    return DamagedStore(copy, states, names, answers)
  }

  /// The real name of a part.
  private func name(_ part: String) throws -> [UInt8] {
    guard part.hasSuffix("/*") else { return part.bytes }
    let parent = String(part.dropLast(2))
    let names = try store.folder(parent).names()
    let isList = { (name: [UInt8]) in name.count == 64 }
    let chosen = parent == "backup" ? names.first(where: isList) : names.first
    return parent.bytes + "/".bytes + (try #require(chosen, "\(part)"))
  }

  /// Nil when there is no such part.
  func status(of part: String) throws -> FileStatus? {
    try Descriptor.open(store.path, .directory).statusIfPresent(of: name(part))
  }

  /// Damages a part. Returns false when this damage does not apply to it.
  func hurt(_ part: String, _ damage: DamageMatrixTests.Damage, using generator: inout SplitMix64) throws -> Bool {
    let name = try name(part)
    let status = try #require(try status(of: part), "\(part)")
    if damage.isRot || damage == .half {
      guard status.isRegular, status.size > 0 else { return false }
      let bytes = try store.read(name)
      let all = bytes.count * 8
      switch damage {
      case .half: try store.write(name, Array(bytes.prefix(bytes.count / 2)))
      case .zeros:
        let start = Int.random(in: 0..<bytes.count, using: &generator) / 4096 * 4096
        let end = min(start + 4096, bytes.count)
        try store.write(name, bytes[..<start] + Content.zeros(end - start) + bytes[end...])
      case .firstBit: try store.write(name, Content.flipping(bytes, bit: Int.random(in: 0..<8, using: &generator)))
      case .lastBit:
        try store.write(name, Content.flipping(bytes, bit: all - 1 - Int.random(in: 0..<8, using: &generator)))
      default: try store.write(name, Content.flipping(bytes, bit: Int.random(in: 0..<all, using: &generator)))
      }
      if damage.isRot {
        try Descriptor.open(store.path + "/".bytes + name, .readWrite).setModified(status.modified)
      }
      return true
    }
    if status.isDirectory {
      if damage == .empty {
        try store.folder(String(decoding: name, as: UTF8.self)).empty()
        return true
      }
      if damage == .folder { return false }
    }
    try store.remove(name)
    switch damage {
    case .empty: try store.write(name, [])
    case .folder:
      try store.makeFolder(name)
      try store.write(name + "/inner".bytes, "kept".bytes)
    case .link: try store.makeLink(name, to: outside.absolute(status.isDirectory ? [] : "canary".bytes))
    case .garbage: try store.write(name, Content.random(500, seed: generator.next()))
    case .fifo: try store.makeFifo(name)
    default: break
    }
    return true
  }

  func open(mending: Bool = false) throws -> Repository {
    var options = RepositoryFixture.quick
    options.mendsStore = mending
    return try Repository.openOrCreate(folder: BytePath(folder.path), options: options)
  }

  /// Checks that all names and contents are as before.
  func expectKept(hasContent: Bool, _ when: String) throws {
    let repository = try open()
    let found = Set(try repository.stateNames().keys)
    #expect(names.filter { !found.contains($0) } == [], "\(when): names are lost")
    #expect(found.contains("old") || found.contains("renamed"), "\(when)")
    #expect(try outside.names() == ["canary".bytes] && outside.read("canary".bytes) == "alive".bytes, "\(when)")
    guard hasContent else { return }
    for (name, state) in states {
      let place = directory.path.bytes + "/copy-\(name)".bytes
      _ = try repository.restore(Revision(name), to: BytePath(place))
      #expect(try Manifest(FolderTools(place)).differences(from: state) == [], "\(when): \(name)")
    }
    #expect(try repository.content(ofState: "v2")?.value == "value 2".bytes, "\(when)")
    #expect(try repository.verify(readData: true).damage == [], "\(when)")
  }
}
