// One run of the model test: random operations, each done by memento and by the model.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

/// A difference between memento and the model.
struct ModelFailure: Error {
  let message: String
}

/// A clock that runs so unevenly that saves have time for a piece of any size.
private final class UnevenTicks: Sendable {
  private let state = Mutex<(now: UInt64, readings: UInt64)>((0, 0))

  @Sendable func read() -> UInt64 {
    state.withLock { state in
      state.readings += 1
      state.now += [10, 3000, 1_000_000][Int((state.readings &* 0x9e37_79b9_7f4a_7c15) >> 40 % 3)]
      return state.now
    }
  }
}

struct ModelRun {
  /// A folder of the store: the main one or a fork.
  private struct Place {
    var folder: FolderTools
    var repository: Repository
    var edits: FolderEdits
  }

  private let shop: RepositoryFixture
  /// As many as in the model, in the same order.
  private var places: [Place]
  private var forked = 0
  private var model: FolderModel
  private var generator: SplitMix64
  /// The operations so far, for the message of a failure.
  private(set) var history: [String] = []
  private var extracted = 0
  /// How many steps without a name stay, if saves drop others; nil when nothing is dropped.
  private let keptSteps: Int?
  /// How many steps were dropped.
  private(set) var droppedSteps = 0

  /// `keptSteps`: the saves tidy up, and keep so many steps without a name.
  init(seed: UInt64, keptSteps: Int? = nil) throws {
    shop = try RepositoryFixture()
    var repository = shop.repository
    self.keptSteps = keptSteps
    if let keptSteps {
      let config = try shop.storeFolder.read("config".bytes)
      try shop.storeFolder.write("config".bytes, config + "keep = 0s, \(keptSteps)\n".bytes)
      repository = try ModelRun.tidying(shop)
    }
    generator = SplitMix64(seed: seed)
    let folder = FolderTree(try shop.state)
    places = [
      Place(
        folder: shop.folder, repository: repository, edits: FolderEdits(shop.folder, folder, mayOwn: isSuperuser))
    ]
    model = FolderModel(folder)
  }

