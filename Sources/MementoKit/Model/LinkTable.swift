// Hard links: which paths of a snapshot are names of the same file. Kept beside the trees, so that trees depend on nothing
// but what is in them. See docs/format.md, "hard links".

internal import MementoStore

enum LinkTable {
  static let tag = UInt8(ascii: "H")

  /// Each group: how many names, then the names, each as (bytes shared with the name before, further bytes).
  static func encode(_ groups: [[[UInt8]]]) -> [UInt8] {
    var out = ByteWriter()
    out.u8(tag)
    out.varint(UInt64(groups.count))
    var last: [UInt8] = []
    for group in groups {
      out.varint(UInt64(group.count))
      for path in group {
        let shared = zip(last, path).prefix { $0 == $1 }.count
        out.varint(UInt64(shared))
        out.varint(UInt64(path.count - shared))
        out.append(path[shared...])
        last = path
      }
    }
    return out.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(FormatError) -> [[[UInt8]]] {
    var reader = ByteReader(bytes)
    guard try reader.u8() == tag else { throw FormatError("it is not a table of links") }
    let groupCount = try reader.count(atMost: bytes.count)
    var groups: [[[UInt8]]] = []
    var last: [UInt8] = []
    for _ in 0..<groupCount {
      let count = try reader.count(atMost: reader.remaining)
      guard count > 1 else { throw FormatError("a group of one name") }
      var group: [[UInt8]] = []
      for _ in 0..<count {
        let shared = try reader.count(atMost: last.count)
        let more = try reader.count(atMost: reader.remaining)
        let path = Array(last[..<shared]) + (try reader.take(more))
        for name in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
          if let refusal = EntryName.refusal(name) { throw FormatError("a path with \(refusal)") }
        }
        group.append(path)
        last = path
      }
      groups.append(group)
    }
    guard reader.isAtEnd else { throw FormatError("bytes follow the last group") }
    return groups
  }
}
