// Access control lists: Linux keeps them as binary attributes, and archives hold them as text.

/// An ACL of POSIX.1e, between the bytes of `system.posix_acl_access` and the text `user::rwx,user:1000:r--,…`.
package enum AccessList {
  package static let accessAttribute = Array("system.posix_acl_access".utf8)
  package static let defaultAttribute = Array("system.posix_acl_default".utf8)

  private static let version: UInt32 = 2
  private static let undefined = UInt32.max
  private static let ownerTag: UInt16 = 1
  private static let userTag: UInt16 = 2
  private static let ownerGroupTag: UInt16 = 4
  private static let groupTag: UInt16 = 8
  private static let maskTag: UInt16 = 16
  private static let otherTag: UInt16 = 32

  private struct Entry {
    var tag: UInt16
    var rights: UInt16
    var id: UInt32
  }

  /// The text of a list. Nil when the bytes are not one.
  package static func text(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, number(bytes[0..<4]) == version else { return nil }
    var parts: [String] = []
    for start in stride(from: 4, to: bytes.count, by: 8) {
      let tag = UInt16(number(bytes[start..<start + 2]))
      let rights = number(bytes[start + 2..<start + 4])
      let id = number(bytes[start + 4..<start + 8])
      guard rights < 8 else { return nil }
      let mode = "\(rights & 4 != 0 ? "r" : "-")\(rights & 2 != 0 ? "w" : "-")\(rights & 1 != 0 ? "x" : "-")"
      switch tag {
      case ownerTag: parts.append("user::\(mode)")
      case userTag: parts.append("user:\(id):\(mode)")
      case ownerGroupTag: parts.append("group::\(mode)")
      case groupTag: parts.append("group:\(id):\(mode)")
      case maskTag: parts.append("mask::\(mode)")
      case otherTag: parts.append("other::\(mode)")
      default: return nil
      }
    }
    return parts.isEmpty ? nil : Array(parts.joined(separator: ",").utf8)
  }

  /// The bytes of a list. Empty: it says no more than the mode. Nil: it cannot be read, or it names users by names alone.
  package static func bytes(_ text: ArraySlice<UInt8>, isDefault: Bool) -> [UInt8]? {
    var entries: [Entry] = []
    for line in text.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\n") }) {
      let said = line.prefix { $0 != UInt8(ascii: "#") }.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
      if said.isEmpty { continue }
      guard let entry = entry(said) else { return nil }
      entries.append(entry)
    }
    entries.sort { ($0.tag, $0.id) < ($1.tag, $1.id) }
    let hasMask = entries.contains { $0.tag == maskTag }
    let isPlain = entries.allSatisfy { [ownerTag, ownerGroupTag, otherTag].contains($0.tag) }
    for tag in [ownerTag, ownerGroupTag, otherTag] where entries.count(where: { $0.tag == tag }) != 1 { return nil }
    for (left, right) in zip(entries, entries.dropFirst()) where left.tag == right.tag && left.id == right.id {
      return nil
    }
    if isPlain, !isDefault { return [] }
    guard isPlain || hasMask else { return nil }
    var out = little(version, 4)
    for entry in entries { out += little(UInt32(entry.tag), 2) + little(UInt32(entry.rights), 2) + little(entry.id, 4) }
    return out
  }

  /// The mode of a file with this list: the rights of the owner, of the mask and of all others (acl(5)). Some archivers keep
  /// those of the owner's group in the mode instead. Nil when the list does not say all three.
  package static func permissions(_ bytes: [UInt8]) -> UInt32? {
    var found: [UInt16: UInt32] = [:]
    guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, number(bytes[0..<4]) == version else { return nil }
    for start in stride(from: 4, to: bytes.count, by: 8) {
      found[UInt16(number(bytes[start..<start + 2]))] = number(bytes[start + 2..<start + 4]) & 7
    }
    guard let owner = found[ownerTag], let group = found[maskTag] ?? found[ownerGroupTag], let other = found[otherTag]
    else { return nil }
    return owner << 6 | group << 3 | other
  }

  /// `user:NAME:rwx` with a number as its name, or with the number behind it, as star writes it.
  private static func entry(_ line: [UInt8]) -> Entry? {
    let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard fields.count >= 3, let rights = rights(fields[2]) else { return nil }
    let who = fields[1]
    let kind = String(decoding: fields[0], as: UTF8.self)
    var id = undefined
    if !who.isEmpty {
      guard let found = fields.count > 3 ? PaxRecord.number(fields[3]) : PaxRecord.number(who),
        let number = UInt32(exactly: found)
      else { return nil }
      id = number
    }
    switch (kind, who.isEmpty) {
    case ("user", true), ("u", true): return Entry(tag: ownerTag, rights: rights, id: id)
    case ("user", false), ("u", false): return Entry(tag: userTag, rights: rights, id: id)
    case ("group", true), ("g", true): return Entry(tag: ownerGroupTag, rights: rights, id: id)
    case ("group", false), ("g", false): return Entry(tag: groupTag, rights: rights, id: id)
    case ("mask", true), ("m", true): return Entry(tag: maskTag, rights: rights, id: id)
    case ("other", true), ("o", true): return Entry(tag: otherTag, rights: rights, id: id)
    default: return nil
    }
  }

  private static func rights(_ text: ArraySlice<UInt8>) -> UInt16? {
    var rights: UInt16 = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: "r"): rights |= 4
      case UInt8(ascii: "w"): rights |= 2
      case UInt8(ascii: "x"): rights |= 1
      case UInt8(ascii: "-"): break
      default: return nil
      }
    }
    return rights
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func little(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
}
