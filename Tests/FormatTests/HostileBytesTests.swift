// Stores with forged or unusual bytes. memento refuses them or does no harm, and never crashes.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit
@testable import MementoStore

struct HostileBytesTests {
  private let directory: TemporaryDirectory
  private let repository: Repository

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("file", "x".bytes)
    repository = try Repository.create(folder: BytePath(directory.path), compression: "none")
  }

  private func put(_ blobs: [[UInt8]]) throws {
    let writer = try repository.store.packWriter()
    var block = repository.store.blockWriter(writer, .meta)
    for blob in blobs { try blob.withUnsafeBytes { try block.add(ObjectID(hashing: blob), $0) } }
    try block.flush()
    try writer.finish()
  }

  private func snapshot(_ lines: [String]) -> [UInt8] {
    let common = ["files 0", "bytes 0", "time 2026-06-01T14:00:00.000000000Z", "changes 0 0 0", "complete yes"]
    return (lines + common).map { "\($0)\n" }.joined().bytes
  }

  private func code(_ body: () throws -> Void) -> RepositoryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RepositoryError)?.code
    }
  }

  @Test func theGenerationMayBeAtItsEnd() throws {
    let refs = RefsCodec.encode(Refs())
    let body = "generation \(UInt64.max)\nposition -\n".bytes
    #expect(refs.count > body.count)
    try directory.write(
      ".memento/refs", "memento refs 1\nchecksum \(ObjectID(hashing: body))\n".bytes + body)
    _ = try repository.save(SaveOptions(name: "one"))
    #expect(try repository.states().map(\.name) == ["one"])
  }

  @Test func aLaterSnapshotIsNotCalledDamaged() throws {
    let later = snapshot(["memento snapshot 2", "tree-of-another-kind x"])
    let other = snapshot(["memento snapshots"])
    try put([later, other])
    #expect(code { _ = try repository.snapshot("\(ObjectID(hashing: later))") } == .newerFormat)
    // This blob is not a snapshot of any version.
    #expect(code { _ = try repository.snapshot("\(ObjectID(hashing: other))") } == .noSuchState)
  }

  @Test func unknownLinesOfASnapshotAreIgnored() throws {
    let blob = snapshot(["memento snapshot 1", "value 0 0 \(ObjectID.zero)", "colour blue"])
    try put([blob])
    #expect(try repository.snapshot("\(ObjectID(hashing: blob))").kind == .value)
  }

  /// memento builds lists in memory. A chunk that is longer than its list says could fill the memory many times over.
  @Test func aListHasTheLengthThatItsSnapshotSays() throws {
    let chunk = Content.text(5000, seed: 1)
    let tree: [UInt8] = [UInt8(ascii: "T"), 0, 0]
    let blob = snapshot([
      "memento snapshot 1", "tree \(ObjectID(hashing: tree))", "root 755 0 0 0 0",
      "unrecorded 1 1 \(ObjectID(hashing: chunk))",
    ])
    try put([chunk, tree, blob])
    let record = try SnapshotRecord(blob)
    #expect(code { _ = try SnapshotLists(repository).unrecorded(of: record) } == .damaged)
  }

  @Test func onlyAStoreIsCalledAStore() {
    for name in [".memento", ".MEMENTO", ".Memento"] { #expect(EntryName.isStore(name.utf8), "\(name)") }
    for name in ["\u{0e}memento", "memento", ".mementos", ".memento ", "_memento", ".mem\u{05}nto"] {
      #expect(!EntryName.isStore(name.utf8), "\(name)")
    }
  }

  /// The stat cache is derived data, but a stranger may have written it.
  @Test func aStatCacheThatPromisesTooMuchIsDropped() throws {
    _ = try repository.save()
    var bytes = try directory.read(".memento/cache/stat")
    for (place, value) in [(44, UInt64(UInt32.max)), (88, .max), (80, .max)] {
      var forged = bytes
      for index in 0..<(place == 44 ? 4 : 8) {
        forged[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
      }
      let sum = crc32(forged[..<96])
      for index in 0..<4 { forged[96 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(index * 8)) }
      try directory.write(".memento/cache/stat", forged)
      #expect(try repository.save().snapshot.files == 1)
    }
    bytes = try directory.read(".memento/cache/stat")
    #expect(bytes.starts(with: StatCache.magic))
  }

  /// A file that was removed during a save is in the table of links and not in the tree.
  @Test func aLinkToNothingTakesNothingAway() throws {
    let content = "x".bytes
    var entry = ByteWriter()
    TreeEntryCodec.encode(
      TreeEntry(
        name: "b".bytes,
        metadata: FileMetadata(
          permissions: 0o600, user: Host.effectiveUser, group: 0, modified: Timestamp(seconds: 0, nanoseconds: 0)),
        content: .file(size: 1, FileContent(level: 1, id: ObjectID(hashing: content)))), into: &entry)
    let tree = [UInt8(ascii: "T"), 0, 1] + entry.bytes
    let links = LinkTable.encode([["a".bytes, "b".bytes]])
    let blob = snapshot([
      "memento snapshot 1", "tree \(ObjectID(hashing: tree))", "root 755 0 0 0 0",
      "links \(links.count) 1 \(ObjectID(hashing: links))",
    ])
    try put([content, tree, links, blob])
    _ = try repository.restore("\(ObjectID(hashing: blob))", to: BytePath("\(directory.path)/copy"))
    #expect(try directory.read("copy/b") == content)
  }
}