  /// Opens the repository so that saves find the time to tidy up.
  private static func tidying(_ shop: RepositoryFixture) throws -> Repository {
    var options = RepositoryFixture.quick
    options.isDurable = true
    let ticks = UnevenTicks()
    options.upkeepClock = ticks.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private var here: Place { places[model.here] }
  private var repository: Repository { here.repository }

  private enum Operation: CaseIterable {
    case edit, save, saveUnnamed, saveDryRun, saveValue, name, rename, delete
    case restore, restorePart, restoreKeepingExtra, restoreDiscarding, restoreDryRun
    case undo, redo, collectGarbage, purge, verify, status, extract, write, reopen, dropCache
    case fork, goElsewhere, moveFork, forget
  }

  private static let weights: [Operation: Int] = [
    .edit: 40, .save: 8, .saveUnnamed: 4, .restore: 8, .restorePart: 6, .restoreKeepingExtra: 4, .undo: 8, .redo: 5,
    .rename: 3, .delete: 3, .status: 4, .extract: 4, .saveValue: 2, .name: 2, .restoreDiscarding: 2,
    .goElsewhere: 6,
  ]
  private static let choices: [Operation] = Operation.allCases.flatMap {
    Array(repeating: $0, count: weights[$0] ?? 1)
  }

  /// Does one operation and compares everything. Throws `ModelFailure` at a difference.
  mutating func step() throws {
    let operation = ModelRun.choices[Int.random(in: 0..<ModelRun.choices.count, using: &generator)]
    history.append("\(operation)")
    try carryOut(operation)
    if operation == .edit { return }
    let refs = RefsText(try shop.storeFolder.read("refs".bytes))
    let left = refs.main.steps.count
    if let keptSteps, left < model.timeline.count {
      droppedSteps += model.timeline.count - left
      guard model.dropOldest(downTo: left, keeping: keptSteps) else {
        throw ModelFailure(message: "too many steps are gone: \(left) are left")
      }
    }
    let disagreements = model.differences(from: refs) + (try tree(at: model.here)).differences(from: model.folder)
    if !disagreements.isEmpty { throw ModelFailure(message: disagreements.joined(separator: "\n  ")) }
  }

  private func tree(at number: Int) throws -> FolderTree { FolderTree(try Manifest(places[number].folder)) }

  /// Checks that all snapshots, and the folders that nobody works in, are unchanged. Called at the end and from time to time.
  mutating func compareSnapshots(_ limit: Int) throws {
    for number in places.indices {
      let found = try tree(at: number).differences(from: model.folder(at: number))
      try expect(found.isEmpty, "folder \(number) is another: \(found)")
    }
    for snapshot in model.kept.shuffled(using: &generator).prefix(limit) { try compare(snapshot) }
    try verify(readData: true)
  }

  private mutating func carryOut(_ operation: Operation) throws {
    switch operation {
    case .edit:
      note(try places[model.here].edits.make(in: model.folder, &generator))
      model.folder = try tree(at: model.here)
    case .save: try save(stateName())
    case .saveUnnamed: try save(nil)
    case .saveDryRun: _ = try repository.save(dry(SaveOptions(name: stateName())))
    case .saveValue: try saveValue()
    case .name: try nameSnapshot()
    case .rename: try rename()
    case .delete: try delete()
    case .restore: try restore(RestoreOptions())
    case .restorePart: try restorePart()
    case .restoreKeepingExtra:
      var options = RestoreOptions()
      options.keepExtra = true
      try restore(options)
    case .restoreDiscarding:
      var options = RestoreOptions()
      options.discard = true
      try restore(options)
    case .restoreDryRun: try restoreDry()
    case .undo: try move(-Int.random(in: 1...3, using: &generator))
    case .redo: try move(Int.random(in: 1...3, using: &generator))
    case .collectGarbage:
      _ = try repository.collectGarbage(emptyingTrash: Bool.random(using: &generator))
    case .purge: try purge()
    case .verify: try verify(readData: Bool.random(using: &generator))
    case .status: try status()
    case .extract: if let snapshot = anySnapshot() { try compare(snapshot) }
    case .write: try write()
    case .reopen: places[model.here].repository = try keptSteps == nil ? open(here.folder) : ModelRun.tidying(shop)
    case .dropCache:
      for name in try shop.storeFolder.folder("cache").names() where name.starts(with: "stat".bytes) {
        try? shop.storeFolder.remove("cache/".bytes + name)
      }
    case .fork: try fork()
    case .goElsewhere: try goElsewhere()
    case .moveFork: try moveFork()
    case .forget: try forget()
    }
  }

  // MARK: Operations

  private mutating func save(_ name: String?) throws {
    var options = SaveOptions(name: name)
    options.rehash = Int.random(in: 0..<8, using: &generator) == 0
    options.noClobber = Int.random(in: 0..<6, using: &generator) == 0
    if options.noClobber, let name, model.states[name] != nil {
      return try expect(.nameInUse) { try repository.save(options) }
    }
    let summary = try repository.save(options)
    try expect(summary.problems.isEmpty && summary.snapshot.isComplete, "save has problems: \(summary.problems)")
    let files = model.folder.entries.values.filter(\.isFile)
    try expect(summary.snapshot.files == files.count, "save counts \(summary.snapshot.files) files")
    try expect(summary.snapshot.bytes == files.reduce(0) { $0 + UInt64($1.size) }, "save counts other bytes")
    model.save(name)
  }

  private mutating func saveValue() throws {
    let name = stateName()
    let count = [0, 1, 5000, 300_000].randomElement(using: &generator) ?? 0
    let bytes = generator.bytes(count)
    try shop.directory.write("value", bytes)
    let input = try shop.directory.descriptor.open("value".bytes, .read)
    _ = try repository.saveValue(readingFrom: input.raw, as: name)
    model.saveValue(name, bytes)
  }

  private mutating func purge() throws {
    guard let snapshot = anySnapshot(), let path = model.tree(snapshot)?.paths.randomElement(using: &generator) else {
      return
    }
    note("\(BytePath(path))")
    let done = try repository.purge(PurgeOptions([BytePath(path)]))
    try expect(done.isCommitted && done.remaining.isEmpty, "purge leaves \(done.remaining)")
    model.purge(path)
  }

  private mutating func nameSnapshot() throws {
    guard let snapshot = anySnapshot() else { return }
    let name = stateName()
    _ = try repository.name(Revision(revision(snapshot)), as: name)
    model.name(snapshot, name)
  }

  private mutating func rename() throws {
    let (old, new) = (stateName(), stateName())
    if old == new { return }
    let force = Bool.random(using: &generator)
    note("\(old) to \(new) \(force)")
    let isThere = model.states[old] != nil
    guard model.rename(old, to: new, force: force) else {
      return try expect(isThere ? .nameInUse : .noSuchState) { try repository.rename(old, to: new, force: force) }
    }
    try repository.rename(old, to: new, force: force)
  }

  private mutating func delete() throws {
    let names = (0..<Int.random(in: 1...2, using: &generator)).map { _ in stateName() }
    note("\(names)")
    guard model.delete(names) else { return try expect(.noSuchState) { try repository.delete(names) } }
    _ = try repository.delete(names)
  }

  private mutating func restore(_ options: RestoreOptions) throws {
    guard let snapshot = anySnapshot() else { return }
    let revision = revision(snapshot)
    let before = model
    let isPossible = model.restore(
      snapshot, paths: options.paths.map(\.bytes), keepExtra: options.keepExtra, discard: options.discard)
    guard isPossible else {
      let code: RepositoryError.Code = model.tree(snapshot) == nil ? .wrongKind : .noSuchPath
      return try expect(code) { try repository.restore(Revision(revision), options) }
    }
    let summary = try repository.restore(Revision(revision), options)
    try expect(summary.problems.isEmpty && summary.rescued.isEmpty, "restore has problems: \(summary.problems)")
    let isNothing = !options.paths.isEmpty && before.folder == model.folder
    let isGuarded = !options.discard && !isNothing && !before.isClean(options.paths.map(\.bytes))
    try expect((summary.guard != nil) == isGuarded, "guard: \(summary.guard != nil)")
    if before.folder == model.folder {
      let counts: FolderCounts = summary.folders
      let folders: Int = counts.created + counts.removed + counts.metadata + counts.times
      let files: Int = summary.created + summary.replaced + summary.removed + summary.metadata
      let touched: Int = files + folders
      try expect(touched == 0, "restore of what is there touches \(touched) files")
    }
  }

  private mutating func restorePart() throws {
    var options = RestoreOptions()
    let known = model.folder.paths + (model.kept.randomElement(using: &generator).flatMap(model.tree)?.paths ?? [])
    options.paths = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      BytePath(known.randomElement(using: &generator) ?? "nothing".bytes)
    }
    options.keepExtra = Int.random(in: 0..<3, using: &generator) == 0
    note("\(options.paths) \(options.keepExtra)")
    try restore(options)
  }

