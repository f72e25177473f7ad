// Trees have the same id however they were made. They are compared and composed like their entries.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct TreeTests {
  let shop: RepositoryFixture
  private let scratch: ScratchObjects
  private let writer: ObjectWriter

  init() throws {
    shop = try RepositoryFixture()
    scratch = ScratchObjects(over: shop.repository.store)
    writer = ObjectWriter(.memory(scratch), store: shop.repository.store)
  }

  private func build(_ entries: [TreeEntry]) throws -> ObjectID {
    var builder = TreeBuilder()
    for entry in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      try entry.encoded.withUnsafeBytes { encoded in
        try entry.name.withUnsafeBufferPointer { name in
          try builder.append(name: name, encoded: encoded, to: writer)
        }
      }
    }
    return try builder.finish(writer)
  }

  private func pieces(_ tree: ObjectID) throws -> Set<ObjectID> {
    var reader = TreeReader(tree, in: scratch)
    while try reader.next() != nil {}
    return Set(reader.visited)
  }

  @Test(arguments: [0, 1, 2, 100, 5000, 20_000])
  func entriesComeBackInOrder(_ count: Int) throws {
    let entries = (0..<count).map { TreeEntry.file("file \($0)", "\($0)".bytes) }
    let tree = try build(entries)
    let found = try TreeReader.entries(of: tree, in: scratch)
    #expect(found.count == count)
    #expect(Set(found.map(\.name)) == Set(entries.map(\.name)))
    if let entry = entries.last {
      #expect(try TreeReader.entry(named: entry.name, of: tree, in: scratch) == entry)
    }
    #expect(try TreeReader.entry(named: "nothing".bytes, of: tree, in: scratch) == nil)
  }

  /// The comparison skips exactly the entries that are equal.
  @Test func comparesAsTheEntriesDo() throws {
    var random = SplitMix64(seed: 41)
    for round in 0..<200 {
      let count = round < 190 ? Int.random(in: 0...40, using: &random) : 3000
      var old: [TreeEntry] = []
      for number in 0..<count {
        var entry = TreeEntry.file("f\(number)", "\(number % 7)".bytes)
        if Bool.random(using: &random) {
          entry.metadata.attributes = [ExtendedAttribute(name: "user.a".bytes, value: "\(number)".bytes)]
        }
        old.append(entry)
      }
      var new = old
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let place = new.isEmpty ? 0 : Int.random(in: 0..<new.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: new.append(TreeEntry.file("new \(random.next())", "x".bytes))
        case 1: if !new.isEmpty { new.remove(at: place) }
        case 2: if !new.isEmpty { new[place].metadata.modified.nanoseconds ^= 1 }
        default: if !new.isEmpty { new[place].content = .symbolicLink("elsewhere".bytes) }
        }
      }
      var found: [[TreeEntry?]] = []
      try TreeDiff(old: scratch, new: scratch, monitor: SilentMonitor()).walk(
        from: try build(old), to: try build(new), label: 0
      ) {
        (_, before, after) in
        found.append([before, after])
        return .pass
      }
      let left = Dictionary(uniqueKeysWithValues: old.map { ($0.name, $0) })
      let right = Dictionary(uniqueKeysWithValues: new.map { ($0.name, $0) })
      let names = Set(left.keys).union(right.keys).sorted { $0.lexicographicallyPrecedes($1) }
      #expect(found == names.filter { left[$0] != right[$0] }.map { [left[$0], right[$0]] })
    }
  }

  /// A visitor that stops the walk causes no error.
  @Test func aVisitorStopsAWalk() throws {
    let diff = TreeDiff(old: scratch, new: scratch, monitor: SilentMonitor())
    let tree = try build((0..<10).map { TreeEntry.file("file \($0)", "x".bytes) })
    var seen = 0
    try diff.walk(from: nil, to: tree, label: 0) { (_, _, _) in
      seen += 1
      return seen == 3 ? .stop : .pass
    }
    #expect(seen == 3)
  }

  @Test func oneMoreFileChangesFewPieces() throws {
    var entries = (0..<20_000).map { TreeEntry.file("file \($0)", "\($0)".bytes) }
    let before = try pieces(build(entries))
    for name in ["a first", "file 10500 and a half", "z last"] {
      entries.append(TreeEntry.file(name, "new".bytes))
      let after = try build(entries)
      #expect(try pieces(after).subtracting(before).count <= 6)
      entries.removeLast()
      #expect(try pieces(build(entries)) == before)
    }
    #expect(before.count > 8)
  }

  /// The id of a folder depends only on its content, not on its history.
  @Test func aFolderHasOneTreeHoweverItGrew() throws {
    var generator = SplitMix64(seed: 3)
    let names = (0..<1600).map { "a file with a long name \($0)".bytes }.shuffled(using: &generator)
    for (number, name) in names.enumerated() {
      try shop.folder.write(name, [])
      try shop.folder.setTime(name, 1_000_000_000)
      if number % 400 == 5 { try shop.save("step") }
    }
    try shop.folder.setTime([], 1)
    try shop.save("grown")
    try shop.save("fresh") { $0.rehash = true }
    #expect(try shop.tree("grown") == shop.tree("fresh"))
    #expect(try shop.record("fresh").files == 1600)
    let (copy, _) = try shop.extract("grown", to: "copy")
    let other = try Repository.create(folder: BytePath(copy.path), options: RepositoryFixture.quick)
    let id = try other.save().snapshot.id
    #expect(try SnapshotRecord.read(id.object, from: other.store).tree == shop.tree("grown"))
  }

  // MARK: Comparing and composing

  /// A folder as a value: names with the number of a file, or with a folder.
  private indirect enum Model: Equatable {
    case file(Int)
    case folder([String: Model])
  }

  private func random(_ generator: inout SplitMix64, depth: Int) -> [String: Model] {
    var result: [String: Model] = [:]
    for name in ["a", "b", "c", "d"] {
      switch generator.next() % 5 {
      case 0, 1: result[name] = .file(Int(generator.next() % 3))
      case 2 where depth > 0: result[name] = .folder(random(&generator, depth: depth - 1))
      default: break
      }
    }
    return result
  }

  private func store(_ model: [String: Model]) throws -> ObjectID {
    try build(
      model.map { name, model in
        switch model {
        case .file(let number): TreeEntry.file(name, "\(number)".bytes)
        case .folder(let inner): TreeEntry.folder(name, try store(inner))
        }
      })
  }

  private func files(_ model: [String: Model], _ prefix: String = "") -> [String: Int] {
    var result: [String: Int] = [:]
    for (name, model) in model {
      switch model {
      case .file(let number): result[prefix + name] = number
      case .folder(let inner): result.merge(files(inner, "\(prefix)\(name)/")) { old, _ in old }
      }
    }
    return result
  }

  private func merge(_ old: [String: Model], _ new: [String: Model]) -> [String: Model] {
    old.merging(new) { old, new in
      if case .folder(let old) = old, case .folder(let new) = new { return .folder(merge(old, new)) }
      return new
    }
  }

  @Test(arguments: UInt64(1)...60)
  func comparesAndComposesAsTheModelDoes(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let (old, new) = (random(&generator, depth: 2), random(&generator, depth: 2))
    let (oldTree, newTree) = (try store(old), try store(new))
    let (oldFiles, newFiles) = (files(old), files(new))
    let diff = TreeDiff(old: scratch, new: scratch, monitor: SilentMonitor())
    let counts = try diff.counts(from: oldTree, to: newTree)
    #expect(counts.added == newFiles.keys.filter { oldFiles[$0] == nil }.count)
    #expect(counts.removed == oldFiles.keys.filter { newFiles[$0] == nil }.count)
    #expect(counts.modified == newFiles.filter { oldFiles[$0.key] != nil && oldFiles[$0.key] != $0.value }.count)
    #expect(try diff.counts(from: newTree, to: newTree).isEmpty)
    #expect(try diff.totals(from: oldTree, to: newTree).files == newFiles.count - oldFiles.count)
    func compose(_ paths: [String], keepExtra: Bool) throws -> ObjectID {
      try TreeComposer(
        source: scratch, filter: PathFilter(paths.map { BytePath($0) }), kept: nil, keepExtra: keepExtra,
        takesTimes: false, writer: writer
      ).run(current: oldTree, target: newTree)
    }
    #expect(try compose([], keepExtra: false) == newTree)
    #expect(try compose([], keepExtra: true) == store(merge(old, new)))
    // A name at the top is as on the new side, or gone. All others are as before.
    for name in ["a", "b", "c", "d"] where old[name] != nil || new[name] != nil {
      var expected = old
      expected[name] = new[name]
      #expect(try compose([name], keepExtra: false) == store(expected))
    }
    // Only one file further down changes.
    for path in Set(oldFiles.keys).union(newFiles.keys).sorted() where path.contains("/") {
      let composed = try files(load(compose([path], keepExtra: false)))
      #expect(composed[path] == newFiles[path])
      for (other, number) in oldFiles
      where !path.hasPrefix("\(other)/") && other != path && !other.hasPrefix("\(path)/") {
        #expect(composed[other] == number)
      }
    }
  }

  private func load(_ tree: ObjectID) throws -> [String: Model] {
    var result: [String: Model] = [:]
    for entry in try TreeReader.entries(of: tree, in: scratch) {
      let name = String(decoding: entry.name, as: UTF8.self)
      if let inner = entry.tree {
        result[name] = .folder(try load(inner))
      } else if case .file(_, let content) = entry.content {
        result[name] = .file((0..<3).first { ObjectID(hashing: "\($0)".bytes) == content.id } ?? -1)
      }
    }
    return result
  }

  // MARK: Large shapes

  @Test func manyFilesInOneFolder() throws {
    for number in 0..<5000 { try shop.folder.write("file \(number)".bytes, []) }
    let before = try shop.state
    try shop.save("wide")
    #expect(try shop.save("again").bytesRead == 0)
    for number in stride(from: 0, to: 5000, by: 7) { try shop.folder.remove("file \(number)".bytes) }
    try shop.restore("wide")
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test func foldersAlmostTwoThousandDeep() throws {
    let depth = 1950
    let path = [UInt8]([[UInt8]](repeating: "d".bytes, count: depth).joined(separator: [0x2f]))
    for level in 0..<depth { try shop.folder.makeFolder(Array(path[..<(level * 2 + 1)])) }
    try shop.folder.write(Array(path[..<3800]) + "f".bytes, "the end".bytes)
    let before = try shop.state
    #expect(try shop.save("deep").snapshot.isComplete)
    try shop.folder.empty()
    let restored = try shop.restore("deep")
    #expect(restored.created == 1 && restored.folders.created == depth)
    #expect(try shop.state.differences(from: before) == [])
    let (copy, _) = try shop.extract("deep", to: "copy")
    #expect(try Manifest(copy).differences(from: before) == [])
    try shop.folder.empty()
    try shop.save("empty")
    try shop.restore("deep")
    try shop.restore("empty")
    #expect(try shop.folder.names() == [".memento".bytes])
  }

  /// Lists of lists: there are many chunks, but most of them are equal, so the store is small.
  @Test func filesOfVeryManyChunks() throws {
    let file = shop.storeFolder.path + "/config".bytes
    let config = String(decoding: try FolderTools(file).read([]), as: UTF8.self)
    let line = try #require(config.split(separator: "\n").first { $0.hasPrefix("chunk = ") })
    let small = Array(config.utf8).split(separator: 0x0a).map {
      line.utf8.elementsEqual($0) ? "chunk = 64 128 256".bytes : Array($0)
    }
    try FolderTools(file).write([], Array(small.joined(separator: [0x0a])) + [0x0a])
    let repository = try shop.reopened()
    try shop.folder.write("many".bytes, Content.random(600_000, seed: 1))
    try shop.folder.write("zeros".bytes, Content.zeros(2_000_000))
    let before = try shop.state
    _ = try repository.save(SaveOptions(name: "many"))
    let tree = try #require(try shop.tree("many"))
    guard
      case .file(_, let content)? = try TreeReader.entry(named: "many".bytes, of: tree, in: repository.store)?.content
    else { return #expect(Bool(false)) }
    #expect(content.level >= 3)
    try shop.folder.patch("many".bytes, "changed".bytes, at: 300_000)
    let again = try repository.save(SaveOptions(name: "changed"))
    #expect(again.bytesStored < 40_000)
    try shop.folder.empty()
    _ = try repository.restore("many")
    #expect(try shop.state.differences(from: before) == [])
    #expect(try repository.verify(readData: true).damage == [])
  }
}
