import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// New files share their blocks with those of the folder. A copy stands for what a file system would do.
struct BlockSharingTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/large".bytes, Content.random(3_000_000, seed: 1))
    try shop.folder.write("middle".bytes, Content.random(20_000, seed: 2))
    try shop.folder.write("small".bytes, Content.random(10_000, seed: 3))
    try shop.save("one")
  }

  private typealias Clone = @Sendable (borrowing Descriptor, borrowing Descriptor) throws(Errno) -> Void

  private func options(_ clone: @escaping Clone = copy) -> OpenOptions {
    var options = RepositoryFixture.quick
    options.cloning = FileCloning(isPossible: always, clone: clone)
    return options
  }

  private func place(_ name: String) -> BytePath { BytePath(shop.directory.path).appending(name.bytes) }

  /// Forks, and checks that the fork is what a restore without any sharing gives.
  private func fork(_ options: OpenOptions) throws -> RestoreSummary {
    let (plain, _) = try shop.extract("one", to: "plain")
    let repository = try Repository.find(from: BytePath(shop.folder.path), options: options)
    let summary = try repository.fork("one", to: place("fork"), options: options)
    #expect(try Manifest(FolderTools(place("fork").bytes)).differences(from: Manifest(plain)) == [])
    #expect(summary.restore.problems == [])
    return summary.restore
  }

  @Test func aForkSharesLargeFiles() throws {
    let summary = try fork(options())
    #expect(summary.bytesShared == 3_020_000 && summary.bytesWritten == 10_000)
  }

  @Test func aRestoreIntoAnotherFolder() throws {
    let options = options()
    let repository = try Repository.find(from: BytePath(shop.folder.path), options: options)
    let summary = try repository.restore("one", to: place("other"))
    #expect(summary.bytesShared == 3_020_000 && summary.bytesWritten == 10_000)
    let (plain, _) = try shop.extract("one", to: "plain")
    #expect(try Manifest(FolderTools(place("other").bytes)).differences(from: Manifest(plain)) == [])
  }

  /// Neither a file of the same size and time with other content, nor one that is not there, nor a link.
  @Test(arguments: [false, true]) func whatOnlyLooksTheSame(_ isWhole: Bool) throws {
    let time = try #require(Manifest(shop.folder).entries["d/large".bytes])
    var other = Content.random(3_000_000, seed: 1)
    other[isWhole ? 0 : 2_999_999] ^= 1
    try shop.folder.write("d/large".bytes, other)
    try shop.folder.setTime("d/large".bytes, Int(time.seconds), Int(time.nanoseconds))
    try shop.folder.remove("middle".bytes)
    try shop.folder.makeLink("middle".bytes, to: "small".bytes)
    let summary = try fork(options())
    #expect(summary.bytesShared == 0 && summary.bytesWritten == 3_030_000)
  }

  /// What the file system gives is looked at, and not what was promised.
  @Test func copiesThatAreWrong() throws {
    #expect(try fork(options(copyWithError)).bytesShared == 0)
  }

  @Test func aCopyThatIsTooLong() throws {
    #expect(try fork(options(copyAndMore)).bytesShared == 0)
  }

  @Test func aCopyThatFails() throws {
    #expect(try fork(options(fail)).bytesShared == 0)
  }

  @Test func aFileSystemThatCannot() throws {
    var options = options()
    options.cloning = FileCloning(isPossible: never, clone: copy)
    #expect(try fork(options).bytesShared == 0)
  }

  /// A hole is a part of what a snapshot says: a file with one comes from the store.
  @Test func holesAreAsTheyWere() throws {
    var bytes = Content.random(3_000_000, seed: 4)
    bytes.replaceSubrange(1_000_000..<2_000_000, with: Array(repeating: 0, count: 1_000_000))
    try shop.folder.write("d/large".bytes, bytes)
    try shop.folder.write("middle".bytes, Array(repeating: 0, count: 65_536))
    try shop.folder.write("d/sparse".bytes, [])
    try shop.folder.truncate("d/sparse".bytes, to: 4_000_000)
    try shop.folder.patch("d/sparse".bytes, Content.random(100_000, seed: 5), at: 3_900_000)
    try shop.save("one")
    let summary = try fork(options())
    #expect(summary.bytesShared > 0)
  }
}

// What a file system can do, and how it can fail.

@Sendable private func always(_: borrowing Descriptor, _: borrowing Descriptor) -> Bool { true }

@Sendable private func never(_: borrowing Descriptor, _: borrowing Descriptor) -> Bool { false }

@Sendable private func copy(_ to: borrowing Descriptor, _ from: borrowing Descriptor) throws(Errno) {
  try to.write(from.contents())
}

@Sendable private func copyWithError(_ to: borrowing Descriptor, _ from: borrowing Descriptor) throws(Errno) {
  var bytes = try from.contents()
  bytes[bytes.count - 1] ^= 1
  try to.write(bytes)
}

@Sendable private func copyAndMore(_ to: borrowing Descriptor, _ from: borrowing Descriptor) throws(Errno) {
  try to.write(from.contents() + [0])
}

@Sendable private func fail(_ to: borrowing Descriptor, _: borrowing Descriptor) throws(Errno) {
  try to.write([1, 2, 3])
  throw .noSpace
}