  private mutating func restoreDry() throws {
    guard let snapshot = anySnapshot(), model.tree(snapshot) != nil else { return }
    var options = RestoreOptions()
    options.isDryRun = true
    let plan = try repository.restore(Revision(revision(snapshot)), options).plan
    try expect(plan.isEmpty == (model.tree(snapshot) == model.folder), "the plan has \(plan.count) changes")
  }

  private mutating func move(_ steps: Int) throws {
    note("\(steps)")
    if model.move(by: steps) {
      let summary = steps < 0 ? try repository.undo(-steps) : try repository.redo(steps)
      try expect(summary.steps.count == abs(steps), "it says \(summary.steps.count) steps")
      try expect(summary.restore.problems.isEmpty, "it has problems: \(summary.restore.problems)")
    } else if steps < 0 {
      try expect(.timelineEnd) { try repository.undo(-steps) }
    } else {
      try expect(.timelineEnd) { try repository.redo(steps) }
    }
  }

  // MARK: Forks

  private static let mostForks = 3

  private func open(_ folder: FolderTools) throws -> Repository {
    try Repository.find(from: BytePath(folder.path), options: RepositoryFixture.quick)
  }

  private mutating func fork() throws {
    // What saves drop is told by the main folder alone.
    guard keptSteps == nil, model.places <= ModelRun.mostForks, let snapshot = anySnapshot() else { return }
    forked += 1
    let folder = FolderTools(shop.directory.path.bytes + "/fork-\(forked)".bytes)
    let revision = Revision(revision(snapshot))
    guard model.fork(snapshot) else {
      return try expect(.wrongKind) {
        try repository.fork(revision, to: BytePath(folder.path), options: RepositoryFixture.quick)
      }
    }
    let summary = try repository.fork(revision, to: BytePath(folder.path), options: RepositoryFixture.quick)
    try expect(summary.restore.problems.isEmpty, "the fork has problems: \(summary.restore.problems)")
    let edits = FolderEdits(folder, FolderTree(try Manifest(folder)), mayOwn: isSuperuser)
    places.append(Place(folder: folder, repository: try open(folder), edits: edits))
    let found = try tree(at: places.count - 1).differences(from: model.folder(at: places.count - 1))
    try expect(found.isEmpty, "the fork is another: \(found)")
  }

