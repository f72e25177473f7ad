// Makes an entry of a header and of the pax records before it. Records count more.

internal import MementoInode
internal import MementoTime

struct HeaderFields {
  /// Its size is still 0.
  let entry: TarEntry
  private(set) var problems: [String] = []
  private(set) var isUnknown = false
  /// Whether bytes follow.
  let hasContent: Bool
  /// Whether they are those of a file.
  var isFile: Bool { entry.kind == .file && !isUnknown }

  /// An owner that no system has. It is the one that Linux shows for those it cannot show.
  private static let nobody: UInt32 = 65534
  private static let ustar = Array("ustar\0".utf8)
  /// At the end of the header: the sign of star, whose prefix is shorter.
  private static let starMark = 508..<512
  private static let starPrefix = 131

  init(_ block: TarBlock, _ pax: PaxFields) {
    var problems: [String] = []
    let path = pax.sparseName ?? pax.path ?? HeaderFields.path(block)
    let target = pax.target ?? block.text(.target)
    func number(_ field: TarBlock.Field, _ name: String) -> Int64 {
      if let number = TarNumber.parse(block.raw(field)) { return number }
      problems.append("its \(name) cannot be read")
      return 0
    }
    func owner(_ given: UInt64?, _ field: TarBlock.Field, _ name: String) -> UInt32 {
      let found = given ?? UInt64(exactly: number(field, name)) ?? .max
      // The largest one means "leave it as it is" to the system.
      if let owner = UInt32(exactly: found), owner != .max { return owner }
      problems.append("its \(name) is not one that a system has, and is recorded as \(HeaderFields.nobody)")
      return HeaderFields.nobody
    }
    func device() -> (UInt32, UInt32)? {
      let major = pax.major ?? UInt64(exactly: number(.major, "device")) ?? .max
      let minor = pax.minor ?? UInt64(exactly: number(.minor, "device")) ?? .max
      guard let major = UInt32(exactly: major), let minor = UInt32(exactly: minor) else { return nil }
      return (major, minor)
    }
    var kind = TarKind.file
    var hasContent = false
    switch block.kind {
    case UInt8(ascii: "1"): kind = .hardLink(target: target)
    case UInt8(ascii: "2"): kind = .symbolicLink(target: target)
    case UInt8(ascii: "3"), UInt8(ascii: "4"):
      if let (major, minor) = device() {
        kind =
          block.kind == UInt8(ascii: "3")
          ? .characterDevice(major: major, minor: minor) : .blockDevice(major: major, minor: minor)
      } else {
        problems.append("a device whose numbers cannot be")
        isUnknown = true
      }
    case UInt8(ascii: "5"): kind = .directory
    case UInt8(ascii: "D"):
      kind = .directory
      hasContent = true
    case UInt8(ascii: "6"): kind = .fifo
    case UInt8(ascii: "M"), UInt8(ascii: "N"), UInt8(ascii: "A"), UInt8(ascii: "I"):
      problems.append("an entry of the type \(Character(Unicode.Scalar(block.kind)))")
      isUnknown = true
      hasContent = true
    default:
      hasContent = true
      // Before there was a type for folders, a slash at the end of the name said so.
      if block.kind == 0 || block.kind == UInt8(ascii: "0"), path.last == UInt8(ascii: "/") { kind = .directory }
    }
    let seconds = pax.modified == nil ? number(.modified, "time") : 0
    let mode = number(.mode, "mode")
    entry = TarEntry(
      path: path, kind: kind, permissions: UInt32(truncatingIfNeeded: mode) & 0o7777,
      user: owner(pax.user, .user, "owner"), group: owner(pax.group, .group, "group"),
      modified: pax.modified ?? Timestamp(seconds: seconds, nanoseconds: 0),
      attributes: pax.attributes.map { ExtendedAttribute(name: $0.key, value: $0.value) }
        .sorted { $0.name.lexicographicallyPrecedes($1.name) })
    self.hasContent = hasContent
    self.problems = problems
  }

  private static func path(_ block: TarBlock) -> [UInt8] {
    let name = block.text(.name)
    // GNU's own form has other things in the place of the prefix.
    guard block.raw(.magic).starts(with: ustar) else { return name }
    var prefix = block.text(.prefix)
    if block.bytes[starMark].elementsEqual("tar\0".utf8) { prefix = Array(prefix.prefix(starPrefix)) }
    return prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
  }
}
