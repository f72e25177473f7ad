// More states than fit into `refs` itself: a list in a file of its own, and the changes since it was written.

import Dispatch
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoStore

struct StateListTests {
  let fixture: StoreFixture
  let file: RefsFile

  init() throws {
    fixture = try StoreFixture()
    // This folder flushes. With unflushed files in the store, no old list would be removed, since it may be the last
    // durable one.
    file = RefsFile(try StoreFolder(adopting: fixture.directory.descriptor.duplicate()))
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  /// What another process reads.
  private func read() throws -> Refs { try RefsFile(try fixture.folder()).read() }

  private func fill(_ count: Int) throws {
    _ = try file.update(waiting: 10) { refs in
      refs.states.set((0..<count).map { ("state \($0)", id($0)) })
    }
  }

  private var text: String { get throws { String(decoding: try fixture.directory.read("refs"), as: UTF8.self) } }

  private func listFile() throws -> String { try fixture.onlyFile("states") }

  /// Replaces the lines after the head of `refs`, with a right checksum.
  private func rewrite(_ change: (String) -> String) throws {
    let lines = try text.split(separator: "\n", omittingEmptySubsequences: false)
    let body = change(lines.dropFirst(2).joined(separator: "\n"))
    let bytes = "memento refs 2\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes
    try fixture.directory.write("refs", bytes)
  }

  @Test func agreesWithADictionaryHoweverItIsKept() throws {
    var random = SplitMix64(seed: 5)
    var model: [[UInt8]: ObjectID] = [:]
    var forms: Set<String> = []
    for round in 0..<60 {
      let names = round % 30 < 15 ? 0..<Int(random.next() % 400) : 0..<Int(random.next() % 40)
      let isFew = round % 30 >= 20
      _ = try file.update(waiting: 10) { refs in
        for number in names {
          let name = "n\(random.next() % 1500)é"
          let snapshot = isFew || random.next() % 3 == 0 ? nil : id(number)
          refs[name] = snapshot
          model[name.bytes] = snapshot
        }
        if isFew {
          let gone = refs.states.prefix(200).map(\.name)
          refs.states.set(gone.map { ($0, nil) })
          for name in gone { model[name.bytes] = nil }
        }
      }
      let refs = try read()
      forms.insert(try text.contains("\nstates ") ? "a list" : "refs alone")
      #expect(refs.states.map(\.name.bytes) == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(refs.states.allSatisfy { model[$0.name.bytes] == $0.snapshot && refs[$0.name] == $0.snapshot })
      #expect(refs.states.count == model.count)
      #expect(refs.states.isEmpty == model.isEmpty)
      for number in [0, 1, 7] {
        let names = model.filter { $0.value == id(number) }.keys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(refs.states.names(of: id(number)).map(\.bytes) == names)
        #expect(refs.keeps(id(number)) == !names.isEmpty)
      }
      #expect(refs.roots == Set(model.values))
    }
    #expect(forms == ["a list", "refs alone"])
  }

  @Test func fewStatesAreInRefsAlone() throws {
    try fill(StateTable.longestChanges)
    #expect(try text.hasPrefix("memento refs 1\n"))
    #expect(throws: (any Error).self) { try fixture.files("states") }
  }

  @Test func aChangeAmongManyIsALineAmongFew() throws {
    try fill(2000)
    let list = try listFile()
    #expect(try text.hasPrefix("memento refs 2\n"))
    _ = try file.update(waiting: 10) { refs in
      refs["state 7"] = id(1)
      refs["a new one"] = id(2)
      refs["state 9"] = nil
      refs["state 8"] = id(8)
    }
    let lines = try text.split(separator: "\n").suffix(4)
    #expect(
      Array(lines) == [
        "states \(list.dropFirst("states/".count))", "\(id(2)) a new one", "\(id(1)) state 7", "- state 9",
      ])
    #expect(try listFile() == list)
    #expect(try read().states.count == 2000)
    // Names that were changed back leave no change.
    _ = try file.update(waiting: 10) { refs in
      refs["state 7"] = id(7)
      refs["a new one"] = nil
      refs["state 9"] = id(9)
    }
    #expect(try text.hasSuffix("states \(list.dropFirst("states/".count))\n"))
  }

  @Test func theListBeforeStaysAsLongAsTheRefsBefore() throws {
    try fill(1000)
    let first = try listFile()
    _ = try file.update(waiting: 10) { refs in refs.states.set((0..<1000).map { ("other \($0)", id($0)) }) }
    #expect(try fixture.files("states").count == 2)
    // `refs.prev` is still complete, with its list.
    try fixture.directory.rename("refs.prev", to: "refs")
    #expect(try read().states.count == 1000)
    #expect(try read().states.file == ObjectID(hex: String(first.dropFirst("states/".count))))
    // Lists that only older generations named are removed.
    for round in 0..<3 {
      _ = try file.update(waiting: 10) { refs in refs.states.set((0..<600).map { ("round \(round) \($0)", id($0)) }) }
      #expect(try fixture.files("states").count == 2)
    }
    #expect(try read().states.count == 2800)
  }

  @Test func whatWasDeletedComesBackIntoRefs() throws {
    try fill(1000)
    _ = try file.update(waiting: 10) { refs in refs.states.set((5..<1000).map { ("state \($0)", nil) }) }
    #expect(try !text.contains("\nstates "))
    #expect(try read().states.map(\.name) == (0..<5).map { "state \($0)" })
  }