  private mutating func goElsewhere() throws {
    model.go(to: Int.random(in: 0..<model.places, using: &generator))
    note("\(model.here)")
  }

  /// The number of a fork in which nobody works.
  private mutating func anyFork() -> Int? {
    (1..<max(1, model.places)).filter { $0 != model.here }.randomElement(using: &generator)
  }

  private mutating func moveFork() throws {
    guard let number = anyFork() else { return }
    forked += 1
    let name = "fork-\(forked)"
    let old = places[number].folder.path
    try shop.directory.descriptor.rename(
      BytePath(old).components.last ?? [], to: name.bytes, in: shop.directory.descriptor, .noReplace)
    let folder = FolderTools(shop.directory.path.bytes + "/\(name)".bytes)
    let edits = FolderEdits(folder, FolderTree(try Manifest(folder)), mayOwn: isSuperuser)
    places[number] = Place(folder: folder, repository: try open(folder), edits: edits)
  }

  private mutating func forget() throws {
    guard let number = anyFork() else { return }
    note("\(number)")
    let folder = places[number].folder
    let content = model.folder(at: number)
    try repository.forgetFork(BytePath(folder.path), options: RepositoryFixture.quick)
    places.remove(at: number)
    model.forget(number)
    let left = FolderTree(try Manifest(folder)).differences(from: content)
    try expect(left.isEmpty, "forgetting has changed the fork: \(left)")
    try folder.remove([])
  }

  // MARK: Questions

  private func verify(readData: Bool) throws {
    let report = try repository.verify(readData: readData)
    try expect(report.damage.isEmpty, "verify: \(report.damage.map(\.message))")
  }

  /// Compares status with the model: a file must be listed exactly if it differs from the snapshot at the position.
  private func status() throws {
    let status = try repository.status()
    try expect(status.at?.id.description == model.current.flatMap { model.snapshots[$0].id }, "status is elsewhere")
    var listed = Dictionary(uniqueKeysWithValues: status.changes.map { ($0.path.bytes, $0.kind) })
    let saved = model.current.flatMap(model.tree)
    for path in Set(model.folder.paths).union(saved?.paths ?? []) {
      // A folder that was added or removed is listed itself only if nothing in it is.
      let isFull = saved?.isFull(path) == true || model.folder.isFull(path)
      let kind = ModelRun.change(from: saved?.entries[path], to: model.folder.entries[path], isFull: isFull)
      let found = listed.removeValue(forKey: path)
      let words = [found, kind].map { $0?.description ?? "the same" }
      try expect(found == kind, "status: \(BytePath(path)) is \(words[0]), not \(words[1])")
    }
    try expect(listed.isEmpty, "status lists what is nowhere")
  }

