// Makes the headers of an archive in the pax form. The same entry gives the same bytes each time: there is no time of now and
// no process number in them. A record is written only where the fields of the old form cannot hold a value.

internal import MementoInode
internal import MementoTime

package enum TarWriter {
  /// The headers of an entry. The content follows, and after it `TarBlock.padding(after:)` NULs. `sparse`: for a file with
  /// holes; its map comes first.
  package static func header(_ entry: TarEntry, sparse: SparseLayout? = nil) -> [UInt8] {
    var block = TarBlock()
    var records: [UInt8] = []
    var path = entry.path
    if entry.kind == .directory, path.last != UInt8(ascii: "/") { path.append(UInt8(ascii: "/")) }
    let target = TarWriter.target(of: entry.kind)
    if !isUTF8(path) || !isUTF8(target) { PaxRecord.encode("hdrcharset", "BINARY", into: &records) }
    if sparse == nil {
      if !fits(path) { PaxRecord.encode(Array("path".utf8), path, into: &records) }
      block.put(path, in: .name)
    } else {
      block.put(Array("GNUSparseFile.0/".utf8) + shortName(path), in: .name)
    }
    if !target.isEmpty {
      if !fits(target) { PaxRecord.encode(Array("linkpath".utf8), target, into: &records) }
      block.put(target, in: .target)
    }
    block.kind = kindCharacter(entry.kind)
    putNumbers(of: entry, size: sparse?.storedLength ?? entry.size, into: &block, &records)
    if sparse != nil {
      PaxRecord.encode("GNU.sparse.major", "1", into: &records)
      PaxRecord.encode("GNU.sparse.minor", "0", into: &records)
      PaxRecord.encode(Array("GNU.sparse.name".utf8), path, into: &records)
      PaxRecord.encode("GNU.sparse.realsize", String(entry.size), into: &records)
    }
    for attribute in entry.attributes { encode(attribute, into: &records) }
    finish(&block)
    return records.isEmpty ? block.bytes : extended(records, for: path) + block.bytes
  }

  /// What ends an archive of so many bytes: two blocks of zeros at least, and as many as fill the record.
  package static func end(after size: UInt64) -> [UInt8] {
    let record = UInt64(TarBlock.record)
    let least = size + UInt64(2 * TarBlock.size)
    let whole = (least + record - 1) / record * record
    return [UInt8](repeating: 0, count: Int(whole - size))
  }

  private static func putNumbers(
    of entry: TarEntry, size: UInt64, into block: inout TarBlock, _ records: inout [UInt8]
  ) {
    block.put(UInt64(entry.permissions), in: .mode)
    if !block.put(size, in: .size) { PaxRecord.encode("size", String(size), into: &records) }
    let seconds = UInt64(exactly: entry.modified.seconds)
    if !block.put(seconds ?? 0, in: .modified) || seconds == nil || entry.modified.nanoseconds != 0 {
      PaxRecord.encode("mtime", PaxTime.encode(entry.modified), into: &records)
    }
    if !block.put(UInt64(entry.user), in: .user) { PaxRecord.encode("uid", String(entry.user), into: &records) }
    if !block.put(UInt64(entry.group), in: .group) { PaxRecord.encode("gid", String(entry.group), into: &records) }
    let (major, minor) = device(entry.kind)
    if !block.put(UInt64(major), in: .major) { PaxRecord.encode("SCHILY.devmajor", String(major), into: &records) }
    if !block.put(UInt64(minor), in: .minor) { PaxRecord.encode("SCHILY.devminor", String(minor), into: &records) }
  }

  private static func encode(_ attribute: ExtendedAttribute, into records: inout [UInt8]) {
    if attribute.name == AccessList.accessAttribute, let text = AccessList.text(attribute.value) {
      PaxRecord.encode(Array("SCHILY.acl.access".utf8), text, into: &records)
    } else if attribute.name == AccessList.defaultAttribute, let text = AccessList.text(attribute.value) {
      PaxRecord.encode(Array("SCHILY.acl.default".utf8), text, into: &records)
    } else {
      PaxRecord.encode(AttributeKey.encode(attribute.name), attribute.value, into: &records)
    }
  }

  /// The header of the records, and the records. Programs that do not know pax make a file of it.
  private static func extended(_ records: [UInt8], for path: [UInt8]) -> [UInt8] {
    var block = TarBlock()
    block.put(Array("PaxHeaders/".utf8) + shortName(path), in: .name)
    block.put(0o644, in: .mode)
    for field in [TarBlock.Field.user, .group, .modified, .major, .minor] { block.put(0, in: field) }
    block.put(UInt64(records.count), in: .size)
    block.kind = UInt8(ascii: "x")
    finish(&block)
    let padding = TarBlock.padding(after: UInt64(records.count))
    return block.bytes + records + [UInt8](repeating: 0, count: padding)
  }

  private static func finish(_ block: inout TarBlock) {
    block.put(Array("ustar\0".utf8) + Array("00".utf8), in: .magic)
    block.seal()
  }

  /// Whether a field of 100 bytes holds it, in a form that every program reads alike.
  private static func fits(_ text: [UInt8]) -> Bool {
    text.count <= TarBlock.Field.name.range.count && text.allSatisfy { $0 < 0x80 }
  }

  /// The last name of a path for a header that only old programs look at.
  private static func shortName(_ path: [UInt8]) -> [UInt8] {
    let last = path.split(separator: UInt8(ascii: "/")).last ?? []
    return fits(Array(last)) && last.count <= 80 ? Array(last) : Array("entry".utf8)
  }

  private static func isUTF8(_ text: [UInt8]) -> Bool { String(validating: text, as: UTF8.self) != nil }

  private static func target(of kind: TarKind) -> [UInt8] {
    switch kind {
    case .symbolicLink(let target), .hardLink(let target): target
    default: []
    }
  }

  private static func device(_ kind: TarKind) -> (major: UInt32, minor: UInt32) {
    switch kind {
    case .characterDevice(let major, let minor), .blockDevice(let major, let minor): (major, minor)
    default: (0, 0)
    }
  }

  private static func kindCharacter(_ kind: TarKind) -> UInt8 {
    switch kind {
    case .file: UInt8(ascii: "0")
    case .hardLink: UInt8(ascii: "1")
    case .symbolicLink: UInt8(ascii: "2")
    case .characterDevice: UInt8(ascii: "3")
    case .blockDevice: UInt8(ascii: "4")
    case .directory: UInt8(ascii: "5")
    case .fifo: UInt8(ascii: "6")
    }
  }
}
