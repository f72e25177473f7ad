// Paths of the folder as seen from one of its subfolders.

import MementoKit

enum RelativePath {
  /// How to get from `place` to `path`, both relative to the same folder: `../README`. `.` is the place itself.
  static func of(_ path: BytePath, from place: BytePath) -> BytePath {
    let here = place.components
    if here.isEmpty { return path }
    let there = path.components
    let common = zip(here, there).prefix { $0 == $1 }.count
    let names = Array(repeating: Array("..".utf8), count: here.count - common) + there.dropFirst(common)
    return BytePath(names.isEmpty ? Array(".".utf8) : Array(names.joined(separator: [UInt8(ascii: "/")])))
  }
}
