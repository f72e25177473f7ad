// The output form of `-z`: a tab separates fields, NUL ends a record, and nothing is escaped. The last field may
// contain tabs and line breaks, because only NUL ends it.

enum NullRecords {
  static func bytes(_ records: [[String]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      for (place, field) in record.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: "\t")) }
        bytes.append(contentsOf: field.utf8)
      }
      bytes.append(0)
    }
    return bytes
  }
}
