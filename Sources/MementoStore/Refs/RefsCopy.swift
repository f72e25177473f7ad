// Reads the second copy of `refs` in the place of damaged ones, where it is certain that both are of the same commit.

internal import MementoSystem

extension LocalRefs {
  /// The copy in `backup/`, if it is of the same commit as the damaged `refs`. That is so when a part of `refs` that is
  /// left says so: the line of the checksum, or all that comes after it. It is also so when both files have the same size
  /// and the same time of modification, to the nanosecond: the copy gets that time when it is written.
  package func intactCopy(of damaged: [UInt8]?) throws(StoreError) -> StoredRefs? {
    guard let copy = try StoreBackup(folder).refsAndTime(), RefsCodec.isWhole(copy.bytes) else { return nil }
    let found = StoredRefs(bytes: copy.bytes, version: LocalRefs.version(copy.bytes))
    let sum = RefsCodec.statedSum(copy.bytes)
    if let damaged, damaged.count >= RefsCodec.headLength,
      RefsCodec.statedSum(damaged) == sum || RefsCodec.sum(damaged) == sum
    {
      return found
    }
    do throws(Errno) {
      let status = try folder.root.status(of: StoreFolder.refsName)
      return status.isRegular && status.size == UInt64(copy.bytes.count) && status.modified == copy.modified
        ? found : nil
    } catch {
      // Nothing says that they are the same.
      return nil
    }
  }
}

extension RefsCodec {
  /// Whether two `refs` have different first lines, and nothing else that differs.
  static func differOnlyInVersion(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let length = firstLine.utf8.count + 1
    return one.count == other.count && one != other && one.dropFirst(length) == other.dropFirst(length)
  }

  /// The text of the checksum in the second line.
  fileprivate static func statedSum(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes[(headLength - 65)..<(headLength - 1)]
  }

  /// The text of the checksum of what comes after the second line.
  fileprivate static func sum(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let sum = bytes.withUnsafeBytes { ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[headLength...])) }
    return Array(sum.description.utf8)[...]
  }

  /// Whether the bytes have the checksum that they state.
  fileprivate static func isWhole(_ bytes: [UInt8]) -> Bool {
    bytes.count >= headLength && statedSum(bytes) == sum(bytes)
  }
}

extension StoreBackup {
  /// The copy of `refs`, unchecked, and its time of modification. Nil when there is no such file, or it cannot be read:
  /// `refs` are as damaged as they are then.
  fileprivate func refsAndTime() throws(StoreError) -> (bytes: [UInt8], modified: Timestamp)? {
    do throws(Errno) {
      let file = try openFolder().open(StoreFolder.refsName, .read)
      // Before the bytes: what is written meanwhile makes the time older than the bytes, and so no match.
      let modified = try file.status().modified
      return (try file.contents(limit: StoreBackup.longestRefs), modified)
    } catch {
      return nil
    }
  }
}
