// find, grep, when and log -S, beside a naive search that reads every file of every state.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct SearchOverTimeTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture(parity: false)
  }

  /// Every file of a state with its content.
  private func files(_ state: LogEntry) throws -> [BytePath: [UInt8]] {
    var files: [BytePath: [UInt8]] = [:]
    let id = Revision(state.snapshot.id.description)
    var entries = try shop.repository.entries(id, isRecursive: true)
    while let next = try entries.next() {
      guard next.entry.type == .file else { continue }
      var reader = try shop.repository.content(of: id, path: next.path)
      files[next.path] = try reader.contents(limit: 1 << 20)
    }
    return files
  }

  private func makeHistory(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for name in ["d", "d/e", "f"] { try shop.folder.makeFolder(name.bytes) }
    let names = ["a", "b.c", "d/a", "d/e/b.c", "f/x.c", "d/x"]
    let words = ["needle", "hay", "needle needle", "straw\nneedle", "", "n\0needle"]
    for number in 0..<14 {
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let name = names.randomElement(using: &generator) ?? "a"
        if Bool.random(using: &generator), shop.folder.exists(name) {
          try shop.folder.remove(name.bytes)
        } else {
          try shop.folder.write(name.bytes, (words.randomElement(using: &generator) ?? "").bytes)
        }
      }
      try shop.save(Bool.random(using: &generator) ? "s\(number)" : nil)
      if Int.random(in: 0..<5, using: &generator) == 0 { _ = try? shop.repository.undo() }
      if Int.random(in: 0..<6, using: &generator) == 0 { _ = try? shop.repository.delete(["s\(number)"]) }
    }
  }

  @Test(arguments: 0..<12) func asANaiveSearch(_ seed: UInt64) throws {
    try makeHistory(seed)
    let states = try KnownStates(repository: shop.repository).all(isUnique: true)
    #expect(Set(states.map(\.snapshot.id)).count == states.count && states.count > 3)
    let contents = try states.map(files)

    // grep: each version of a file with the newest state that has it.
    var expected: [String] = []
    var met: Set<String> = []
    for (state, files) in zip(states, contents) {
      for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
        guard met.insert("\(path) \(bytes)").inserted else { continue }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let hits = lines.enumerated().filter { String(decoding: $0.element, as: UTF8.self).contains("needle") }
        if bytes.contains(0), !hits.isEmpty {
          expected.append("\(state.snapshot.id.short) \(path) binary")
        } else {
          expected += hits.map { "\(state.snapshot.id.short) \(path) \($0.offset + 1)" }
        }
      }
    }
    for pattern in [
      try SearchPattern(text: "needle".bytes), try SearchPattern(regularExpression: "ne+dle".bytes),
      try SearchPattern(regularExpression: "NEEDLE".bytes, ignoringCase: true),
    ] {
      var found: [String] = []
      let summary = try shop.repository.grep(GrepOptions(pattern)) { matches in
        found += matches.map {
          "\($0.state.snapshot.id.short) \($0.path ?? "") \($0.line.map { String($0.number) } ?? "binary")"
        }
      }
      #expect(found.sorted() == expected.sorted() && summary.matches == expected.count && summary.problems.isEmpty)
    }

    // find: as many states as the runs have, and each run is of one content.
    for pattern in ["a", "*.c", "d/*", "d/**", "x*"] {
      let report = try shop.repository.find(pattern.bytes)
      let matcher = try #require(PathPattern(pattern.bytes))
      var runs: [String] = []
      for path in Set(contents.flatMap(\.keys)) where matcher.matches(path, isFolder: false) {
        var open: (first: Int, bytes: [UInt8])?
        for index in 0...contents.count {
          let bytes = index < contents.count ? contents[index][path] : nil
          if let run = open, run.bytes != bytes {
            runs.append("\(path) \(states[run.first].snapshot.id.short) \(states[index - 1].snapshot.id.short)")
            open = nil
          }
          if open == nil, let bytes { open = (index, bytes) }
        }
      }
      let found = report.paths.flatMap { path in
        path.runs.filter { $0.entry.type == .file }.map {
          "\(path.path) \($0.newest.snapshot.id.short) \($0.oldest.snapshot.id.short)"
        }
      }
      #expect(found.sorted() == runs.sorted(), "\(pattern)")
    }

    // when: the runs of states in which any file has the text.
    let steps = try KnownStates(repository: shop.repository).all(isUnique: false)
    let holds = try steps.map {
      try files($0).values.contains { String(decoding: $0, as: UTF8.self).contains("needle") }
    }
    var periods: [String] = []
    var newest: Int?
    for index in 0...steps.count {
      if index < steps.count, holds[index] {
        newest = newest ?? index
      } else if let start = newest {
        periods.append("\(steps[index - 1].snapshot.id.short) \(steps[start].snapshot.id.short)")
        newest = nil
      }
    }
    let when = try shop.repository.when("needle".bytes)
    #expect(when.periods.map { "\($0.first.snapshot.id.short) \($0.last.snapshot.id.short)" } == periods)
    #expect(when.periods.allSatisfy { !$0.firstPlaces.isEmpty && !$0.lastPlaces.isEmpty })
  }

  /// `grep` of named states, in their order; paths; names only.
  @Test func whatIsChosen() throws {
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/a".bytes, "needle\nneedle\n".bytes)
    try shop.save("one")
    try shop.folder.write("b".bytes, "needle\n".bytes)
    try shop.save("two")
    var options = GrepOptions(try SearchPattern(text: "needle".bytes))
    func found() throws -> [String] {
      var found: [String] = []
      try shop.repository.grep(options) { matches in
        found += matches.map { "\($0.state.names[0]):\($0.path ?? "")" }
      }
      return found
    }
    #expect(try found() == ["two:b", "two:d/a", "two:d/a"])
    options.revisions = ["one", "two"]
    #expect(try found() == ["one:d/a", "one:d/a", "two:b"])
    options.onlyNames = true
    #expect(try found() == ["one:d/a", "two:b"])
    options.paths = ["d"]
    #expect(try found() == ["one:d/a"])
    options.revisions = ["three"]
    #expect(code { try found() } == .noSuchState)
  }

  @Test func whatChangedHowOftenATextOccurs() throws {
    func save(_ name: String, _ text: String?) throws {
      if let text { try shop.folder.write("a".bytes, text.bytes) }
      try shop.save(name)
    }
    try save("none", "hay")
    try save("came", "needle")
    try save("around", "needle hay")
    try save("again", "needle needle")
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.rename("a".bytes, to: "d/a".bytes)
    try save("moved", nil)
    try shop.folder.remove("d/a".bytes)
    try save("gone", nil)
    let report = try shop.repository.log(LogOptions(), changing: "needle".bytes)
    #expect(report.entries.map(\.snapshot.name) == ["gone", "again", "came"] && report.problems.isEmpty)
    var one = LogOptions()
    one.limit = 1
    #expect(try shop.repository.log(one, changing: "needle".bytes).entries.map(\.snapshot.name) == ["gone"])
    one.paths = ["a"]
    #expect(try shop.repository.log(one, changing: "needle".bytes).entries.map(\.snapshot.name) == ["moved"])
    #expect(code { try shop.repository.log(LogOptions(), changing: []) } == .invalidArgument)
    let entry = try #require(try shop.repository.log().first { $0.snapshot.name == "again" })
    #expect(try shop.repository.changes(of: entry)?.changes.map(\.path) == ["a"])
  }

  private struct Impatient: Monitor {
    func begin(_ phase: Phase) {}
    func advance(files: Int, bytes: UInt64) {}
    func report(_ problem: Problem) {}
    var isCancelled: Bool { true }
  }

  @Test func cancelled() throws {
    try makeHistory(1)
    let pattern = try SearchPattern(text: "needle".bytes)
    #expect(code { try shop.repository.grep(GrepOptions(pattern), monitor: Impatient()) { _ in } } == .cancelled)
    #expect(code { try shop.repository.find("a".bytes, monitor: Impatient()) } == .cancelled)
    #expect(code { try shop.repository.when("needle".bytes, monitor: Impatient()) } == .cancelled)
  }

  private struct Enough: Error {}

  @Test func whatTellThrowsEndsTheSearch() throws {
    try makeHistory(2)
    let pattern = try SearchPattern(regularExpression: "e".bytes)
    #expect(throws: Enough.self) { try shop.repository.grep(GrepOptions(pattern)) { _ in throw Enough() } }
  }
}
