import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct VerificationRecordTests {
  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }
  private func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds, nanoseconds: 0) }

  @Test func isReadBack() throws {
    var record = VerificationRecord()
    record.note(id(1), from: 0, rest: nil, at: time(100), isHurt: false)
    record.note(id(2), from: 0, rest: 5000, at: time(200), isHurt: false)
    #expect(VerificationRecord(record.encoded()) == record)
    record.note(id(2), from: 5000, rest: nil, at: time(300), isHurt: false)
    record.close(present: [id(1), id(2)])
    // A pack that was read in parts counts from when that began.
    #expect(record.packs[id(2)]?.read == time(200) && record.full == time(100))
    #expect(VerificationRecord(record.encoded()) == record)
    record.note(id(1), from: 0, rest: nil, at: time(400), isHurt: true)
    record.close(present: [id(1), id(2)])
    #expect(record.packs[id(1)] == nil && record.full == time(100))
    record.close(present: [id(2)])
    #expect(record.full == time(200))
  }

  @Test func aDamagedRecordIsNone() {
    var record = VerificationRecord()
    for number in 0..<4 { record.note(id(number), from: 0, rest: nil, at: time(Int64(number)), isHurt: false) }
    let bytes = record.encoded()
    for place in bytes.indices {
      let found = VerificationRecord(Content.flipping(bytes, bit: place * 8 + place % 7))
      #expect(found == nil || found == record)
      #expect(VerificationRecord(Array(bytes[..<place])) == nil)
    }
  }

  /// Parts of a tenth come around to everything, whatever the sizes.
  @Test func everythingIsReadInTurn() {
    let packs = (0..<7).map { (id: id($0), size: UInt64(1000 + $0 * 3333)) }
    var record = VerificationRecord()
    var runs = 0
    while record.full == nil, runs < 100 {
      runs += 1
      let plan = ReadingPlan(packs, record, percent: 10, before: nil)
      #expect(!plan.parts.isEmpty)
      for (pack, part) in plan.parts {
        // Blocks of 500 bytes.
        let size = packs.first { $0.id == pack }?.size ?? 0
        let end = part.from + (part.budget + 499) / 500 * 500
        record.note(pack, from: part.from, rest: end < size ? end : nil, at: time(Int64(runs)), isHurt: false)
      }
      record.close(present: Set(packs.map(\.id)))
    }
    #expect((9...16).contains(runs), "\(runs)")
    #expect(record.full == time(1))
  }

  @Test func onlyWhatIsDueIsRead() {
    let packs = (0..<3).map { (id: id($0), size: UInt64(1000)) }
    var record = VerificationRecord()
    record.note(id(0), from: 0, rest: nil, at: time(100), isHurt: false)
    record.note(id(1), from: 0, rest: nil, at: time(300), isHurt: false)
    let due = ReadingPlan(packs, record, percent: 100, before: time(200)).parts
    #expect(Set(due.keys) == [id(0), id(2)])
    #expect(ReadingPlan(packs, record, percent: 100, before: nil).parts.count == 3)
    // What was never read comes first.
    #expect(Set(ReadingPlan(packs, record, percent: 10, before: nil).parts.keys) == [id(2)])
  }
}
