// The output form of `-z`: a tab separates fields, NUL ends a record, and nothing is escaped. The last field may
// contain tabs and line breaks, because only NUL ends it.

enum NullRecords {
  static func bytes(_ records: [[String]]) -> [UInt8] {
    records.flatMap { Array($0.joined(separator: "\t").utf8) + [0] }
  }
}
