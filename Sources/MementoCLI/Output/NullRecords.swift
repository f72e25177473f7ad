// The form of `-z`: fields separated by a tab, records ended by a NUL, nothing escaped. The last field may itself hold
// tabs and line ends: it ends with the record.

enum NullRecords {
  static func bytes(_ records: [[String]]) -> [UInt8] {
    records.flatMap { Array($0.joined(separator: "\t").utf8) + [0] }
  }
}
