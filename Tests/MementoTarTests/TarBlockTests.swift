// Numbers, checksums, times and records of headers.

import MementoTar
import MementoTime
import TestSupport
import Testing

struct TarBlockTests {
  @Test func octalNumbersEndWhereTheyMay() {
    #expect(TarNumber.parse("0000644\0".bytes[...]) == 0o644)
    #expect(TarNumber.parse(" 644 \0\0\0".bytes[...]) == 0o644)
    #expect(TarNumber.parse("\0\0\0\0\0\0\0\0".bytes[...]) == 0)
    #expect(TarNumber.parse("77777777777\0".bytes[...]) == 0o77777777777)
    #expect(TarNumber.parse("0009\0\0\0\0".bytes[...]) == nil)
    #expect(TarNumber.parse("hello\0\0\0".bytes[...]) == nil)
    #expect(TarNumber.parse([UInt8](repeating: UInt8(ascii: "7"), count: 40)[...]) == nil)
  }

  @Test func base256NumbersAreLargeOrNegative() {
    #expect(TarNumber.parse([0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0][...]) == 1 << 33)
    #expect(TarNumber.parse([UInt8](repeating: 0xff, count: 12)[...]) == -1)
    #expect(TarNumber.parse([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0][...]) == -256)
    #expect(TarNumber.parse([0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][...]) == nil)
  }

  @Test func aSealedBlockIsSealed() {
    var block = TarBlock()
    block.put("name".bytes, in: .name)
    #expect(!block.isSealed)
    block.seal()
    #expect(block.isSealed)
    block.bytes[0] ^= 1
    #expect(!block.isSealed)
  }

  @Test(
    arguments: [
      (0, 0, "0"), (1, 500_000_000, "1.5"), (-1, 0, "-1"), (-2, 500_000_000, "-1.5"), (-1, 999_999_999, "-0.000000001"),
      (1_700_000_000, 1, "1700000000.000000001"), (Int64.max, 0, "9223372036854775807"),
    ] as [(Int64, UInt32, String)])
  func timesComeBack(_ seconds: Int64, _ nanoseconds: UInt32, _ text: String) {
    let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    #expect(PaxTime.encode(time) == text)
    #expect(PaxTime.decode(text.bytes[...]) == time)
  }

  @Test func timesThatAreNone() {
    for text in ["", "-", ".", "1e5", "1.x", "99999999999999999999", "--1", "0x10"] {
      #expect(PaxTime.decode(text.bytes[...]) == nil, "\(text)")
    }
    #expect(PaxTime.decode("1.1234567899".bytes[...]) == Timestamp(seconds: 1, nanoseconds: 123_456_789))
    #expect(PaxTime.decode("-9223372036854775807.5".bytes[...]) == nil)
  }

  @Test func aRecordCountsItsOwnLength() {
    for count in 0..<1200 {
      var bytes: [UInt8] = []
      PaxRecord.encode("k".bytes, [UInt8](repeating: 7, count: count), into: &bytes)
      var found = 0
      #expect(PaxRecord.decode(bytes) { key, value in found = key.elementsEqual("k".utf8) ? value.count : -1 })
      #expect(found == count)
    }
  }

  @Test func recordsThatAreNone() {
    for text in ["5 a=b\n", "7 a=b\n", "6 a=b", " 6 a=b\n", "6 ab!\n", "99999999999999999999 a=b\n", "6 =ab\n", "2 \n"]
    {
      #expect(!PaxRecord.decode(text.bytes) { _, _ in }, "\(text)")
    }
    #expect(PaxRecord.decode("6 a=b\n\0\0".bytes) { _, _ in })
  }

  @Test func aListOfRightsComesBack() throws {
    let text = "user::rwx,user:1000:r--,group::r-x,group:7:---,mask::r-x,other::---"
    let bytes = try #require(AccessList.bytes(text.bytes[...], isDefault: false))
    #expect(AccessList.text(bytes) == text.bytes)
    #expect(AccessList.permissions(bytes) != nil && AccessList.permissions(Array(bytes.dropLast())) == nil)
    #expect(AccessList.bytes("user::rw-,group::r--,other::r--".bytes[...], isDefault: false) == [])
    #expect(
      AccessList.bytes(
        "user::rw-\nuser:nobody:r--:65534\ngroup::r--\nmask::r--\nother::r--\n".bytes[...], isDefault: false) != nil)
    for text in [
      "user::rw-", "user::rw-,user:joe:r--,group::r--,mask::r--,other::r--", "x::r", "user::rwz,group::r,other::r",
    ] {
      #expect(AccessList.bytes(text.bytes[...], isDefault: false) == nil, "\(text)")
    }
  }
}
