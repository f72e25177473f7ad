// Records come back as they were, and nothing that is damaged or hostile is taken for one.

import MementoModel
import MementoObjects
import MementoTime
import TestSupport
import Testing

@testable import MementoRemote

struct RecordCodecTests {
  private let record: RefsRecord

  init() throws {
    var writers = Writers(3, seed: 5)
    for _ in 0..<25 { writers.step() }
    let index = try #require(writers.ids.indices.first { writers.tables[$0].version[writers.ids[$0]] > 0 })
    let id = writers.ids[index]
    record = RefsRecord(
      dot: Dot(writer: id, number: writers.tables[index].version[id]), host: "alpha",
      time: Timestamp(seconds: -5, nanoseconds: 999_999_999), table: writers.tables[index])
  }

  private var name: ObjectName { RefsRecord.name(record.dot) }

  @Test func aRefsRecordComesBack() throws {
    #expect(RefsRecord.dot(name) == record.dot)
    #expect(try RefsRecord(record.encoded(), of: name) == record)
    let other = RefsRecord.name(Dot(writer: record.dot.writer, number: record.dot.number + 1))
    #expect(throws: RemoteError.self) { try RefsRecord(record.encoded(), of: other) }
  }

  @Test func everyDamageIsFound() throws {
    let bytes = try record.encoded()
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8(place % 8)
      #expect(throws: RemoteError.self) { try RefsRecord(damaged, of: name) }
    }
    for length in bytes.indices {
      #expect(throws: RemoteError.self) { try RefsRecord(Array(bytes[..<length]), of: name) }
    }
    #expect(throws: RemoteError.self) { try RefsRecord(bytes + [0], of: name) }
  }

  /// A checksum keeps nobody from writing what he likes.
  @Test func hostileBodiesEndInAnError() throws {
    let bytes = try record.encoded()
    let head = "memento refs-record 1\n".utf8.count + 32
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      var body = Array(bytes[head...])
      for _ in 0...Int(random.next() % 3) { body[Int(random.next() % UInt64(body.count))] = UInt8(random.next() % 256) }
      // An error or a record: no trap.
      _ = try? RefsRecord(Envelope.seal("refs-record", 1, body), of: name)
    }
  }

  @Test func aLaterVersionIsSaidToBeOne() throws {
    let later = Envelope.seal("refs-record", 2, [])
    #expect(throws: RemoteError.newerFormat(name, found: "memento refs-record 2")) { try RefsRecord(later, of: name) }
  }

  /// Most bits that flip in the first line make no version that a later memento writes.
  @Test func aChangedFirstLineIsDamage() throws {
    let bytes = try record.encoded()
    let end = "memento refs-record 1".utf8.count
    var later = 0
    for place in 0..<end {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        do {
          _ = try RefsRecord(changed, of: name)
          Issue.record("byte \(place), bit \(bit)")
        } catch {
          if case .newerFormat = error { later += 1 } else { #expect(error.isDamage, "\(error)") }
        }
      }
    }
    // 3, 5 and 9 cannot be told from a later version.
    #expect(later == 3)
    for text in ["0", "-2", "+2", "02", "", "x", "1 "] {
      let other = Array("memento refs-record \(text)\n".utf8) + bytes[(end + 1)...]
      #expect(throws: RemoteError.self) { try RefsRecord(other, of: name) }
      do { _ = try RefsRecord(other, of: name) } catch { #expect(error.isDamage, "\(text)") }
    }
  }

  @Test func tooManyNamesAreRefused() throws {
    var change = TableChange()
    for number in 0...TableCodec.mostValues { change.moves[try #require(RefName("\(number)"))] = .sample(1) }
    var table = NameTable()
    let dot = Dot(writer: WriterID(high: 1, low: 1), number: 1)
    table.apply(change, as: dot, host: "h", time: Timestamp(seconds: 0, nanoseconds: 0))
    let record = RefsRecord(dot: dot, host: "h", time: Timestamp(seconds: 0, nanoseconds: 0), table: table)
    #expect(throws: RemoteError.self) { try record.encoded() }
  }

  @Test func marksIndexesAndStepsComeBack() throws {
    var random = SplitMix64(seed: 3)
    let pack = PackObject.random(using: &random)
    #expect(PackObject.pack(PackObject.name(pack)) == pack)
    #expect(ObjectName("packs/zz/\(pack)").flatMap(PackObject.pack) == nil)
    let markName = MarkRecord.name(using: &random)
    let mark = MarkRecord(packs: [.sample(2), .sample(1)], closes: [markName])
    #expect(try MarkRecord(mark.encoded(), of: markName) == mark)
    let indexName = IndexRecord.name(using: &random)
    let index = IndexRecord(
      packs: [IndexRecord.Pack(name: pack, id: .sample(1), size: 99, contents: [1, 2, 3])], replaces: [indexName])
    #expect(try IndexRecord(index.encoded(), of: indexName) == index)
    for (count, isRight) in [(0, true), (32, true), (1, false), (31, false), (33, false)] {
      let pack = IndexRecord.Pack(
        name: pack, id: .sample(1), size: 99, salt: [UInt8](repeating: 7, count: count), contents: [])
      let index = IndexRecord(packs: [pack])
      #expect((try? IndexRecord(index.encoded(), of: indexName)) == (isRight ? index : nil), "\(count)")
    }
    let step = StepList.Step(
      operation: .restore, time: Timestamp(seconds: 3, nanoseconds: 4), snapshot: .sample(9), paths: [Array("a/b".utf8)]
    )
    let steps = StepList(steps: [step, step], position: 1)
    #expect(try StepList(steps.encoded()) == steps)
    #expect(try StepList(StepList(steps: [], position: nil).encoded()) == StepList(steps: [], position: nil))
    #expect(throws: RemoteError.self) { try StepList(StepList(steps: [step], position: 1).encoded()) }
    #expect(throws: RemoteError.self) { try StepList(StepList(steps: [step], position: nil).encoded()) }
    for path in ["..", "a/../b", "./a", "", "a//b", "/a"] {
      var hostile = step
      hostile.paths = [Array(path.utf8)]
      #expect(throws: RemoteError.self) { try StepList(StepList(steps: [hostile], position: 0).encoded()) }
    }
    var remembered = RefsMark(repository: "0a", isSealed: true, writer: record.dot.writer)
    remembered.table = record.table
    remembered.heads = [record.dot]
    remembered.indexes = [indexName]
    remembered.bases[try #require(RefName("work"))] = NameBase(
      local: .sample(4), isPending: true, upon: [record.dot], seen: [record.dot])
    #expect(try RefsMark(remembered.encoded()) == remembered)
  }
}
