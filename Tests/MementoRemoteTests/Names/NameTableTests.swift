// Tables of names merge in any order to the same table.

import MementoModel
import MementoTime
import TestSupport
import Testing

@testable import MementoRemote

/// Writers that make changes of their own tables and merge what they find.
struct Writers {
  var random: SplitMix64
  let ids: [WriterID]
  var tables: [NameTable]
  var records: [NameTable] = []
  static let names = ["work", "release", "a"].compactMap { RefName($0) }

  init(_ count: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    ids = (0..<count).map { _ in WriterID(using: &random) }
    tables = Array(repeating: NameTable(), count: count)
    self.random = random
  }

  mutating func step() {
    let index = Int.random(in: 0..<ids.count, using: &random)
    if Bool.random(using: &random), let other = records.randomElement(using: &random) { tables[index].merge(other) }
    var change = TableChange()
    for name in Writers.names where Int.random(in: 0..<3, using: &random) == 0 {
      let dots = tables[index][name].map(\.dot)
      if !dots.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
        change.removals[name] = dots
      } else {
        change.moves[name] = .sample(random.next() % 5, replaces: dots)
      }
    }
    if Bool.random(using: &random) { change.position = .sample(random.next() % 5) }
    let dot = Dot(writer: ids[index], number: tables[index].version[ids[index]] + 1)
    tables[index].apply(
      change, as: dot, host: "host\(index)", time: Timestamp(seconds: Int64(random.next() % 4), nanoseconds: 0))
    records.append(tables[index])
  }
}

extension ObjectID {
  static func sample(_ number: UInt64) -> ObjectID { ObjectID(number, 1, 2, 3) }
}

extension TableChange.Move {
  static func sample(_ number: UInt64, replaces: [Dot] = []) -> TableChange.Move {
    TableChange.Move(
      snapshot: .sample(number), note: SnapshotNote(time: Timestamp(seconds: 1, nanoseconds: 2), message: "\(number)"),
      replaces: replaces)
  }
}

extension NameTable {
  func merged(with other: NameTable) -> NameTable {
    var result = self
    result.merge(other)
    return result
  }
}

