import FoundationEssentials
import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

@Suite struct CaretakerTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open() throws -> RepositoryCaretaker {
    try RepositoryCaretaker(at: directory.path + "/a/store", options: RepositoryFixture.quick)
  }

  @Test func keepsAndGivesBack() throws {
    let caretaker = try open()
    let user = User(name: "Ada", age: 36)
    try caretaker.save(memento: user, for: "defaultUser")
    #expect(try caretaker.restore(state: "defaultUser") == user)
    #expect(try caretaker.defaultUser as User? == user)
    #expect(try open().defaultUser as User? == user)
    #expect(try caretaker.missing as User? == nil)
    #expect(try caretaker.defaultUser as Animal? == nil)
  }

  @Test func statesNameTheirSnapshots() throws {
    let caretaker = try open()
    #expect(caretaker.states.isEmpty)
    try caretaker.save(memento: User(name: "Ada", age: 36), for: "a")
    try caretaker.save(memento: User(name: "Bob", age: 5), for: "b")
    #expect(caretaker.states.keys.sorted() == ["a", "b"])
    let states = try caretaker.repository.states()
    #expect(states.map { $0.snapshot.id.description } == [caretaker.states["a"], caretaker.states["b"]])
    #expect(states.allSatisfy { $0.snapshot.kind == .value })
  }

  @Test func deletes() throws {
    let caretaker = try open()
    try caretaker.save(memento: User(name: "Ada", age: 36), for: "a")
    try caretaker.delete(state: "a")
    #expect(caretaker.states.isEmpty)
    #expect { try caretaker.delete(state: "a") } throws: { ($0 as? RepositoryError)?.code == .noSuchState }
  }

  @Test func keepsEarlierValues() throws {
    let caretaker = try open()
    for age in 1...3 { try caretaker.save(memento: User(name: "Ada", age: age), for: "a") }
    let repository = caretaker.repository
    let before = try repository.snapshot("a~2")
    #expect(before.name == "a")
    #expect(try repository.snapshot("a").parent == repository.snapshot("a~1").id)
  }

  @Test func equalValuesAreStoredOnce() throws {
    let caretaker = try open()
    let text = String(repeating: "long ", count: 100_000)
    try caretaker.save(memento: Parts(["text": text]), for: "a")
    let size = try storeSize()
    for index in 0..<5 { try caretaker.save(memento: Parts(["text": text]), for: "b\(index)") }
    #expect(try storeSize() < size + 10_000)
  }

  private func storeSize() throws -> UInt64 {
    try directory.names("a/store/.memento/packs").reduce(0) {
      $0 + (try directory.status("a/store/.memento/packs/\($1)").size)
    }
  }

  @Test func whatCannotBeKeptChangesNothing() throws {
    struct Odd: Memento {
      var data: [String: Any] { ["good": 1, "bad": ["x": Mirror(reflecting: 1)]] }
      init() {}
      init?(data: [String: Any]) { nil }
    }
    let caretaker = try open()
    try caretaker.save(memento: User(name: "Ada", age: 36), for: "a")
    let before = caretaker.states
    #expect(throws: CaretakerError.unsupportedType("Mirror", keyPath: "bad.x")) {
      try caretaker.save(memento: Odd(), for: "a")
    }
    #expect(caretaker.states == before)
    #expect { try caretaker.save(memento: User(name: "x", age: 1), for: "-bad") } throws: {
      ($0 as? RepositoryError)?.code == .invalidName
    }
    #expect(caretaker.states == before)
  }

  @Test func foldersAreStatesToo() throws {
    let caretaker = try open()
    try directory.write("a/store/file", [1])
    try caretaker.repository.save(SaveOptions(name: "folder"))
    #expect(caretaker.states.keys.sorted() == ["folder"])
    #expect(try caretaker.folder as User? == nil)
    #expect(throws: CaretakerError.notAValue(state: "folder")) { _ = try caretaker.restore(User.self, state: "folder") }
  }

  @Test func codableValues() throws {
    let caretaker = try open()
    let albums = [
      Album(title: "Blue", artist: "Mitchell", year: 1971), Album(title: "Kind of", artist: "Davis", year: 1959),
    ]
    try caretaker.save(albums, for: "albums")
    #expect(try open().restore([Album].self, state: "albums") == albums)
    #expect(try caretaker.restore([Album].self, state: "none") == nil)
  }

  @Test func codableLimitsAreExact() throws {
    struct Limits: Codable, Equatable {
      var integers: [Int64] = [.min, .max, 0]
      var unsigned: [UInt64] = [.max]
      var doubles: [Double] = [-0.0, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, 5]
      var bytes = Data([0, 255])
      var date = Date(timeIntervalSinceReferenceDate: 12345.678901234567)
      var none: String?
      var text = "👩‍👩‍👧‍👦\u{0}"
    }
    let caretaker = try open()
    try caretaker.save(Limits(), for: "limits")
    let back = try #require(try caretaker.restore(Limits.self, state: "limits"))
    #expect(back == Limits())
    #expect(back.doubles[0].sign == .minus)
  }

  @Test func otherShapesAreNamed() throws {
    let caretaker = try open()
    try caretaker.save([["title": "Blue", "artist": "Mitchell"]], for: "albums")
    #expect(throws: CaretakerError.missingKey("[0].year", state: "albums")) {
      _ = try caretaker.restore([Album].self, state: "albums")
    }
    try caretaker.save(["title": 5], for: "odd")
    let error = #expect(throws: CaretakerError.self) { _ = try caretaker.restore(Album.self, state: "odd") }
    #expect(error?.description.contains("\"odd\"") == true && error?.description.contains("title") == true)
    #expect(!(error?.description.contains("\n") ?? true))
  }

  @Test func inMemory() throws {
    let caretaker = InMemoryCaretaker()
    let user = User(name: "Ada", age: 36)
    try caretaker.save(memento: user, for: "defaultUser")
    #expect(caretaker.defaultUser as User? == user)
    #expect(caretaker.states.keys.sorted() == ["defaultUser"])
    let first = caretaker.states["defaultUser"]
    try caretaker.save(memento: user, for: "defaultUser")
    #expect(caretaker.states["defaultUser"] == first)
    try caretaker.save(memento: User(name: "Ada", age: 37), for: "defaultUser")
    #expect(caretaker.states["defaultUser"] != first)
    try caretaker.save(memento: user, for: "defaultUser")
    #expect(caretaker.states["defaultUser"] != first)
    try caretaker.save([1, 2], for: "list")
    #expect(try caretaker.restore([Int].self, state: "list") == [1, 2])
    #expect(throws: CaretakerError.self) { _ = try caretaker.restore([String].self, state: "list") }
    try caretaker.delete(state: "defaultUser")
    #expect(throws: CaretakerError.noSuchState("defaultUser")) { try caretaker.delete(state: "defaultUser") }
  }

  @Test func batchIsOneCommit() throws {
    let caretaker = try open()
    try caretaker.save(memento: User(name: "old", age: 1), for: "gone")
    let generation = try caretaker.repository.readRefs().generation
    let packs = try directory.names("a/store/.memento/packs").count
    try caretaker.batch { batch in
      for index in 0..<100 { try batch.save(memento: User(name: "u\(index)", age: index), for: "user \(index)") }
      try batch.save(["x"], for: "list")
      try batch.delete(state: "gone")
      #expect(try batch.restore(state: "user 7") == User(name: "u7", age: 7))
      #expect(try batch.gone as User? == nil)
      #expect(batch.states.count == 101)
      #expect(caretaker.states.count == 1)
    }
    #expect(caretaker.states.count == 101)
    #expect(try caretaker.restore(state: "user 42") == User(name: "u42", age: 42))
    #expect(try caretaker.repository.readRefs().generation == generation + 1)
    #expect(try directory.names("a/store/.memento/packs").count == packs + 1)
  }

  @Test func batchThatFailsSavesNothing() throws {
    struct Stop: Error {}
    let caretaker = try open()
    #expect(throws: Stop.self) {
      try caretaker.batch { batch in
        try batch.save(memento: User(name: "a", age: 1), for: "a")
        throw Stop()
      }
    }
    #expect(caretaker.states.isEmpty)
    #expect { try caretaker.batch { try $0.save([1], for: "a:b") } } throws: {
      ($0 as? RepositoryError)?.code == .invalidName
    }
    #expect(throws: CaretakerError.noSuchState("x")) { try caretaker.batch { try $0.delete(state: "x") } }
    #expect(caretaker.states.isEmpty)
  }

  /// Names that look alike are refused, also when one batch saves both.
  @Test(arguments: [0, 20]) func namesOfABatchDoNotLookAlike(_ others: Int) throws {
    let caretaker = try open()
    #expect {
      try caretaker.batch { batch in
        for index in 0..<others { try batch.save([index], for: "other \(index)") }
        try batch.save([1], for: "Alpha")
        try batch.save([2], for: "alpha")
      }
    } throws: {
      ($0 as? RepositoryError)?.code == .invalidName
    }
    #expect(caretaker.states.isEmpty)
  }

  /// A store that was named but cannot be opened is neither made again nor skipped.
  @Test func aStoreThatIsNamedIsUsed() throws {
    var options = RepositoryFixture.quick
    options.store = BytePath(directory.path + "/store")
    let caretaker = try RepositoryCaretaker(at: directory.path + "/folder", options: options)
    try caretaker.save([1], for: "a")
    #expect(try RepositoryCaretaker(at: directory.path + "/folder", options: options).states.count == 1)
    #expect(try directory.names("folder/.memento") == [".gitignore", "store"])
    try directory.write("store/config", "format = 99\n".bytes)
    #expect(throws: RepositoryError.self) {
      _ = try RepositoryCaretaker(at: directory.path + "/folder", options: options)
    }
    #expect(try directory.names("folder/.memento") == [".gitignore", "store"])
  }

  @Test func valuesOfAnySize() throws {
    let caretaker = try open()
    for size in [0, 1, 65_536, 3_000_000] {
      let value = Data(Content.random(size, seed: UInt64(size)))
      try caretaker.save(memento: Parts(["value": value]), for: "v\(size)")
      let back: Parts? = try caretaker.restore(state: "v\(size)")
      #expect(back?.data["value"] as? Data == value)
    }
  }

  @Test func survivesGarbageCollection() throws {
    let caretaker = try open()
    let reader = try open()
    for age in 1...20 {
      try caretaker.save(memento: User(name: "Ada", age: age), for: "a\(age)")
      #expect(try reader.restore(state: "a\(age)") == User(name: "Ada", age: age))
    }
    for age in 1...19 { try caretaker.delete(state: "a\(age)") }
    _ = try Repository.find(from: caretaker.repository.folder, options: RepositoryFixture.quick)
      .collectGarbage(emptyingTrash: true)
    #expect(try reader.restore(state: "a20") == User(name: "Ada", age: 20))
    #expect(try caretaker.restore(state: "a20") == User(name: "Ada", age: 20))
    // The packs that an open caretaker knows are older than the collection.
    try caretaker.save(memento: User(name: "Ada", age: 3), for: "again")
    #expect(try open().restore(state: "again") == User(name: "Ada", age: 3))
    #expect(try caretaker.repository.verify(readData: true).damage.isEmpty)
  }

  @Test func usableFromTasksAndActors() async throws {
    actor Keeper {
      let caretaker: RepositoryCaretaker
      init(_ caretaker: RepositoryCaretaker) { self.caretaker = caretaker }
      func keep(_ index: Int) throws { try caretaker.save(memento: User(name: "t", age: index), for: "t\(index)") }
    }
    var options = OpenOptions()
    options.isDurable = false
    let caretaker = try RepositoryCaretaker(at: directory.path, options: options)
    let keeper = Keeper(caretaker)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<10 {
        group.addTask { try await keeper.keep(index) }
        group.addTask { try caretaker.save(memento: User(name: "u", age: index), for: "u\(index)") }
      }
      try await group.waitForAll()
    }
    #expect(caretaker.states.count == 20)
    #expect(try caretaker.t7 as User? == User(name: "t", age: 7))
  }
}
