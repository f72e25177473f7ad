// The blobs of the model, ignore rules, dates, and the difference of texts.

import MementoTime
import Synchronization

@testable import MementoModel

extension FuzzTarget {
  static let modelTargets = [
    FuzzTarget("tree", runTree), FuzzTarget("chunk-list", runChunkList), FuzzTarget("link-table", runLinkTable),
    FuzzTarget("record", runRecord), FuzzTarget("unrecorded", runUnrecorded), FuzzTarget("ignore", runIgnore),
    FuzzTarget("date", runDate), FuzzTarget("text-diff", runTextDiff),
  ]

  /// As many steps as a reader may take here: small inputs can stand for very many.
  private static let budget = 100_000

  private static let runTree: @Sendable ([UInt8]) -> Void = { input in
    let blobs = NumberedBlobs(input)
    var reader = TreeReader(.zero, in: blobs)
    var last: TreeEntry?
    do throws(FuzzFailure) {
      while let entry = try reader.next() {
        if let last { promise(last.name.lexicographicallyPrecedes(entry.name), "entries that are not in order") }
        promise(EntryName.refusal(entry.name[...]) == nil, "an entry whose name cannot be")
        var out = ByteWriter()
        TreeEntryCodec.encode(entry, into: &out)
        var again = ByteReader(out.bytes)
        promise((try? TreeEntryCodec.decode(&again)) == entry && again.isAtEnd, "an entry that comes back otherwise")
        last = entry
      }
    } catch {}
  }

  /// The first byte is the height, the next four are the size of the file.
  private static let runChunkList: @Sendable ([UInt8]) -> Void = { input in
    guard input.count >= 5 else { return }
    let size = input[1..<5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let content = FileContent(level: 2 + input[0] % (FileContent.highestLevel - 1), id: .zero)
    var reader = ChunkListReader(content, size: size, in: NumberedBlobs(Array(input[5...])))
    var total: UInt64 = 0
    var left = budget
    do throws(FuzzFailure) {
      while let piece = try reader.next() {
        total += piece.length
        left -= 1
        if left == 0 { return }
      }
      promise(total == size, "chunks that are not as long as the file")
    } catch {}
  }

  private static let runLinkTable: @Sendable ([UInt8]) -> Void = { input in
    guard let groups = try? LinkTable.decode(input, limit: 1 << 20) else { return }
    let encoded = LinkTable.encode(groups)
    promise((try? LinkTable.decode(encoded)) == groups, "links that come back otherwise")
  }

  private static let runRecord: @Sendable ([UInt8]) -> Void = { input in
    guard let record = try? SnapshotRecord(input) else { return }
    let encoded = record.encoded()
    guard let again = try? SnapshotRecord(encoded) else { fatalError("a record that is written and cannot be read") }
    promise(again.encoded() == encoded, "a record that is encoded otherwise")
  }

  private static let runUnrecorded: @Sendable ([UInt8]) -> Void = { input in
    guard let problems = try? UnrecordedList.decode(input) else { return }
    let encoded = UnrecordedList.encode(problems)
    guard let again = try? UnrecordedList.decode(encoded) else { fatalError("a list that cannot be read") }
    promise(again.count == problems.count, "a list that lost a path")
  }

  /// The first line is a path, the rest a file of rules.
  private static let runIgnore: @Sendable ([UInt8]) -> Void = { input in
    let path = Array(input.prefix { $0 != UInt8(ascii: "\n") })
    // Patterns of many stars take time that grows with both lengths.
    guard input.count <= 1 << 12, !path.isEmpty else { return }
    var options = IgnoreOptions()
    options.readsGitignore = true
    let rules = Array(input.dropFirst(path.count + 1))
    let filter = FolderFilter(RuleSet(options)).entering(FolderRuleFiles(own: rules, git: rules), path: { [] })
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let name = Array(path[(slash.map { $0 + 1 } ?? 0)...])
    for isFolder in [false, true] {
      let size: UInt64? = isFolder ? nil : 0
      let ignores = name.withUnsafeBufferPointer { name in
        path.withUnsafeBufferPointer { filter.ignores(name: name, path: $0, isFolder: isFolder, fileSize: size) }
      }
      let reason = filter.decision(name: name, path: path, isFolder: isFolder, fileSize: size)
      promise(ignores == (reason?.isIgnoring == true), "a reason that differs from the answer")
    }
  }

  private static let runDate: @Sendable ([UInt8]) -> Void = { input in
    let text = String(decoding: input, as: UTF8.self)
    let reader = DateReader(now: { SnapshotTime(seconds: 1_800_000_000, nanoseconds: 5) }, zoneOffset: { _ in 3600 })
    if let start = reader.time(text, .start), let end = reader.time(text, .end) {
      promise(start <= end, "a date that ends before it begins")
    }
    _ = SizeText.bytes(text)
    if let bytes = PercentText.decode(text) {
      promise(PercentText.decode(PercentText.encode(bytes)) == bytes, "bytes that come back otherwise")
    }
    if let time = Timestamp(rfc3339: text) {
      promise(Timestamp(rfc3339: time.rfc3339) == time, "a time that comes back otherwise")
    }
  }

  /// Two texts with a NUL between them. The hunks of their difference turn the first into the second.
  private static let runTextDiff: @Sendable ([UInt8]) -> Void = { input in
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count == 2, let diff = TextDiff(old: parts[0], new: parts[1]) else { return }
    var (old, new): ([UInt8], [UInt8]) = ([], [])
    let hunks = diff.hunks(context: 1 << 20)
    for hunk in hunks {
      diff.forEachLine(of: hunk) { (origin, line) throws(Never) in
        if origin != .new { old += line }
        if origin != .old { new += line }
      }
    }
    promise(hunks.isEmpty ? parts[0] == parts[1] : old == parts[0] && new == parts[1], "a difference that is not one")
  }
}

enum FuzzFailure: BlobFailure {
  case damaged(file: String, reason: String)
  case cancelled
}

/// The input as blobs: a length in two bytes, then the bytes. Any id names one of them, since no mutation finds an id.
private final class NumberedBlobs: BlobSource {
  private let blobs: [[UInt8]]
  private let reads = Mutex(0)

  init(_ input: [UInt8]) {
    var blobs: [[UInt8]] = []
    var rest = input[...]
    while rest.count > 2 {
      let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
      rest = rest.dropFirst(2)
      blobs.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    self.blobs = blobs
  }

  func readMeta(_ id: ObjectID) throws(FuzzFailure) -> [UInt8] {
    // A cycle cannot be stored, since an id depends on what it names. Here it would be endless.
    let count = reads.withLock { reads in
      reads += 1
      return reads
    }
    guard !blobs.isEmpty, count < 1000 else { throw .cancelled }
    return blobs[Int(truncatingIfNeeded: id.words.0 >> 56) % blobs.count]
  }
}
