// How a remote was opened the last time: the file `remotes/NAME/opened`. It saves the next operation the requests for its
// marker and its keys.

internal import MementoObjects
internal import MementoSeal
internal import MementoSystem

/// The marker and the slot that were read, as they were listed: objects never change, so what is listed like this again is
/// what was read. It is derived: what cannot be read of it is asked for again.
struct RemoteOpening: Equatable {
  private static let firstLine = "memento remote-opened 1"
  /// In bytes.
  static let limit = 1 << 16

  /// The marker, which said what is known of the repository.
  var marker: ListedObject
  /// The slot that opened a sealed remote, with its text.
  var slot: (object: ListedObject, value: KeySlot)?

  static func == (left: RemoteOpening, right: RemoteOpening) -> Bool {
    left.marker == right.marker && left.slot?.object == right.slot?.object && left.slot?.value == right.slot?.value
  }

  init(marker: ListedObject, slot: (object: ListedObject, value: KeySlot)? = nil) {
    self.marker = marker
    self.slot = slot
  }

  func encoded() -> [UInt8] {
    let head = "\(RemoteOpening.firstLine)\n\(RemoteOpening.line(marker))\n"
    guard let slot else { return Array(head.utf8) }
    return Array("\(head)\(RemoteOpening.line(slot.object))\n".utf8) + slot.value.text
  }

  /// Nil when the bytes are not whole.
  init?(_ bytes: [UInt8]) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count >= 3, lines.removeFirst().elementsEqual(RemoteOpening.firstLine.utf8),
      let marker = RemoteOpening.object(lines.removeFirst())
    else { return nil }
    self.init(marker: marker)
    guard lines.count == 2 else {
      if lines.allSatisfy(\.isEmpty) { return }
      return nil
    }
    // A slot that this version does not know is no slot here.
    guard let object = RemoteOpening.object(lines[0]), let value = try? KeySlot(Array(lines[1]), name: object.name)
    else {
      return nil
    }
    slot = (object, value)
  }

  private static func line(_ object: ListedObject) -> String {
    "\(object.name) \(object.size) \(object.modified.seconds) \(object.modified.nanoseconds)"
  }

  private static func object(_ line: ArraySlice<UInt8>) -> ListedObject? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, let name = ObjectName(String(words[0])), let size = UInt64(words[1]),
      let seconds = Int64(words[2]), let nanoseconds = UInt32(words[3]), nanoseconds < 1_000_000_000
    else { return nil }
    return ListedObject(name: name, size: size, modified: Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }
}
