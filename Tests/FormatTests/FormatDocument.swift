// Reads the examples of docs/format.md.

import MementoSystem
import Testing

/// The fenced blocks of the document: the words after the opening fence, and the lines.
struct FormatDocument {
  private(set) var blocks: [(name: String, lines: [String])] = []

  init() throws {
    let bytes = try Descriptor.open(Array("\(Project.path)/docs/format.md".utf8), .namedFile).contents()
    var isInside = false
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside.toggle()
        if isInside { blocks.append((String(line.dropFirst(3)), [])) }
      } else if isInside {
        blocks[blocks.count - 1].lines.append(String(line))
      }
    }
    try #require(!isInside)
  }

  func lines(_ name: String) throws -> [String] {
    try #require(blocks.first { $0.name == name }, "\(name)").lines
  }

  /// The content of a block that shows a file: its lines, each with a newline.
  func text(_ name: String) throws -> [UInt8] {
    Array(try lines(name).map { $0 + "\n" }.joined().utf8)
  }

  /// The bytes of a block with a hex dump. Each line has an offset, bytes, and after two spaces a note.
  func bytes(_ name: String) throws -> [UInt8] {
    var result: [UInt8] = []
    for line in try lines("bytes \(name)") {
      let place = try #require(Int(line.prefix(4), radix: 16), "\(line)")
      #expect(place == result.count, "\(line)")
      let hex = line.dropFirst(6)
      let end = hex.firstRange(of: "  ")?.lowerBound ?? hex.endIndex
      result += try FormatDocument.bytes(hex[..<end])
    }
    return result
  }

  /// Reads bytes written as pairs of hex digits.
  static func bytes(_ hex: Substring) throws -> [UInt8] {
    try hex.split(separator: " ").map { digits in
      try #require(digits.count == 2 ? UInt8(digits, radix: 16) : nil, "\(hex)")
    }
  }
}
