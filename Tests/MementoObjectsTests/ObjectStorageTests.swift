// What every storage promises, tried with a folder, and with a folder behind a server and a client.

import MementoObjects
import MementoSystem
import Synchronization
import TestSupport
import Testing

/// How a storage over a folder is reached.
enum Access: String, CaseIterable, Sendable {
  case directly
  case served

  func storage(_ folder: TemporaryDirectory, pageSize: Int = 5_000) throws -> (any ObjectStorage) {
    let direct = DirectoryObjects(path: "\(folder.path)/remote".bytes, pageSize: pageSize)
    return self == .directly ? direct : try ServedObjects(direct).client
  }
}

@Suite struct ObjectStorageTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test(arguments: Access.allCases)
  func whatIsPutIsRead(_ access: Access) throws {
    let storage = try access.storage(folder)
    let content = Content.random(3_000_000, seed: 1)
    try storage.put(content, as: "packs/0a/0abc")
    try storage.put([], as: "keys/empty")
    #expect(try storage.size(of: ObjectName(text: "packs/0a/0abc")) == 3_000_000)
    #expect(try storage.read("packs/0a/0abc", count: 3_000_000) == content)
    #expect(try storage.read("packs/0a/0abc", at: 2_999_990, count: 100) == Array(content.suffix(10)))
    #expect(try storage.read("packs/0a/0abc", at: 1_000_001, count: 5) == Array(content[1_000_001..<1_000_006]))
    #expect(try storage.read("packs/0a/0abc", at: 3_000_000, count: 5).isEmpty)
    #expect(try storage.read("packs/0a/0abc", at: 9_000_000, count: 5).isEmpty)
    #expect(try storage.read("keys/empty", count: 5).isEmpty)
    #expect(try storage.size(of: ObjectName(text: "keys/empty")) == 0)
  }

  @Test(arguments: Access.allCases)
  func aLargeReadIsCutIntoParts(_ access: Access) throws {
    let storage = try access.storage(folder)
    let content = Content.random((17 << 20) + 5, seed: 2)
    try storage.put(content, as: "packs/0a/large")
    #expect(try storage.read("packs/0a/large", at: 3, count: content.count) == Array(content.dropFirst(3)))
  }

  @Test(arguments: Access.allCases)
  func aPutReplaces(_ access: Access) throws {
    let storage = try access.storage(folder)
    try storage.put("first".bytes, as: "a")
    try storage.put("second one".bytes, as: "a")
    #expect(try storage.read("a", count: 100) == "second one".bytes)
    #expect(try folder.names("remote") == ["a"])
  }

  @Test(arguments: Access.allCases)
  func aConditionalPutReplacesNothing(_ access: Access) throws {
    let storage = try access.storage(folder)
    let name = ObjectName(text: "format/one")
    #expect(try storage.putIfAbsent(MemorySource(bytes: [1]), as: name) == .put)
    #expect(try storage.putIfAbsent(MemorySource(bytes: [2]), as: name) == .exists)
    #expect(try storage.read("format/one", count: 9) == [1])
    #expect(try folder.names("remote") == ["format"])
  }

  @Test(arguments: Access.allCases)
  func onlyOneOfManyConditionalPutsWins(_ access: Access) throws {
    let storage = try access.storage(folder)
    let won = Atomic<Int>(0)
    let stack = WorkStack<UInt8>()
    stack.push(0..<16)
    stack.run(workers: 4) { _, number in
      let source = MemorySource(bytes: [UInt8](repeating: number, count: 10_000))
      if (try? storage.putIfAbsent(source, as: ObjectName(text: "format/one"))) == .put {
        won.add(1, ordering: .relaxed)
      }
    }
    #expect(won.load(ordering: .relaxed) == 1)
    let content = try storage.read("format/one", count: 20_000)
    #expect(content.count == 10_000 && Set(content).count == 1)
  }

  @Test(arguments: Access.allCases)
  func whatIsNotThereIsSaidToBeNotThere(_ access: Access) throws {
    let storage = try access.storage(folder)
    let name = ObjectName(text: "packs/0a/missing")
    for _ in 0..<2 {
      #expect(throws: ObjectError.notFound(name)) { try storage.size(of: name) }
      #expect(throws: ObjectError.notFound(name)) { try storage.read("packs/0a/missing", count: 10) }
      try storage.remove(name)
      #expect(try storage.names() == (folder.exists("remote") ? ["a"] : []))
      try storage.put([1], as: "a")
    }
  }

  @Test(arguments: Access.allCases)
  func removing(_ access: Access) throws {
    let storage = try access.storage(folder)
    try storage.put([1], as: "packs/0a/one")
    try storage.put([2], as: "packs/0a/two")
    try storage.remove(ObjectName(text: "packs/0a/one"))
    #expect(try storage.names() == ["packs/0a/two"])
  }

  @Test(arguments: Access.allCases, [1, 2, 3, 100])
  func listingsAreInOrderWhateverThePages(_ access: Access, _ pageSize: Int) throws {
    let storage = try access.storage(folder, pageSize: pageSize)
    // `/` comes after `-` and `.`, and before digits and letters.
    let names = [
      "a", "b-b", "b-c.d/x", "b-c/y", "b.x", "b/1", "b/2", "b0", "c-/z", "c/-", "c/a/b/c/d", "d", "packs/00/1",
      "packs/0a/2", "packs/ff/3", "refs/w-2/1", "refs/w/1", "refs/w/2",
    ]
    for name in names.reversed() { try storage.put(Array(name.utf8), as: name) }
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let found = try storage.names()
    #expect(found == sorted, "\(found)")
    for prefix in ["a", "b", "b/", "b-", "c/a/b", "packs/", "packs/0", "refs/w/", "refs/w", "none", "packs/0a/2", "d/"]
    {
      #expect(try storage.names(prefix) == sorted.filter { $0.hasPrefix(prefix) }, "\(prefix)")
    }
    let page = try storage.list("packs/", page: nil)
    #expect(page.objects.first?.size == 10)
  }

  @Test(arguments: Access.allCases)
  func theClockIsThatOfTheObjects(_ access: Access) throws {
    let storage = try access.storage(folder)
    try storage.put([1], as: "one")
    let page = try storage.list("", page: nil)
    try storage.put([1], as: "two")
    let later = try storage.list("two", page: nil)
    #expect(page.objects[0].modified <= page.now)
    #expect(page.now <= later.objects[0].modified)
    #expect(try folder.names("remote") == ["one", "two"])
  }

  @Test(arguments: Access.allCases)
  func aSourceThatFailsLeavesNothing(_ access: Access) throws {
    let storage = try access.storage(folder)
    try storage.put([1], as: "packs/other")
    #expect(throws: ObjectError(.local, "the disk is broken")) {
      try storage.put(FailingSource(size: 9_000_000, good: 5_000_000), as: ObjectName(text: "packs/one"))
    }
    #expect(try storage.names() == ["packs/other"])
    #expect(try folder.names("remote") == ["packs"])
    #expect(try storage.read("packs/other", count: 2) == [1])
  }

  @Test(arguments: Access.allCases)
  func theParentMustBeThere(_ access: Access) throws {
    let nowhere = DirectoryObjects(path: "\(folder.path)/missing/remote".bytes)
    let storage: any ObjectStorage = access == .directly ? nowhere : try ServedObjects(nowhere).client
    let kinds = [
      kind { _ = try storage.list("", page: nil) }, kind { try storage.put([1], as: "a") },
      kind { _ = try storage.read("a", count: 1) },
    ]
    #expect(kinds == [.noSuchPlace, .noSuchPlace, .noSuchPlace])
    #expect(try folder.names().isEmpty)
  }

  @Test func manyThreadsAtOnce() throws {
    let storage = try Access.served.storage(folder)
    let faults = Atomic<Int>(0)
    let stack = WorkStack<Int>()
    stack.push(0..<60)
    stack.run(workers: 12) { _, number in
      let content = Content.random(number * 20_011, seed: UInt64(number))
      do {
        try storage.put(content, as: "packs/p\(number)")
        let found = try storage.read("packs/p\(number)", count: content.count + 10)
        if found != content { faults.add(1, ordering: .relaxed) }
        _ = try storage.list("packs/", page: nil)
      } catch {
        faults.add(1, ordering: .relaxed)
      }
    }
    #expect(faults.load(ordering: .relaxed) == 0)
    #expect(try storage.names().count == 60)
  }

  private func kind(_ body: () throws -> Void) -> ObjectError.Kind? {
    do { try body() } catch { return (error as? ObjectError)?.kind }
    return nil
  }
}
