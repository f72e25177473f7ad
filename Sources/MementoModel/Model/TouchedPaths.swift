// The paths that a snapshot changed, in so few bytes that they stand in its record: a log of a path then reads the trees of the
// steps that may have changed it, and of no others. A Bloom filter (B. H. Bloom, Space/time trade-offs in hash coding with
// allowable errors, 1970), as git keeps in its commit graph.

/// Paths that differ between a snapshot and its parent. It may say of a path that did not change that it may have, about once in
/// a hundred times, and never the reverse.
package struct TouchedPaths: Equatable, Sendable {
  /// With more paths than this there is none: to look at the trees is as good.
  package static let mostPaths = 512
  private static let bitsOfPath = 10
  private static let hashes: UInt64 = 7
  /// In a smaller filter, the bits of a path are not independent enough.
  private static let leastBytes = 8
  static let mostBytes = mostPaths * bitsOfPath / 8

  /// A path as filters know it. It can be asked for in many of them.
  package struct Key: Sendable {
    fileprivate let first: UInt64
    fileprivate let step: UInt64

    /// `path`: relative to the folder, without a slash at either end.
    package init(_ path: [UInt8]) {
      let words = ObjectID(hashing: path).words
      first = words.0
      step = words.1
    }

    /// A. Kirsch and M. Mitzenmacher, Less hashing, same performance, 2006: two hashes are as good as many.
    fileprivate func bits(of count: UInt64) -> some Sequence<Int> {
      (0..<TouchedPaths.hashes).lazy.map { Int((first &+ $0 &* step) % count) }
    }
  }

  private let bytes: [UInt8]

  /// Nil when there are more than `mostPaths`.
  package init?(_ paths: some Collection<[UInt8]>) {
    guard paths.count <= TouchedPaths.mostPaths else { return nil }
    var bytes = [UInt8](
      repeating: 0, count: max(TouchedPaths.leastBytes, (paths.count * TouchedPaths.bitsOfPath + 7) / 8))
    let count = UInt64(bytes.count * 8)
    for path in paths {
      for bit in Key(path).bits(of: count) { bytes[bit / 8] |= 1 << UInt8(bit % 8) }
    }
    self.bytes = bytes
  }

  /// Reads hexadecimal digits. Nil when they are none of a filter.
  init?(hex digits: some Collection<UInt8>) {
    guard digits.count % 2 == 0, (2...TouchedPaths.mostBytes * 2).contains(digits.count) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = hexValue(digit) else { return nil }
      if let upper = high {
        bytes.append(upper << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.bytes = bytes
  }

  /// Two digits for each byte.
  var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Whether the path, or something below it, may differ.
  package func mayHave(_ path: Key) -> Bool {
    path.bits(of: UInt64(bytes.count * 8)).allSatisfy { bytes[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
  }
}

/// Gathers the paths of a comparison of two trees: each name that differs, and so also all folders above it.
package struct TouchedPathList {
  /// By their labels; the first one is the top.
  private var folders: [[UInt8]] = [[]]
  /// Nil when there were too many.
  private var paths: [[UInt8]]? = []
  /// The numbers of those paths that are changes themselves, and not only folders in which something changed.
  private var changes: [Int] = []

  package init() {}

  /// Adds a name of a folder. `isChange`: whether it is a change itself. Returns the label of what is in it.
  package mutating func add(_ name: [UInt8], in folder: Int, isDirectory: Bool, isChange: Bool) -> Int {
    guard let count = paths?.count else { return 0 }
    if count >= TouchedPaths.mostPaths {
      paths = nil
      changes = []
      folders = [[]]
      return 0
    }
    let above = folders[folder]
    let path = above.isEmpty ? name : above + [UInt8(ascii: "/")] + name
    paths?.append(path)
    if isChange { changes.append(count) }
    guard isDirectory else { return 0 }
    folders.append(path)
    return folders.count - 1
  }

  /// Nil when there were too many.
  package var changed: TouchedPaths? { paths.flatMap { TouchedPaths($0) } }

  /// The paths that are changes themselves. Nil when there were too many.
  package var changedPaths: [[UInt8]]? { paths.map { paths in changes.map { paths[$0] } } }
}