  @Test func aDamagedListIsReported() throws {
    try fill(1000)
    try fixture.empty("backup")
    let name = try listFile()
    let bytes = try fixture.directory.read(name)
    for place in stride(from: 0, to: bytes.count, by: 97) {
      try fixture.directory.write(name, Content.flipping(bytes, bit: place * 8 + place % 8))
      #expect(outcome { try read() } == .damaged)
    }
    for length in [0, 1, 64, bytes.count - 1] {
      try fixture.directory.write(name, Array(bytes.prefix(length)))
      #expect(outcome { try read() } == .damaged)
    }
    try fixture.directory.descriptor.removeFile(name.bytes)
    #expect(outcome { try read() } == .damaged)
    try fixture.directory.write(name, bytes)
    #expect(try read().states.count == 1000)
  }

  @Test func aDamagedListIsReadFromItsCopy() throws {
    try fill(1000)
    let name = try listFile()
    let bytes = try fixture.directory.read(name)
    for place in stride(from: 0, to: bytes.count, by: 997) {
      try fixture.directory.write(name, Content.flipping(bytes, bit: place * 8 + place % 8))
      #expect(try read().states.count == 1000)
    }
    try fixture.directory.descriptor.removeFile(name.bytes)
    #expect(try read().states.count == 1000)
  }

  /// A copy counts by its hash. Another list in its place would give names to other snapshots.
  @Test func aCopyThatIsAnotherListIsNotRead() throws {
    try fill(1000)
    let name = try listFile()
    let copy = name.replacing("states/", with: "backup/")
    let other = "\(id(7)) state 3\n".bytes
    #expect(try fixture.directory.read(copy) == fixture.directory.read(name))
    try fixture.directory.write(copy, other)
    try fixture.directory.write(name, other)
    #expect(outcome { try read() } == .damaged)
    try fixture.directory.descriptor.removeFile(name.bytes)
    #expect(outcome { try read() } == .damaged)
  }

  @Test func aMissingListIsNotTakenForAnEmptyOne() throws {
    try fill(1000)
    _ = try file.update(waiting: 10) { $0["state 9"] = nil }
    try fixture.empty("backup")
    try fixture.directory.descriptor.removeFile(try listFile().bytes)
    let error = #expect(throws: StoreError.self) { try read() }
    #expect(String(describing: error).contains("states/"))
  }

  @Test func aListThatIsNoFileIsNotRead() throws {
    try fill(1000)
    try fixture.empty("backup")
    let name = try listFile()
    try fixture.directory.rename(name, to: "elsewhere")
    try fixture.directory.descriptor.makeSymbolicLink(name.bytes, target: "../elsewhere".bytes)
    #expect(outcome { try read() } == .damaged)
    try fixture.directory.descriptor.removeFile(name.bytes)
    try fixture.directory.descriptor.makeDirectory(name.bytes)
    #expect(outcome { try read() } == .damaged)
  }

  @Test(arguments: [
    "- nothing\n", "- state 1\n- state 1\n", "- state 2\n- state 1\n", "-\n", "- \n", "what\n", "\n", "states x\n",
    "\(ObjectID.zero)\n", "\(ObjectID.zero) \n", "step 2026-01-01T00:00:00.000000000Z save \(ObjectID.zero)\n",
    "\(ObjectID.zero) b\n\(ObjectID.zero) a\n", "generation 5\n",
  ])
  func hostileChangesAreRefused(_ lines: String) throws {
    try fill(1000)
    try rewrite { $0 + lines }
    #expect(outcome { try read() } == .damaged)
  }

  @Test func hostileListsAreRefused() throws {
    try fill(1000)
    try fixture.empty("backup")
    let line = try text.split(separator: "\n").last { $0.hasPrefix("states ") } ?? ""
    let others = [
      "states ../../etc/passwd", "states \(ObjectID.zero)", "states", "states \(ObjectID.zero) x", "\(line) x",
      line.replacing(" ", with: "  x "),
    ]
    let refs = try fixture.directory.read("refs")
    for other in others {
      try fixture.directory.write("refs", refs)
      try rewrite { $0.replacing(line, with: other) }
      #expect(outcome { try read() } == .damaged, "\(other)")
    }
    // Version 1 of the file has no such line.
    let body = "generation 1\nposition -\n\(line)\n"
    try fixture.directory.write("refs", "memento refs 1\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
    #expect(outcome { try read() } == .damaged)
    // Lists that are not valid, under the right name.
    for list in ["\(id(1)) b\n\(id(1)) a\n", "\(id(1)) a", "\(id(1))\n", "- a\n", "generation 1\n"] {
      try fixture.directory.write("states/\(ObjectID(hashing: list.bytes))", list.bytes)
      let body = "generation 1\nposition -\nstates \(ObjectID(hashing: list.bytes))\n"
      try fixture.directory.write("refs", "memento refs 2\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
      #expect(outcome { try read() } == .damaged)
    }
  }

  /// Readers take no lock. Meanwhile a writer replaces `refs` and removes the lists of earlier generations.
  @Test func readersFindAListAtAnyTime() throws {
    try fill(600)
    let fixture = self.fixture
    let failures = Mutex<[String]>([])
    let isDone = Atomic<Bool>(false)
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      do {
        let folder = try fixture.folder()
        if worker > 0 {
          while !isDone.load(ordering: .relaxed) {
            let refs = try RefsFile(folder).read()
            let count = refs.states.count
            if count < 599 || (count - 599) % 520 > 1 { failures.withLock { $0.append("\(count) states") } }
          }
          return
        }
        defer { isDone.store(true, ordering: .relaxed) }
        for round in 0..<30 {
          // Each round writes a new list and then deletes one of its names.
          _ = try RefsFile(folder).update(waiting: 10) { refs in
            refs.states.set((0..<520).map { ("\(round) \($0)", .zero) } + [("state 0", .zero)])
          }
          _ = try RefsFile(folder).update(waiting: 10) { $0["state 0"] = nil }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try read().states.count == 599 + 30 * 520)
  }
}
