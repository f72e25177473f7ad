// Archives made by hand: headers that no program writes any more, and headers that only an attacker writes.

import TestSupport

struct HandMade {
  private(set) var bytes: [UInt8] = []

  /// A header with a right checksum. `size`: what it declares, where that is not the length of the content.
  mutating func add(
    _ name: String, type: Character = "0", content: [UInt8] = [], target: String = "", size: [UInt8]? = nil,
    magic: [UInt8] = "ustar\u{0}00".bytes, prefix: String = "", mode: String = "0000644",
    user: [UInt8] = "0001750".bytes,
    rest: [(Int, [UInt8])] = []
  ) {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: [UInt8], _ offset: Int) { block.replaceSubrange(offset..<offset + text.count, with: text) }
    put(name.bytes, 0)
    put(mode.bytes, 100)
    put(user, 108)
    put("0001750".bytes, 116)
    put(size ?? octal(content.count), 124)
    put("00000000144".bytes, 136)
    put(Array(String(type).utf8), 156)
    if type == "\u{0}" { block[156] = 0 }
    put(target.bytes, 157)
    put(magic, 257)
    put(prefix.bytes, 345)
    for (offset, text) in rest { put(text, offset) }
    put("        ".bytes, 148)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(octal(sum).suffix(6) + [0, 0x20], 148)
    bytes += block
    add(raw: content)
  }

  /// Bytes and their padding.
  mutating func add(raw content: [UInt8]) {
    bytes += content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
  }

  /// A pax header.
  mutating func add(records: [(String, String)], type: Character = "x") {
    var out: [UInt8] = []
    for (key, value) in records {
      var length = key.utf8.count + value.utf8.count + 4
      while "\(length)".utf8.count + key.utf8.count + value.utf8.count + 3 != length { length += 1 }
      out += "\(length) \(key)=\(value)\n".bytes
    }
    add("PaxHeaders/x", type: type, content: out)
  }

  /// With the end.
  var whole: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }

  private func octal(_ number: Int) -> [UInt8] {
    let digits = String(number, radix: 8)
    return (String(repeating: "0", count: 11 - digits.utf8.count) + digits).bytes
  }
}
