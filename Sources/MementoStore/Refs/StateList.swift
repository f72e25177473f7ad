// Named states as lines of text, "<64 hex digits> <name>", sorted by the bytes of the names. There may be ten thousand,
// and every command reads them. So they are checked in one pass, and a line is decoded only when somebody asks for it.

internal import MementoSystem

/// A name and its snapshot.
package struct NamedState: Equatable, Sendable {
  package var name: String
  package var snapshot: ObjectID

  package init(name: String, snapshot: ObjectID) {
    self.name = name
    self.snapshot = snapshot
  }
}

/// A list of states that never changes.
final class StateList: Sendable {
  /// The length in bytes of what precedes the name in a line: the digits and a space.
  static let nameStart = 65
  static let empty = StateList()

  /// The lines, each with its newline. Other bytes may precede them.
  private let bytes: [UInt8]
  /// The offset of each line in `bytes`, and last the offset of the end.
  private let starts: [UInt32]

  private init() {
    bytes = []
    starts = [0]
  }

  /// Checks all lines from the offset `start` to the end. Throws when one is not valid, or the names are not sorted.
  init(_ bytes: [UInt8], from start: Int = 0) throws(FormatError) {
    guard bytes.count <= Int(UInt32.max) else { throw FormatError("it is too long") }
    self.bytes = bytes
    starts = try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      try StateList.lines(of: bytes, from: start)
    }
  }

  private static func lines(of bytes: UnsafeBufferPointer<UInt8>, from first: Int) throws(FormatError) -> [UInt32] {
    var starts: [UInt32] = []
    starts.reserveCapacity((bytes.count - first) / (nameStart + 16) + 2)
    var start = first
    var last = UnsafeBufferPointer<UInt8>(rebasing: bytes[..<0])
    while start < bytes.count {
      let nameAt = start + nameStart
      var end = nameAt
      var high: UInt8 = 0
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
        high |= bytes[end]
        end += 1
      }
      guard end > nameAt, end < bytes.count, bytes[nameAt - 1] == UInt8(ascii: " "), isHex(bytes, at: start) else {
        throw FormatError("it has a line that is not understood")
      }
      let name = UnsafeBufferPointer(rebasing: bytes[nameAt..<end])
      guard starts.isEmpty || nameOrder(last, name) < 0 else { throw FormatError("its names are not in order") }
      guard high < 0x80 || String(validating: name, as: UTF8.self) != nil else {
        throw FormatError("one of its names is not UTF-8")
      }
      starts.append(UInt32(start))
      last = name
      start = end + 1
    }
    starts.append(UInt32(bytes.count))
    return starts
  }

  /// Whether there are 64 hex digits in lower case at `start`.
  private static func isHex(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    let bytes = UnsafeRawBufferPointer(bytes)
    return stride(from: start, to: start + 64, by: 8).allSatisfy { place in
      HexDigits.areLowerCase(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
  }

  var count: Int { starts.count - 1 }

  subscript(index: Int) -> NamedState {
    bytes.withUnsafeBufferPointer { bytes in
      NamedState(
        name: String(decoding: name(at: index, in: bytes), as: UTF8.self), snapshot: snapshot(at: index, in: bytes))
    }
  }

  func snapshot(at index: Int) -> ObjectID {
    bytes.withUnsafeBufferPointer { snapshot(at: index, in: $0) }
  }

  /// The bytes of all lines.
  var text: ArraySlice<UInt8> { lines(0..<count) }

  /// The bytes of some consecutive lines.
  func lines(_ range: Range<Int>) -> ArraySlice<UInt8> {
    bytes[start(range.lowerBound)..<start(range.upperBound)]
  }

  /// The index of the first line whose name is not before `name`, and whether it has that name.
  func find(_ name: String) -> (index: Int, isThere: Bool) {
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        var low = 0
        var high = count
        while low < high {
          let middle = (low + high) / 2
          let order = nameOrder(self.name(at: middle, in: bytes), name)
          if order == 0 { return (middle, true) }
          if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
      }
    }
  }

  /// The indices of the lines that name a snapshot. They are found by their digits, without decoding.
  func indices(of snapshot: ObjectID) -> [Int] {
    var digits: [UInt8] = []
    snapshot.appendHex(to: &digits)
    return digits.withUnsafeBytes { digits in
      bytes.withUnsafeBytes { bytes in
        (0..<count).filter { index in
          stride(from: 0, to: 64, by: 8).allSatisfy { offset in
            digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
              == bytes.loadUnaligned(fromByteOffset: start(index) + offset, as: UInt64.self)
          }
        }
      }
    }
  }

  private func start(_ index: Int) -> Int { Int(starts[index]) }

  private func name(at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[start(index) + StateList.nameStart..<start(index + 1) - 1])
  }

  private func snapshot(at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> ObjectID {
    // The digits were checked when the list was made.
    ObjectID(UnsafeBufferPointer(rebasing: bytes[start(index)..<start(index) + 64])) ?? .zero
  }
}
