// More folders for FidelityTests: attributes, holes, names and hard links.

import TestSupport

extension FidelitySample {
  /// Version 2: rw- for the owner, r-- for user 1234, r-- for the group, a mask of r--, --- for others.
  static let accessList: [UInt8] =
    [2, 0, 0, 0]
    + [(1, 6, UInt32.max), (2, 4, 1234), (4, 4, .max), (16, 4, .max), (32, 0, .max)].flatMap {
      (tag: UInt8, rights: UInt8, id: UInt32) in
      [tag, 0, rights, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
    }

  static let attributes: [FidelitySample] =
    [0, 1, 100, 255, 256, 257, 1000, 3000].map { (size: Int) in
      FidelitySample("an attribute of \(size) bytes") {
        try $0.write("file".bytes, "content".bytes)
        try $0.write("empty".bytes, [])
        try $0.makeFolder("folder".bytes)
        for name in ["file", "empty", "folder"] {
          try $0.setAttribute(name.bytes, "user.test", Content.random(size, seed: UInt64(size)))
        }
      }
    } + [
      FidelitySample("an attribute of 16 KiB") {
        try $0.write("file".bytes, "content".bytes)
        try $0.setAttribute("file".bytes, "user.test", Content.random(16 << 10, seed: 3))
      },
      FidelitySample("many attributes") {
        try $0.write("file".bytes, "content".bytes)
        for number in 0..<40 { try $0.setAttribute("file".bytes, "user.n\(number)", "\(number)".bytes) }
      },
      FidelitySample("an attribute of the folder itself") { try $0.setAttribute([], "user.top", "yes".bytes) },
      FidelitySample("attributes of a link and a device", needsRoot: true) {
        try $0.makeLink("link".bytes, to: "x".bytes)
        try $0.makeFifo("fifo".bytes)
        for name in ["link", "fifo"] { try $0.setAttribute(name.bytes, "trusted.test", "value".bytes) }
      },
      FidelitySample("access lists") {
        try $0.write("file".bytes, "content".bytes)
        try $0.makeFolder("folder".bytes)
        try $0.setAttribute("file".bytes, "system.posix_acl_access", accessList)
        try $0.setAttribute("folder".bytes, "system.posix_acl_access", accessList)
        try $0.setAttribute("folder".bytes, "system.posix_acl_default", accessList)
        try $0.setMode("folder".bytes, 0o770)
      },
      FidelitySample("files in a folder that hands its access list down") {
        try $0.makeFolder("folder".bytes)
        try $0.makeFolder("folder/inner".bytes)
        try $0.write("folder/file".bytes, "content".bytes)
        try $0.setAttribute("folder".bytes, "system.posix_acl_default", accessList)
      },
      FidelitySample("files in a folder that hands its group down", needsRoot: true) {
        try $0.makeFolder("folder".bytes)
        try $0.makeFolder("folder/inner".bytes)
        try $0.write("folder/file".bytes, "content".bytes)
        try $0.setOwner("folder".bytes, user: 0, group: 77)
        try $0.setMode("folder".bytes, 0o2775)
      },
    ]

  private static let block = Content.random(4096, seed: 11)

  /// Offsets of data blocks, and the size of the file.
  static let holes: [FidelitySample] = [
    ("only a hole", [], 1 << 20), ("a small hole", [], 4096), ("one byte of hole", [], 1),
    ("a hole of 1 TiB", [], 1 << 40), ("a hole first", [1 << 20], (1 << 20) + 4096), ("a hole last", [0], 3 << 20),
    ("a hole in the middle", [0, 2 << 20], (2 << 20) + 4096), ("a tiny hole in the middle", [0, 8192], 12288),
    ("data in the middle of a TiB", [1 << 39], 1 << 40), ("many holes", (0..<200).map { $0 * 65536 }, 200 * 65536),
    ("an odd end", [8192], 70_001), ("a hole beyond the window", [0, 40 << 20], (40 << 20) + 5000),
  ].map { (name: String, data: [Int], size: Int) in
    FidelitySample(name) {
      try $0.truncate("sparse".bytes, to: size)
      for offset in data { try $0.patch("sparse".bytes, block, at: offset) }
    }
  }

  static let names: [FidelitySample] =
    [
      ("not UTF-8", [0xff, 0xfe]), ("a continuation byte", [0x80]), ("an overlong slash", [0xc0, 0xaf]),
      ("a newline", "a\nb".bytes), ("controls", Array(1...31)), ("escape", "\u{1b}[2J".bytes), ("delete", [0x7f]),
      ("a dash", "-rf".bytes), ("two dashes", "--".bytes), ("a space", " ".bytes), ("spaces", " a ".bytes),
      ("three dots", "...".bytes), ("dots before", "..a".bytes), ("dots after", "a..".bytes), ("a star", "*".bytes),
      ("a backslash", "a\\b".bytes), ("255 bytes", [UInt8](repeating: 0x78, count: 255)),
      ("255 bytes of no text", [UInt8](repeating: 0xe9, count: 255)), ("a percent", "%00%2f".bytes),
      ("bidirectional", "a\u{202e}b".bytes), ("like a store", ".memento2".bytes), ("nearly a store", "memento".bytes),
      ("begins like a store", ".memento-notes".bytes), ("a control before memento", "\u{0e}memento".bytes),
      ("a pack", "restore-1-1".bytes),
    ].map { (name: String, bytes: [UInt8]) in
      FidelitySample("name: \(name)") {
        try $0.makeFolder("folder".bytes)
        try $0.write(bytes, "content".bytes)
        try $0.write("folder/".bytes + bytes, "content".bytes)
      }
    } + [
      FidelitySample("composed and decomposed letters side by side") {
        try $0.write("\u{e9}".bytes, "composed".bytes)
        try $0.write("e\u{301}".bytes, "decomposed".bytes)
      },
      FidelitySample("names that differ by case") {
        for name in ["README", "readme", "Readme", "\u{df}", "SS", "ss"] { try $0.write(name.bytes, name.bytes) }
      },
      FidelitySample("hard links in one folder") {
        try $0.write("a".bytes, "content".bytes)
        try $0.makeHardLink("b".bytes, to: "a".bytes)
        try $0.makeHardLink("c".bytes, to: "a".bytes)
        try $0.write("alone".bytes, "content".bytes)
      },
      FidelitySample("hard links across folders") {
        try $0.makeFolder("x".bytes)
        try $0.makeFolder("y".bytes)
        try $0.write("x/file".bytes, Content.random(100_000, seed: 3))
        try $0.makeHardLink("y/file".bytes, to: "x/file".bytes)
        try $0.makeHardLink("z".bytes, to: "x/file".bytes)
      },
      FidelitySample("hard links to an empty file, a link and a fifo") {
        try $0.write("empty".bytes, [])
        try $0.makeLink("link".bytes, to: "nowhere".bytes)
        try $0.makeFifo("fifo".bytes)
        for name in ["empty", "link", "fifo"] { try $0.makeHardLink("\(name) 2".bytes, to: name.bytes) }
      },
      FidelitySample("hard links to a large file and one with holes") {
        try $0.write("large".bytes, Content.random(5 << 20, seed: 4))
        try $0.makeHardLink("also large".bytes, to: "large".bytes)
        try $0.truncate("sparse".bytes, to: 1 << 30)
        try $0.makeHardLink("also sparse".bytes, to: "sparse".bytes)
      },
    ]
}
