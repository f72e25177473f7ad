import MementoSystem
import TestSupport
import Testing

struct DescriptorMetadataTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  static let times = [
    Timestamp(seconds: 0, nanoseconds: 0),
    Timestamp(seconds: 0, nanoseconds: 1),
    Timestamp(seconds: -1, nanoseconds: 999_999_999),  // the last moment of 1969
    Timestamp(seconds: -2_147_000_000, nanoseconds: 5),  // December 1901
    Timestamp(seconds: 2_147_483_648, nanoseconds: 123_456_789),  // January 2038, past 31 bits
    Timestamp(seconds: 4_102_444_800, nanoseconds: 999_999_999),  // 2100
  ]

  @Test(arguments: times)
  func keepsTimes(_ time: Timestamp) throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    try file.setModified(time)
    let status = try file.status()
    #expect(status.modified == time)
  }

  @Test(arguments: times)
  func keepsTimesOfLinks(_ time: Timestamp) throws {
    try folder.write("file", [])
    let before = try folder.status("file")
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    try folder.descriptor.setModified(of: "link".bytes, time)
    #expect(try folder.status("link").modified == time)
    #expect(try folder.status("file").modified == before.modified)
  }

  /// Two of these numbers mean "now" and "leave it" to the kernel.
  @Test(arguments: [1_000_000_000, 1_073_741_822, 1_073_741_823, UInt32.max])
  func refusesNanosecondsThatAreNone(_ nanoseconds: UInt32) throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    try file.setModified(Timestamp(seconds: 1000, nanoseconds: 0))
    let bad = Timestamp(seconds: 1000, nanoseconds: nanoseconds)
    #expect(throws: Errno.invalid) { try file.setModified(bad) }
    #expect(throws: Errno.invalid) { try folder.descriptor.setModified(of: "file".bytes, bad) }
    let status = try file.status()
    #expect(status.modified == Timestamp(seconds: 1000, nanoseconds: 0))
  }

  @Test(arguments: [Int64.min, Int64.max])
  func timesBeyondTheFileSystemDoNotTrap(_ seconds: Int64) throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    // Refused or clamped, as the file system likes.
    try? file.setModified(Timestamp(seconds: seconds, nanoseconds: 0))
    let modified = try file.status().modified
    #expect(modified.nanoseconds < 1_000_000_000)
  }

  @Test(arguments: [0o000, 0o400, 0o644, 0o755, 0o1777, 0o2755, 0o4755, 0o7777] as [UInt32])
  func keepsPermissions(_ permissions: UInt32) throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .readWrite)
    try file.setPermissions(permissions)
    let status = try file.status()
    #expect(status.permissions == permissions)
    #expect(status.isRegular)
    try folder.descriptor.setPermissions(of: "file".bytes, 0o640)
    #expect(try folder.status("file").permissions == 0o640)
  }

  @Test func permissionsOfALinkAreNotThoseOfItsTarget() throws {
    try folder.write("file", [])
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    #expect(throws: Errno.self) { try folder.descriptor.setPermissions(of: "link".bytes, 0o777) }
    #expect(try folder.status("file").permissions == 0o600)
  }

  @Test func findsHoles() throws {
    let file = try folder.descriptor.open("file".bytes, .create)
    let size: UInt64 = 8 << 20
    try file.truncate(to: size)
    let empty = try file.nextData(from: 0)
    try file.write(Content.random(4096, seed: 1), at: 1 << 20)
    let data = try file.nextData(from: 0)
    let hole = try file.nextHole(from: 1 << 20)
    let rest = try file.nextData(from: 2 << 20)
    let status = try file.status()
    #expect(status.size == size)
    #expect(empty == nil)
    #expect(data == 1 << 20)
    #expect(hole == (1 << 20) + 4096)
    #expect(rest == nil)
    #expect(status.blocks * 512 < 1 << 20)
    let behind = try file.nextData(from: .max)
    #expect(behind == nil)
    #expect(throws: Errno.noDevice) { _ = try file.nextHole(from: size + 1) }
  }

  @Test func aFullFileHasItsOnlyHoleAtItsEnd() throws {
    let file = try folder.descriptor.open("file".bytes, .create)
    try file.write(Content.random(10_000, seed: 1))
    let data = try file.nextData(from: 5)
    let hole = try file.nextHole(from: 5)
    #expect(data == 5)
    #expect(hole == 10_000)
  }

  @Test func flushesSucceed() throws {
    let file = try folder.descriptor.open("file".bytes, .create)
    try file.write("x".bytes)
    file.adviseSequential()
    file.startWriteback(offset: 0, size: .max)
    try file.flush()
    try file.flushFileSystem()
    try folder.descriptor.flushDirectory()
    let bytes = try file.bytes(at: 0, count: 2)
    #expect(bytes == "x".bytes)
  }

  @Test func ownerOfALinkIsSetOnTheLink() throws {
    guard Host.isSuperuser else { return }
    try folder.write("file", [])
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    try folder.descriptor.setOwner(of: "link".bytes, user: 12_345, group: 54_321)
    let link = try folder.status("link")
    let file = try folder.status("file")
    #expect((link.user, link.group) == (12_345, 54_321))
    #expect(file.user != 12_345)
  }
}
