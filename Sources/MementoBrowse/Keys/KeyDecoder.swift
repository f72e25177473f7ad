// Turns the bytes of a terminal into keys. The bytes of one key may come in several reads. What is pasted is dropped: it
// was not meant as keys.

import MementoText

package struct KeyDecoder: Sendable {
  /// No terminal sends longer sequences. It bounds what is kept of one that never ends.
  private static let longestSequence = 64
  private static let escape: UInt8 = 0x1B
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  /// The bytes of a key that is not complete.
  private var pending: [UInt8] = []
  private var isPasting = false

  package init() {}

  /// Whether the beginning of a key has come. When nothing follows soon, `finish` says which key it is.
  package var isWaiting: Bool { !pending.isEmpty && !isPasting }

  /// The keys that are complete with these bytes.
  package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    var place = 0
    while place < pending.count {
      if isPasting {
        guard let end = endOfPaste(from: place) else { break }
        place = end
        isPasting = false
        continue
      }
      guard let (key, length) = next(at: place) else { break }
      if let key { keys.append(key) }
      place += length
    }
    pending.removeFirst(min(place, pending.count))
    if isPasting { pending = pending.suffix(KeyDecoder.endOfPaste.count - 1) }
    return keys
  }

  /// The keys that the waiting bytes are, now that nothing follows them: ESC was typed by itself.
  package mutating func finish() -> [Key] {
    guard isWaiting else { return [] }
    let bytes = pending
    pending = []
    guard bytes.first == KeyDecoder.escape else { return [] }
    return [.escape] + (bytes.count == 2 ? keys(bytes[1...]) : [])
  }

  private func endOfPaste(from place: Int) -> Int? {
    let mark = KeyDecoder.endOfPaste
    guard pending.count - place >= mark.count else { return nil }
    for start in place...(pending.count - mark.count) where pending[start..<(start + mark.count)].elementsEqual(mark) {
      return start + mark.count
    }
    return nil
  }

  /// The key that begins at `place`, nil for one that is not known, and its length; nil when more bytes must come.
  private mutating func next(at place: Int) -> (key: Key?, length: Int)? {
    switch pending[place] {
    case KeyDecoder.escape: return sequence(at: place)
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(pending[place] + 0x60))), 1)
    case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(pending[place]))), 1)
    case 0xC2..<0xF5: return scalar(at: place)
    default: return (nil, 1)
    }
  }

  private func scalar(at place: Int) -> (key: Key?, length: Int)? {
    let length = pending[place] < 0xE0 ? 2 : pending[place] < 0xF0 ? 3 : 4
    let bytes = pending[place...].prefix(length)
    // A byte that cannot follow ends the character; it begins something else.
    if let wrong = bytes.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return (nil, wrong - place) }
    guard bytes.count == length else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first,
      !text.unicodeScalars.contains(where: TerminalText.mustBeEscaped)
    else { return (nil, length) }
    return (.character(character), length)
  }

  private mutating func sequence(at place: Int) -> (key: Key?, length: Int)? {
    guard place + 1 < pending.count else { return nil }
    switch pending[place + 1] {
    case UInt8(ascii: "["): return controlSequence(at: place)
    case UInt8(ascii: "O"):
      guard place + 2 < pending.count else { return nil }
      let letter = pending[place + 2]
      return (letter == UInt8(ascii: "M") ? .enter : KeyDecoder.letters[letter], 3)
    // ESC and then something else: two keys. A terminal sends the same for the something with Alt.
    default: return (.escape, 1)
    }
  }

  /// ESC [, parameters, and a final byte.
  private mutating func controlSequence(at place: Int) -> (key: Key?, length: Int)? {
    var end = place + 2
    while end < pending.count, (0x20..<0x40).contains(pending[end]) { end += 1 }
    if end - place > KeyDecoder.longestSequence { return (nil, end - place) }
    guard end < pending.count else { return nil }
    let final = pending[end]
    // Another control character ends it. It is not part of it.
    guard (0x40..<0x7F).contains(final) else { return (nil, end - place) }
    let length = end + 1 - place
    let parameters = pending[(place + 2)..<end]
    // The Linux console has another byte behind this one, and the mouse of old terminals three.
    let further = parameters.isEmpty ? final == UInt8(ascii: "[") ? 1 : final == UInt8(ascii: "M") ? 3 : 0 : 0
    if further > 0 { return end + further < pending.count ? (nil, length + further) : nil }
    // What begins with one of < = > ? is an answer of the terminal, or a mouse.
    if let first = parameters.first, (0x3C...0x3F).contains(first) { return (nil, length) }
    guard final == UInt8(ascii: "~") else { return (KeyDecoder.letters[final], length) }
    let number = parameters.prefix { $0 != UInt8(ascii: ";") }
    switch String(decoding: number, as: UTF8.self) {
    case "1", "7": return (.home, length)
    case "3": return (.delete, length)
    case "4", "8": return (.end, length)
    case "5": return (.pageUp, length)
    case "6": return (.pageDown, length)
    case "200":
      isPasting = true
      return (nil, length)
    default: return (nil, length)
    }
  }

  private static let letters: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "Z"): .backTab,
  ]
}