struct NameTableTests {
  @Test(arguments: 0..<60)
  func mergesInAnyOrderToTheSame(_ seed: UInt64) throws {
    var writers = Writers(4, seed: seed)
    for _ in 0..<30 { writers.step() }
    for _ in 0..<30 {
      let some = (0..<3).compactMap { _ in writers.records.randomElement(using: &writers.random) }
      #expect(some[0].merged(with: some[1]) == some[1].merged(with: some[0]))
      #expect(
        some[0].merged(with: some[1]).merged(with: some[2]) == some[0].merged(with: some[1].merged(with: some[2])))
      #expect(some[0].merged(with: some[0]) == some[0])
      let both = some[0].merged(with: some[1])
      #expect(both.merged(with: some[0]) == both)
    }
    let all = writers.records.shuffled(using: &writers.random).reduce(NameTable()) { $0.merged(with: $1) }
    // The newest record of each writer is enough.
    var newest: [WriterID: NameTable] = [:]
    for record in writers.records {
      for id in writers.ids where record.version[id] > (newest[id]?.version[id] ?? 0) { newest[id] = record }
    }
    #expect(newest.values.reduce(NameTable()) { $0.merged(with: $1) } == all)
    #expect(ShownNames(all) == ShownNames(writers.records.reduce(NameTable()) { $1.merged(with: $0) }))
  }

  private func table(_ change: TableChange, _ writer: UInt64, upon table: NameTable = NameTable(), at time: Int64 = 5)
    -> NameTable
  {
    var table = table
    let id = WriterID(high: writer, low: 0)
    table.apply(
      change, as: Dot(writer: id, number: table.version[id] + 1), host: "host\(writer)",
      time: Timestamp(seconds: time, nanoseconds: 0))
    return table
  }

  private func moving(_ name: String, to snapshot: UInt64, replacing table: NameTable = NameTable()) throws
    -> TableChange
  {
    let name = try #require(RefName(name))
    var change = TableChange()
    change.moves[name] = .sample(snapshot, replaces: table[name].map(\.dot))
    return change
  }

  @Test func aNameMovedByTwoAtOnceKeepsBoth() throws {
    let base = table(try moving("work", to: 1), 1)
    let first = table(try moving("work", to: 2, replacing: base), 2, upon: base, at: 6)
    let second = table(try moving("work", to: 3, replacing: base), 3, upon: base, at: 7)
    let shown = ShownNames(second.merged(with: first))
    #expect(shown.map(\.text) == ["work", "work@host3"])
    #expect(shown.map(\.snapshot) == [.sample(2), .sample(3)])
    #expect(shown.allSatisfy { $0.isConflict })
  }

  @Test func twoOfOneHostAreNumbered() throws {
    var all = NameTable()
    for (writer, snapshot) in [(1, 1), (2, 2), (3, 3)] as [(UInt64, UInt64)] {
      var own = NameTable()
      own.apply(
        try moving("work", to: snapshot), as: Dot(writer: WriterID(high: writer, low: 0), number: 1), host: "a b",
        time: Timestamp(seconds: Int64(writer), nanoseconds: 0))
      all.merge(own)
    }
    all.merge(table(try moving("work@a-b", to: 9), 4))
    #expect(ShownNames(all).map(\.text) == ["work", "work@a-b", "work@a-b-2", "work@a-b-3"])
    #expect(ShownNames(all)["work@a-b"]?.snapshot == .sample(9))
    #expect(ShownNames(all)["work@a-b-2"]?.snapshot == .sample(2))
  }

  @Test func aMoveWinsOverADeletionBesideIt() throws {
    let base = table(try moving("work", to: 1), 1)
    let moved = table(try moving("work", to: 2, replacing: base), 2, upon: base)
    let deleted = table(TableChange(deleting: ["work"], of: ShownNames(base)), 3, upon: base)
    #expect(ShownNames(deleted).isEmpty)
    #expect(ShownNames(deleted.merged(with: moved)).map(\.snapshot) == [.sample(2)])
    // Whoever has seen the move deletes it.
    let both = deleted.merged(with: moved)
    let gone = table(TableChange(deleting: ["work"], of: ShownNames(both)), 3, upon: both)
    #expect(ShownNames(gone.merged(with: moved).merged(with: base)).isEmpty)
  }

  @Test func equalSnapshotsAreOne() throws {
    let base = table(try moving("work", to: 1), 1)
    let first = table(try moving("work", to: 2, replacing: base), 2, upon: base)
    let second = table(try moving("work", to: 2, replacing: base), 3, upon: base)
    let shown = ShownNames(first.merged(with: second))
    #expect(shown.map(\.text) == ["work"])
    #expect(shown[0].dots.count == 2)
    #expect(!shown[0].isConflict)
  }

  @Test func deletingTheNameOfAHostRemovesThatValueAlone() throws {
    let both = table(try moving("work", to: 2), 2, at: 6).merged(with: table(try moving("work", to: 3), 3, at: 7))
    let one = table(TableChange(deleting: ["work@host3"], of: ShownNames(both)), 1, upon: both)
    #expect(ShownNames(one).map(\.text) == ["work"])
    #expect(ShownNames(one).map(\.snapshot) == [.sample(2)])
    let none = table(TableChange(deleting: ["work"], of: ShownNames(both)), 1, upon: both)
    #expect(ShownNames(none).isEmpty)
    // A policy decides about each value: the first one goes alone, and the other one is the name then.
    let first = TableChange(deletingOnly: ShownNames(both).filter { $0.text == "work" })
    let other = table(first, 1, upon: both)
    #expect(ShownNames(other).map(\.text) == ["work"])
    #expect(ShownNames(other).map(\.snapshot) == [.sample(3)])
    #expect(both.after(removalsOf: first).roots == [.sample(3)])
  }

  @Test func theNewestPositionIsThatOfTheNewestPush() throws {
    var change = TableChange()
    change.position = .sample(7)
    var other = TableChange()
    other.position = .sample(8)
    let first = table(change, 1, at: 10)
    let both = first.merged(with: table(other, 2, at: 9))
    #expect(both.newestPosition?.snapshot == .sample(7))
    #expect(both.roots == [.sample(7), .sample(8)])
    let later = table(other, 1, upon: both, at: 11)
    #expect(later.merged(with: first).newestPosition?.snapshot == .sample(8))
    #expect(later.positions[WriterID(high: 1, low: 0)].count == 1)
    let gone = table(
      TableChange(deletingPositionOf: WriterID(high: 1, low: 0), in: later), 2, upon: later)
    #expect(gone.merged(with: later).newestPosition?.dot.writer == WriterID(high: 2, low: 0))
  }

  @Test func namesAreChecked() {
    #expect(RefName("") == nil)
    #expect(RefName("a\nb") == nil)
    #expect(RefName(bytes: [0xff]) == nil)
    #expect(RefName(String(repeating: "a", count: 256)) == nil)
    #expect(RefName(String(repeating: "a", count: 255)) != nil)
    #expect(WriterID(hex: String(repeating: "A", count: 32)) == nil)
    #expect(WriterID(hex: WriterID(high: 1, low: .max).description) == WriterID(high: 1, low: .max))
  }
}
