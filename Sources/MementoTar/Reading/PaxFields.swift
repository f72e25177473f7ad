// What the pax records before an entry say. Records of a global header hold for all entries behind it.

internal import MementoInode
internal import MementoTime

struct PaxFields: Sendable {
  var path: [UInt8]?
  var target: [UInt8]?
  var size: UInt64?
  var user: UInt64?
  var group: UInt64?
  var modified: Timestamp?
  var major: UInt64?
  var minor: UInt64?
  var attributes: [[UInt8]: [UInt8]] = [:]
  var sparseMajor: UInt64?
  var sparseMinor: UInt64?
  var sparseName: [UInt8]?
  var realSize: UInt64?
  /// Offsets and lengths in turn, of the forms 0.0 and 0.1.
  var sparseNumbers: [UInt64]?
  /// What cannot be taken over, each as a phrase.
  var problems: [String] = []
  /// Why the entry cannot be read at all.
  var failure: String?

  /// Adds records. False: the bytes are not records.
  mutating func add(_ bytes: [UInt8]) -> Bool {
    PaxRecord.decode(bytes) { key, value in add(String(decoding: key, as: UTF8.self), key, value) }
  }

  private mutating func add(_ name: String, _ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
    switch name {
    case "path": path = text(value)
    case "linkpath": target = text(value)
    case "size": size = number(value, name)
    case "uid": user = identifier(value, name)
    case "gid": group = identifier(value, name)
    case "mtime":
      modified = value.isEmpty ? nil : PaxTime.decode(value)
      if modified == nil, !value.isEmpty { problems.append("its time cannot be read") }
    case "SCHILY.devmajor": major = number(value, name)
    case "SCHILY.devminor": minor = number(value, name)
    case "GNU.sparse.major": sparseMajor = number(value, name)
    case "GNU.sparse.minor": sparseMinor = number(value, name)
    case "GNU.sparse.name": sparseName = text(value)
    case "GNU.sparse.size", "GNU.sparse.realsize": realSize = number(value, name)
    case "GNU.sparse.numblocks": sparseNumbers = sparseNumbers ?? []
    case "GNU.sparse.offset", "GNU.sparse.numbytes": addSparse(value, name)
    case "GNU.sparse.map":
      sparseNumbers = []
      for part in value.split(separator: UInt8(ascii: ",")) { addSparse(part, name) }
    case "SCHILY.acl.access": addList(value, AccessList.accessAttribute)
    case "SCHILY.acl.default": addList(value, AccessList.defaultAttribute)
    case "RHT.security.selinux": addAttribute(Array("security.selinux".utf8), value + [0])
    default:
      if key.starts(with: AttributeKey.prefix) {
        addAttribute(AttributeKey.decode(key.dropFirst(AttributeKey.prefix.count)), value)
      } else if name.hasPrefix("SCHILY.acl.") {
        problems.append("its access list of the kind \(name) cannot be kept")
      }
    }
  }

  /// An empty value takes back what a global header says.
  private func text(_ value: ArraySlice<UInt8>) -> [UInt8]? { value.isEmpty ? nil : Array(value) }

  private mutating func number(_ value: ArraySlice<UInt8>, _ name: String) -> UInt64? {
    if value.isEmpty { return nil }
    guard let number = PaxRecord.number(value), number <= UInt64(Int64.max) else {
      failure = "the record \(name) has no usable number"
      return nil
    }
    return number
  }

  /// An owner that is no number below 2^64 counts as too large for any system.
  private mutating func identifier(_ value: ArraySlice<UInt8>, _ name: String) -> UInt64? {
    value.isEmpty ? nil : PaxRecord.number(value) ?? .max
  }

  private mutating func addSparse(_ value: ArraySlice<UInt8>, _ name: String) {
    guard let number = number(value, name) else {
      failure = "the record \(name) has no usable number"
      return
    }
    guard sparseNumbers?.count ?? 0 < 2 * TarLimit.pieces else {
      failure = "a file with more than \(TarLimit.pieces) pieces"
      return
    }
    sparseNumbers = sparseNumbers ?? []
    sparseNumbers?.append(number)
  }

  private mutating func addAttribute(_ name: [UInt8], _ value: some Sequence<UInt8>) {
    if name.isEmpty || name.count > 255 || name.contains(0) {
      problems.append("an attribute whose name cannot be")
    } else {
      attributes[name] = Array(value)
    }
  }

  private mutating func addList(_ value: ArraySlice<UInt8>, _ name: [UInt8]) {
    if value.isEmpty { return }
    guard let bytes = AccessList.bytes(value, isDefault: name == AccessList.defaultAttribute) else {
      problems.append("its access list cannot be read, or names users without their numbers")
      return
    }
    if !bytes.isEmpty { attributes[name] = bytes }
  }
}
