// Which names a push and a pull move.

import MementoModel
import MementoTime
import Testing

@testable import MementoRemote

/// Two machines, A and B, and a remote that shows everything at once.
private struct Machine {
  let writer: WriterID
  let host: String
  var local: [RefName: ObjectID] = [:]
  var bases: [RefName: NameBase] = [:]

  init(_ number: UInt64) {
    writer = WriterID(high: number, low: 0)
    host = "host\(number)"
  }

  mutating func push(_ table: inout NameTable, isExplicit: Bool = false, bringsBack: Bool = false) -> PushedNames {
    let pushed = PushedNames(
      local: local, isExplicit: isExplicit, bringsBack: bringsBack, bases: bases, table: table
    ) { _ in SnapshotNote(time: Timestamp(seconds: 0, nanoseconds: 0)) }
    commit(pushed.change, &table)
    bases = pushed.bases(
      after: bases, table: table, dot: pushed.change.isEmpty ? nil : Dot(writer: writer, number: table.version[writer]))
    return pushed
  }

  func commit(_ change: TableChange, _ table: inout NameTable) {
    guard !change.isEmpty else { return }
    let time = Timestamp(seconds: Int64(table.version.dots.reduce(0) { $0 + $1.number }), nanoseconds: 0)
    table.apply(
      change, as: Dot(writer: writer, number: table.version[writer] + 1), host: host, time: time)
  }

  mutating func pull(_ table: NameTable, _ wanted: Set<RefName>? = nil) -> PulledNames {
    let pulled = PulledNames(local: local, wanted: wanted, bases: bases, table: table)
    for name in pulled.names { local[name.name] = name.result }
    bases = pulled.bases
    return pulled
  }
}

struct PushAndPullTests {
  private let work: RefName
  private var a = Machine(1)
  private var b = Machine(2)
  private var table = NameTable()

  /// A has pushed `work` as 1, and B has pulled it.
  init() throws {
    work = try #require(RefName("work"))
    a.local[work] = .sample(1)
    #expect(a.push(&table).names.map(\.outcome) == [.new])
    #expect(b.pull(table).names.map(\.outcome) == [.new])
  }

  private var shown: [String] { ShownNames(table).map(\.text) }

  @Test mutating func whatIsUnchangedStays() {
    #expect(a.push(&table).names.map(\.outcome) == [.same])
    #expect(a.pull(table).names.map(\.outcome) == [.same])
    a.local[work] = .sample(2)
    #expect(a.pull(table).names.map(\.outcome) == [.ahead])
    #expect(a.push(&table).names.map(\.outcome) == [.moved])
    #expect(shown == ["work"])
    #expect(b.push(&table).names.map(\.outcome) == [.movedThere])
    #expect(b.pull(table).names.map(\.outcome) == [.moved])
    #expect(b.local[work] == .sample(2))
  }

  @Test mutating func aConflictStaysUntilAPullHasToldOfIt() {
    a.local[work] = .sample(2)
    b.local[work] = .sample(3)
    _ = a.push(&table)
    let pushed = b.push(&table)
    #expect(pushed.names.map(\.outcome) == [.moved])
    #expect(pushed.conflicts.count == 1)
    #expect(shown == ["work", "work@host2"])
    // A job pushes again without looking.
    b.local[work] = .sample(4)
    _ = b.push(&table)
    #expect(ShownNames(table)["work"]?.snapshot == .sample(2))
    #expect(ShownNames(table)["work@host2"]?.snapshot == .sample(4))
    #expect(b.pull(table).names.map(\.isConflictThere) == [true])
    #expect(b.push(&table).names.map(\.outcome) == [.sameAmongOthers])
    var copy = self
    copy.b.local[work] = .sample(5)
    #expect(copy.b.push(&copy.table).names.map(\.outcome) == [.moved])
    #expect(copy.shown == ["work"])
    // Or by name, without a new snapshot.
    #expect(b.push(&table, isExplicit: true).names.map(\.outcome) == [.settled])
    #expect(ShownNames(table).map(\.snapshot) == [.sample(4)])
  }

  @Test mutating func whatWasChangedOnBothSidesStaysOnBoth() {
    a.local[work] = .sample(2)
    _ = a.push(&table)
    b.local[work] = .sample(3)
    #expect(b.pull(table).names.map(\.outcome) == [.movedOnBothSides])
    #expect(b.local[work] == .sample(3))
    // What was made before the pull does not replace what it told of.
    var copy = self
    #expect(copy.b.push(&copy.table).conflicts.count == 1)
    #expect(copy.shown == ["work", "work@host2"])
    // What was made after it does.
    b.local[work] = .sample(4)
    #expect(b.push(&table).conflicts.isEmpty)
    #expect(ShownNames(table).map(\.snapshot) == [.sample(4)])
  }

  @Test mutating func aPushBringsBackNothingThatWasDeletedThere() {
    a.commit(TableChange(deleting: ["work"], of: ShownNames(table)), &table)
    #expect(b.push(&table).names.map(\.outcome) == [.deletedThere])
    #expect(b.push(&table, isExplicit: true).names.map(\.outcome) == [.deletedThere])
    #expect(b.pull(table).names.map(\.outcome) == [.deletedThere])
    #expect(b.local[work] == .sample(1))
    #expect(shown.isEmpty)
    var copy = self
    #expect(copy.b.push(&copy.table, isExplicit: true, bringsBack: true).names.map(\.outcome) == [.new])
    b.local[work] = .sample(2)
    #expect(b.push(&table).names.map(\.outcome) == [.new])
    #expect(shown == ["work"])
  }

  @Test mutating func whatWasDeletedHereComesBackOnlyWhenItHasMoved() {
    b.local[work] = nil
    #expect(b.push(&table).names.isEmpty)
    #expect(b.pull(table).names.map(\.outcome) == [.deletedHere])
    var copy = self
    #expect(copy.b.pull(copy.table, [work]).names.map(\.outcome) == [.new])
    a.local[work] = .sample(2)
    _ = a.push(&table)
    #expect(b.pull(table).names.map(\.outcome) == [.new])
  }

  @Test mutating func aNameOfTwoThatNeverMetIsKeptTwice() throws {
    let name = try #require(RefName("release"))
    a.local[name] = .sample(7)
    b.local[name] = .sample(8)
    _ = a.push(&table)
    #expect(b.push(&table).conflicts.map(\.name) == [name])
    #expect(shown == ["release", "release@host2", "work"])
  }
}
