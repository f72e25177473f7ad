// What a check of the store reads.

/// How much of the stored bytes `verify` reads. It always checks that nothing is missing.
public struct VerifyOptions: Sendable {
  /// How much is read, in percent of all stored bytes: 0 reads none, 100 everything. With less than 100, each check reads
  /// another part, until all of it was read. Values outside of 0...100 count as the nearest of these.
  public var readPercent: Double
  /// Only what was not read since this time is read; nil reads it in any case.
  public var notReadSince: SnapshotTime?

  /// `readPercent`: how much is read, see there.
  public init(readPercent: Double = 0) {
    self.readPercent = readPercent
  }

  /// Whether every byte is read.
  var readsAll: Bool { readPercent >= 100 && notReadSince == nil }
}
