// Folders with properties that a backup easily loses.

import TestSupport
import Testing

struct FidelitySample: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let name: String
  var needsRoot = false
  let make: @Sendable (FolderTools) throws -> Void

  init(_ name: String, needsRoot: Bool = false, _ make: @escaping @Sendable (FolderTools) throws -> Void) {
    self.name = name
    self.needsRoot = needsRoot
    self.make = make
  }

  var testDescription: String { name }
  var description: String { name }

  static let all = sizes + content + trees + links + nodes + modes + times + owners + attributes + holes + names

  static let sizes: [FidelitySample] = [
    0, 1, 2, 511, 512, 513, 4095, 4096, 4097, 16383, 16384, 16385, 65535, 65536, 65537, 262_143, 262_144, 262_145,
    524_288, 1 << 20,
  ].map { (size: Int) in
    FidelitySample("\(size) bytes") { try $0.write("file".bytes, Content.random(size, seed: UInt64(size))) }
  }

  static let content: [FidelitySample] = [
    FidelitySample("5 MiB, read by all workers") { try $0.write("large".bytes, Content.random(5 << 20, seed: 5)) },
    FidelitySample("the smallest large file and the largest small one") {
      let bytes = Content.random(4 << 20, seed: 6)
      try $0.write("large".bytes, bytes)
      try $0.write("small".bytes, Array(bytes.dropLast()))
    },
    FidelitySample("6 MiB of zeros that are no hole") { try $0.write("zeros".bytes, Content.zeros(6 << 20)) },
    FidelitySample("text") { try $0.write("text".bytes, Content.text(100_000, seed: 7)) },
    FidelitySample("twice the same content") {
      for name in ["a", "b"] { try $0.write(name.bytes, Content.random(300_000, seed: 8)) }
    },
    FidelitySample("an empty folder") { _ in },
  ]

  static let trees: [FidelitySample] = [
    FidelitySample("empty folders") {
      for name in ["a", "a/b", "a/c", "d"] { try $0.makeFolder(name.bytes) }
    },
    FidelitySample("nested folders with files") {
      var path = ""
      for level in 0..<40 {
        path += "\(path.isEmpty ? "" : "/")level \(level)"
        try $0.makeFolder(path.bytes)
        try $0.write("\(path)/file".bytes, "\(level)".bytes)
      }
    },
    FidelitySample("names that sort around a slash") {
      for name in ["a", "a/b"] { try $0.makeFolder(name.bytes) }
      for name in ["a.b", "a-", "a0", "a/b/c", "a/b.c", "a b"] { try $0.write(name.bytes, name.bytes) }
    },
  ]

  static let links: [FidelitySample] = [
    ("dangling", "nowhere".bytes), ("to itself", "link".bytes), ("absolute", "/etc/passwd".bytes),
    ("to the folder above", "..".bytes), ("to the store", ".memento/refs".bytes),
    ("not UTF-8", [0xff, 0xfe, 0x80, UInt8(ascii: "x")]), ("with a newline", "a\nb\u{1b}[2J".bytes),
    ("4,095 bytes", [UInt8](repeating: UInt8(ascii: "x"), count: 4095)),
  ].map { (name: String, target: [UInt8]) in
    FidelitySample("a link \(name)") {
      try $0.makeLink("link".bytes, to: target)
      try $0.setTime("link".bytes, 1_234_567_890, 123_456_789)
    }
  }

  static let nodes: [FidelitySample] = [
    FidelitySample("a fifo") {
      try $0.makeFifo("fifo".bytes, mode: 0o640)
      try $0.setTime("fifo".bytes, 1_000_000_000, 1)
    },
    FidelitySample("a character device", needsRoot: true) {
      try $0.makeDevice("null".bytes, mode: 0o020666, major: 1, minor: 3)
      try $0.setTime("null".bytes, 1_000_000_000, 2)
    },
    FidelitySample("a block device of large numbers", needsRoot: true) {
      try $0.makeDevice("disk".bytes, mode: 0o060600, major: 259, minor: 70_000)
    },
  ]

  static let modes: [FidelitySample] = [
    0o000, 0o001, 0o020, 0o100, 0o200, 0o400, 0o444, 0o600, 0o644, 0o755, 0o777, 0o1000, 0o1777, 0o2000, 0o2755, 0o4000,
    0o4755, 0o6711, 0o7000, 0o7777,
  ].map { (mode: UInt32) in
    FidelitySample("mode \(String(mode, radix: 8))", needsRoot: mode & 0o700 != 0o700) {
      try $0.write("file".bytes, "content".bytes)
      try $0.makeFolder("folder".bytes)
      try $0.write("folder/inner".bytes, "content".bytes)
      try $0.makeFifo("fifo".bytes)
      for name in ["file", "folder/inner", "folder", "fifo"] { try $0.setMode(name.bytes, mode) }
    }
  }

  static let times: [FidelitySample] = [
    (0, 0), (0, 1), (1, 999_999_999), (-1, 0), (-1, 999_999_999), (-31_536_000, 5), (-2_145_916_800, 7),
    (2_147_483_647, 0), (2_147_483_648, 999_999_999), (4_294_967_296, 3), (7_258_118_400, 123_456_789),
    (1_780_315_205, 100),
  ].map { (seconds: Int, nanoseconds: Int) in
    FidelitySample("time \(seconds).\(nanoseconds)") {
      try $0.write("file".bytes, "content".bytes)
      try $0.write("large".bytes, Content.random(300_000, seed: 9))
      try $0.makeFolder("folder".bytes)
      try $0.makeFolder("folder/empty".bytes)
      try $0.write("folder/inner".bytes, [])
      try $0.makeLink("link".bytes, to: "x".bytes)
      for name in ["file", "large", "folder/inner", "folder/empty", "folder", "link"] {
        try $0.setTime(name.bytes, seconds, nanoseconds)
      }
    }
  }

  static let owners: [FidelitySample] = [(1234, 5678), (0, 5678), (1234, 0), (65534, 65534), (4_294_967_294, 7)].map {
    (user: UInt32, group: UInt32) in
    FidelitySample("owner \(user):\(group)", needsRoot: true) {
      try $0.write("file".bytes, "content".bytes)
      try $0.write("setuid".bytes, "content".bytes)
      try $0.makeFolder("folder".bytes)
      try $0.makeLink("link".bytes, to: "file".bytes)
      try $0.makeFifo("fifo".bytes)
      for name in ["file", "setuid", "folder", "link", "fifo"] {
        try $0.setOwner(name.bytes, user: user, group: group)
      }
      try $0.setMode("setuid".bytes, 0o6755)
    }
  }
}
