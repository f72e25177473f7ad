// The files of a store: packs, index tables, refs and the lists beside them, config, journal.

import MementoSystem

@testable import MementoModel
@testable import MementoStore

extension FuzzTarget {
  static let storeTargets = [
    FuzzTarget("pack", runPack), FuzzTarget("parity", runParity), FuzzTarget("block", runBlock),
    FuzzTarget(making: "index", index),
    FuzzTarget("refs", runRefs), FuzzTarget("states", runStates), FuzzTarget("trash", runTrash),
    FuzzTarget(making: "journal", journal), FuzzTarget("config", runConfig), FuzzTarget("unsynced", runUnsynced),
  ]

  // MARK: Packs

  /// The first two bytes are the length of a table of contents, which stands at the end; the blocks are before it. The
  /// header, the footer and the name of the pack are made right.
  private static let runPack: @Sendable ([UInt8]) -> Void = { input in
    guard input.count >= 2 else { return }
    let length = min(Int(input[0]) | Int(input[1]) << 8, input.count - 2)
    let table = Array(input.suffix(length))
    let body = PackFormat.header + input[2..<input.count - length]
    let id = ObjectID(hashing: table)
    var footer = ByteWriter()
    footer.u64(UInt64(body.count))
    footer.u64(UInt64(table.count))
    footer.id(id)
    footer.append(PackFormat.footerMagic)
    let pack = PackReader(MemoryRanges(bytes: body + table + footer.bytes))
    do throws(StoreError) {
      let contents = try PackCheck.contents(pack, named: id)
      let again = try? TableOfContents(contents.contents.encoded(), blockEnd: UInt64(body.count))
      promise(again == contents.contents, "a table of contents that comes back otherwise")
      // Blocks of zeros may be large, and cost time alone.
      guard contents.contents.blocks.allSatisfy({ $0.rawLength <= 1 << 20 }) else { return }
      try PackCheck.readBlobs(pack, of: contents)
    } catch {}
  }

  /// The first byte is the codec, the next three are the size of the unpacked block.
  private static let runBlock: @Sendable ([UInt8]) -> Void = { input in
    guard input.count >= 4, let codec = Codec(rawValue: input[0] % 4) else { return }
    let size = (Int(input[1]) | Int(input[2]) << 8 | Int(input[3]) << 16) % (1 << 20)
    let decompressor = Decompressor()
    var whole = [UInt8](repeating: 0, count: size)
    var start = [UInt8](repeating: 0, count: size / 2)
    input[4...].withUnsafeBytes { stored in
      let isWhole = whole.withUnsafeMutableBytes { decompressor.unpack(codec, stored, into: $0) }
      let hasStart = start.withUnsafeMutableBytes { decompressor.unpackStart(codec, stored, into: $0) }
      // A stream has a limit for its window, and refuses some frames that fit into memory as a whole.
      if isWhole, hasStart { promise(whole.starts(with: start), "a block whose start unpacks otherwise") }
    }
  }

  /// The first two bytes are the room of the pieces, the rest is the table of a parity file.
  private static let runParity: @Sendable ([UInt8]) -> Void = { input in
    guard input.count >= 2 else { return }
    let bytes = Array(input[2...])
    let room = UInt64(input[0]) | UInt64(input[1]) << 8
    guard let table = try? ParityTable(bytes, room: room) else { return }
    promise(table.pieces.reduce(0) { $0 + $1.size } == room, "pieces that are not as long as their room")
    promise((try? ParityTable(table.encoded(), room: room)) == table, "a table of parity that comes back otherwise")
  }

  // MARK: The index

  /// A table whose checksum and length are made right.
  private static let index: @Sendable () throws -> ([UInt8]) -> Void = {
    let scratch = try ScratchFile()
    return { runIndex($0, scratch) }
  }