  private static func change(from old: ManifestEntry?, to new: ManifestEntry?, isFull: Bool) -> ChangeKind? {
    guard let old else { return isFull || new == nil ? nil : .added }
    guard let new else { return isFull ? nil : .removed }
    if old.type != new.type { return .type }
    var same = old
    same.firstLink = new.firstLink
    if old.isFolder {
      same.seconds = new.seconds
      same.nanoseconds = new.nanoseconds
    }
    if same == new { return nil }
    return old.content == new.content && old.extents == new.extents && old.size == new.size ? .metadata : .modified
  }

  /// Extracts a snapshot and compares it with the model.
  private mutating func compare(_ snapshot: Int) throws {
    extracted += 1
    switch model.snapshots[snapshot].content {
    case .tree(let tree):
      let folder = FolderTools(shop.directory.path.bytes + "/extracted-\(extracted)".bytes)
      let summary = try repository.restore(Revision(id(snapshot)), to: BytePath(folder.path))
      try expect(summary.problems.isEmpty, "extraction has problems: \(summary.problems)")
      let found = FolderTree(try Manifest(folder)).differences(from: tree)
      try expect(found.isEmpty, "snapshot \(snapshot) is another: \(found)")
      try folder.remove([])
    case .value(let bytes):
      try expect(try written(id(snapshot), nil) == bytes, "value \(snapshot) has other bytes")
    }
  }

  /// Writes one file of a snapshot to a descriptor and compares it.
  private mutating func write() throws {
    guard let snapshot = anySnapshot(), let tree = model.tree(snapshot),
      let path = tree.paths.randomElement(using: &generator), let entry = tree.entries[path], entry.isFile,
      entry.extents.isEmpty
    else { return }
    let digest = ObjectID(hashing: try written(id(snapshot), path))
    try expect(digest == ObjectID(hex: hexadecimal(entry.content)), "\(BytePath(path)) is written otherwise")
  }

  private func written(_ revision: String, _ path: [UInt8]?) throws -> [UInt8] {
    try shop.directory.write("written", [])
    let output = try shop.directory.descriptor.open("written".bytes, .readWrite)
    try repository.write(Revision(revision), path: path.map { BytePath($0) }, to: output.raw)
    return try shop.directory.read("written")
  }

  // MARK: Choices

  private mutating func stateName() -> String {
    let names = ["a", "b", "c", "d/e", "with space", "\u{3A9}", "caf\u{E9}"]
    let name = names[Int.random(in: 0..<names.count, using: &generator)]
    note(name)
    return name
  }

  /// A random snapshot: a named one, or one that only the timeline keeps.
  private mutating func anySnapshot() -> Int? {
    let named = Bool.random(using: &generator) ? model.states.values.sorted() : model.kept
    return (named.isEmpty ? model.kept : named).randomElement(using: &generator)
  }

  private func id(_ snapshot: Int) -> String { model.snapshots[snapshot].id ?? "unknown" }

  /// One of several texts that name a snapshot.
  private mutating func revision(_ snapshot: Int) -> String {
    var ways = [id(snapshot), String(id(snapshot).prefix(20))]
    ways += model.states.filter { $0.value == snapshot }.keys.sorted()
    if let position = model.position, let index = model.timeline[...position].lastIndex(of: snapshot) {
      ways.append(index == position ? "@" : "@~\(position - index)")
    }
    let way = ways.randomElement(using: &generator) ?? ""
    note(way)
    return way
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func dry(_ options: SaveOptions) -> SaveOptions {
    var options = options
    options.isDryRun = true
    return options
  }

  private mutating func note(_ text: String) {
    history[history.count - 1] += ", \(text)"
  }

  private func expect(_ isRight: Bool, _ message: @autoclosure () -> String) throws {
    if !isRight { throw ModelFailure(message: message()) }
  }

  private func expect(_ code: RepositoryError.Code, _ body: () throws -> some Any) throws {
    do {
      _ = try body()
    } catch let error as RepositoryError where error.code == code {
      return
    }
    throw ModelFailure(message: "it should have ended with \(code)")
  }
}
