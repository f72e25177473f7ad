// What is mounted below a folder. Who empties that folder would empty this, too.

internal import MementoSystem

/// What is mounted where, as Linux says it.
enum MountTable {
  /// The first place in or at `folder`, an absolute path, at which something is mounted. Nil elsewhere than on Linux.
  static func first(in folder: [UInt8]) throws(Errno) -> [UInt8]? {
    #if os(Linux)
      let table: [UInt8]
      do throws(Errno) {
        table = try Descriptor.open(Array("/proc/self/mountinfo".utf8), .namedFile).contents()
      } catch {
        // Without /proc there is nobody to ask.
        if error == .notFound { return nil }
        throw error
      }
      for line in table.split(separator: UInt8(ascii: "\n")) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 4 else { continue }
        let place = unescaped(fields[4])
        if place == folder || place.starts(with: folder + [UInt8(ascii: "/")]) { return place }
      }
    #endif
    return nil
  }

  /// A space is `\040` there.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (48...55).contains($0) }) else {
        bytes.append(byte)
        continue
      }
      bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 &- 48) })
      rest = rest.dropFirst(3)
    }
    return bytes
  }
}