  private static func runIndex(_ input: [UInt8], _ scratch: ScratchFile) {
    var bytes = IndexTable.magic + input
    guard bytes.count >= IndexTable.headerSize else { return }
    func word(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) } }
    let (packs, blocks, rows, bits) = (word(16), word(20), word(24), word(28))
    // Larger ones are refused for their length, which needs no fuzzer.
    guard packs < 1 << 10, blocks < 1 << 10, rows < 1 << 10, bits < 12 else { return }
    let header = IndexTable.headerSize + packs * PackRows.rowSize + blocks * IndexBlocks.recordSize + (4 << bits) + 4
    let size = header + rows * IndexTable.entrySize
    bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    let sum = crc32(bytes[..<(header - 4)])
    for index in 0..<4 { bytes[header - 4 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(index * 8)) }
    do {
      guard let table = try IndexTable(reading: scratch.holding(bytes), named: nil) else { return }
      var ids: [ObjectID] = [.zero]
      try table.forEachEntry { ids.append($0.id) }
      for id in ids { try table.find(id) { _, _ in } }
      for number in -1...table.blockCount { _ = try table.block(number) }
    } catch {}
  }

  // MARK: Refs and what is beside them

  /// The first byte chooses the version. Everything after the checksum is the rest.
  private static let runRefs: @Sendable ([UInt8]) -> Void = { input in
    guard let first = input.first else { return }
    _ = try? decodedRefs(input)
    let body = Array(input.dropFirst())
    let head = "memento refs \(Int(first) % 5 + 1)\nchecksum \(ObjectID(hashing: body))\n"
    guard let refs = try? decodedRefs(Array(head.utf8) + body) else { return }
    let encoded = RefsCodec.encode(refs)
    guard let again = try? decodedRefs(encoded) else { fatalError("refs that are written and cannot be read") }
    promise(RefsCodec.encode(again) == encoded, "refs that are encoded otherwise")
    promise(again.timeline.steps == refs.timeline.steps && again.trash == refs.trash, "refs that come back otherwise")
  }

  /// Every list of states holds the same two.
  private static func decodedRefs(_ bytes: [UInt8]) throws(StoreError) -> Refs {
    try RefsCodec.decode(bytes) { _ throws(StoreError) in
      let id = ObjectID.zero
      do throws(FormatError) {
        return try StateList(Array("\(id) a\n\(id) b\n".utf8))
      } catch {
        throw .damaged(file: "states", reason: error.reason)
      }
    }
  }

  private static let runStates: @Sendable ([UInt8]) -> Void = { input in
    guard let list = try? StateList(input) else { return }
    var text: [UInt8] = []
    for index in 0..<list.count {
      let state = list[index]
      text += Array("\(state.snapshot) \(state.name)\n".utf8)
    }
    promise(text == input, "states that come back otherwise")
  }

  private static let runTrash: @Sendable ([UInt8]) -> Void = { input in
    guard let entries = Trash.entries(input) else { return }
    var lines: [UInt8] = []
    for entry in entries { entry.appendLine(to: &lines) }
    promise(Trash.entries(lines) == entries, "entries of the trash that come back otherwise")
    promise(Trash.merged(entries).count <= entries.count, "entries that became more")
  }

  private static let journal: @Sendable () throws -> ([UInt8]) -> Void = {
    let scratch = try ScratchFile()
    return { input in
      for line in input.split(separator: UInt8(ascii: "\n")) { _ = JournalLine.entry(line) }
      do {
        var reader = JournalReader(try scratch.holding(input), size: UInt64(input.count))
        var count = 0
        while try reader.next() != nil { count += 1 }
        promise(count <= input.count, "more lines than bytes")
      } catch {}
    }
  }

  private static let runConfig: @Sendable ([UInt8]) -> Void = { input in
    _ = try? Config(input)
    _ = try? Config(Array("format = 1\n".utf8) + input)
  }

  private static let runUnsynced: @Sendable ([UInt8]) -> Void = { input in
    let mark = UnsyncedMark(input)
    _ = UnsyncedMark.isFromEarlierStart(input)
    let again = UnsyncedMark(mark.encoded())
    promise(again == mark, "a mark that comes back otherwise")
  }
}

/// A pack in memory.
private struct MemoryRanges: PackRanges {
  let bytes: [UInt8]

  func size() throws(Errno) -> UInt64 { UInt64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
    guard offset < UInt64(bytes.count) else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    bytes[Int(offset)...].withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    return count
  }
}
