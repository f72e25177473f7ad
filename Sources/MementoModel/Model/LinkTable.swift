// Hard links: which paths of a snapshot are names of the same file. They are stored beside the trees, so that a tree
// depends only on its own entries. See docs/format.md, "hard links".

package enum LinkTable {
  package static let tag = UInt8(ascii: "H")

  /// Encodes groups of paths. Each group is the number of its names and then the names. Each name is the number of
  /// bytes that it shares with the name before, and the remaining bytes.
  package static func encode(_ groups: [[[UInt8]]]) -> [UInt8] {
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

  /// Decodes all groups. `limit`: the most bytes that all names may have in total, since a forged table may let each
  /// name repeat the one before it. Throws when the table is not valid.
  package static func decode(_ bytes: [UInt8], limit: Int = .max) throws(FormatError) -> [[[UInt8]]] {
    var reader = try LinkTableReader(bytes)
    var groups: [[[UInt8]]] = []
    var left = limit
    while let isFirst = try reader.next() {
      guard reader.name.count <= left else { throw FormatError("its names are longer than what is stored of them") }
      left -= reader.name.count
      if isFirst { groups.append([]) }
      groups[groups.count - 1].append(reader.name)
    }
    return groups
  }
}

/// Decodes the names of a table one after the other. It holds one name at a time.
package struct LinkTableReader {
  /// The name that was read last.
  package private(set) var name: [UInt8] = []
  private var reader: ByteReader
  private var groups: Int
  /// How many names of this group are still to come.
  private var names = 0

  package init(_ bytes: [UInt8]) throws(FormatError) {
    reader = ByteReader(bytes)
    guard try reader.u8() == LinkTable.tag else { throw FormatError("it is not a table of links") }
    groups = try reader.count(atMost: bytes.count)
  }

  /// Reads the next name. Returns whether it is the first of its group. Nil after the last name. Throws when the table
  /// is not valid.
  package mutating func next() throws(FormatError) -> Bool? {
    var isFirst = false
    if names == 0 {
      guard groups > 0 else {
        guard reader.isAtEnd else { throw FormatError("bytes follow the last group") }
        return nil
      }
      groups -= 1
      names = try reader.count(atMost: reader.remaining)
      guard names > 1 else { throw FormatError("a group of one name") }
      isFirst = true
    }
    names -= 1
    let shared = try reader.count(atMost: name.count)
    let more = try reader.count(atMost: reader.remaining)
    name.removeLast(name.count - shared)
    name += try reader.take(more)
    // The shared components were checked with the name before: check only from the first component that differs.
    let slash = name[..<shared].lastIndex(of: UInt8(ascii: "/"))
    for part in name[(slash.map { $0 + 1 } ?? 0)...].split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      if let refusal = EntryName.refusal(part) { throw FormatError("a path with \(refusal)") }
    }
    return isFirst
  }
}
