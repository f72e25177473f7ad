// Extended attributes as pax records: `SCHILY.xattr.NAME=VALUE`, as star, GNU tar and libarchive write them.

package enum AttributeKey {
  package static let prefix = Array("SCHILY.xattr.".utf8)

  /// The key of an attribute. A key cannot hold an equals sign; it is written as GNU tar does.
  package static func encode(_ name: [UInt8]) -> [UInt8] {
    var key = prefix
    for byte in name {
      switch byte {
      case UInt8(ascii: "="): key += Array("%3D".utf8)
      case UInt8(ascii: "%"): key += Array("%25".utf8)
      default: key.append(byte)
      }
    }
    return key
  }

  /// The name of an attribute. `key` is without the prefix.
  package static func decode(_ key: ArraySlice<UInt8>) -> [UInt8] {
    var name: [UInt8] = []
    var rest = key
    while let byte = rest.first {
      if rest.starts(with: Array("%3D".utf8)) {
        name.append(UInt8(ascii: "="))
        rest = rest.dropFirst(3)
      } else if rest.starts(with: Array("%25".utf8)) {
        name.append(UInt8(ascii: "%"))
        rest = rest.dropFirst(3)
      } else {
        name.append(byte)
        rest = rest.dropFirst()
      }
    }
    return name
  }
}
