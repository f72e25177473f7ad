// The file `bad-blocks`: blocks of packs that a command could not read, and that could not be healed. A save relies on
// nothing in them: it stores again what it finds. A line is only ever added; gc and repair remove those of packs that are
// gone. A note that cannot be written is lost, and the next command that reads the block makes it again.

internal import MementoSystem
internal import Synchronization

package struct BadBlock: Hashable, Sendable {
  let pack: ObjectID
  /// Where the block begins in the pack, in bytes.
  let offset: UInt64

  fileprivate var line: String { "block \(pack) \(offset)\n" }

  fileprivate init(pack: ObjectID, offset: UInt64) {
    self.pack = pack
    self.offset = offset
  }

  fileprivate init?(line: Substring) {
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "block", let pack = ObjectID(hex: String(words[1])),
      let offset = UInt64(words[2])
    else { return nil }
    self.init(pack: pack, offset: offset)
  }
}

package final class BadBlocks: Sendable {
  package static let name = Array("bad-blocks".utf8)
  /// The file is not made longer than this, in bytes.
  private static let sizeLimit = 8 << 20

  private let folder: StoreFolder
  private let blocks = Mutex<Set<BadBlock>>([])

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Reads the file, before a save. A file that cannot be read counts as none: the save is then as before there was such
  /// a file.
  package func load() {
    guard let bytes = try? folder.root.contents(of: BadBlocks.name, limit: BadBlocks.sizeLimit * 2) else { return }
    // A line that was not written as a whole says nothing.
    let found = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { BadBlock(line: $0) }
    blocks.withLock { $0.formUnion(found) }
  }

  func contains(_ pack: @autoclosure () -> ObjectID, _ offset: UInt64) -> Bool {
    blocks.withLock { $0.isEmpty ? false : $0.contains(BadBlock(pack: pack(), offset: offset)) }
  }

  /// Identifies these blocks. Nil when there are none.
  package var digest: ObjectID? {
    let lines = blocks.withLock { $0.map(\.line) }
    return lines.isEmpty ? nil : ObjectID(hashing: Array(lines.sorted().joined().utf8))
  }

  /// Notes a block.
  func add(_ pack: ObjectID, _ offset: UInt64) {
    let block = BadBlock(pack: pack, offset: offset)
    guard blocks.withLock({ $0.insert(block).inserted }) else { return }
    do throws(Errno) {
      try folder.root.createOwnedIfMissing(BadBlocks.name)
      let file = try folder.root.open(BadBlocks.name, .append)
      guard try file.status().size < UInt64(BadBlocks.sizeLimit) else { return }
      try file.write(Array(block.line.utf8))
    } catch {
      // The store cannot be written, or its medium is full.
    }
  }

  /// Forgets the blocks of packs that are not among these, or all of them: nothing is bad any more.
  package func keep(of packs: Set<ObjectID>) {
    load()
    let kept = blocks.withLock { blocks in
      let isSame = blocks.allSatisfy { packs.contains($0.pack) }
      blocks = blocks.filter { packs.contains($0.pack) }
      return isSame ? nil : blocks.map(\.line).sorted()
    }
    guard let kept else { return }
    do throws(Errno) {
      if kept.isEmpty { return try folder.removeFile(BadBlocks.name) }
      try folder.replaceFile(BadBlocks.name, with: Array(kept.joined().utf8), "bad-blocks")
    } catch {
      // Lines of packs that are gone mean nothing.
    }
  }
}
