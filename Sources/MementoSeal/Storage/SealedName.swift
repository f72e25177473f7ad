// What the objects of a sealed repository are called.

internal import Crypto
package import MementoObjects

/// Turns the names that memento uses into those under which objects are stored, and back. An id in a name could tell
/// what an object holds: who has the same files can compute it. So the last part of a name, if it is 64 hexadecimal
/// digits, is sealed, and becomes 96 other digits. The same name always becomes the same one, or a second push could
/// not find what is there. All other names are random or count something, and stay as they are.
///
/// This is SIV (Rogaway and Shrimpton, 2006) with HMAC-SHA-256: a tag of folder and id, and the id XOR a mask made from
/// folder and tag. The tag makes sure that a name in a listing is one of ours.
///
/// `@unchecked`: swift-crypto says only since 4 that `SymmetricKey` is `Sendable`. It is a value, and never changes.
package struct SealedName: @unchecked Sendable {
  private static let idSize = 32
  private static let tagSize = 16

  private let key: SymmetricKey

  package init(_ master: MasterKey) { key = master.names }

  /// Whether objects of this name are sealed. Markers and slots are not: they are read first.
  package static func isSealed(_ name: ObjectName) -> Bool {
    !name.text.hasPrefix(RepositoryMarker.folder) && !name.text.hasPrefix(KeySlot.folder)
  }

  /// The name under which an object is stored. Nil when the name has a form that only stored names have.
  package func stored(_ name: ObjectName) -> ObjectName? {
    guard SealedName.isSealed(name) else { return name }
    let parts = Parts(name)
    guard let id = parts.bytes(SealedName.idSize) else {
      return parts.bytes(SealedName.idSize + SealedName.tagSize) == nil ? name : nil
    }
    guard let folder = parts.folder else { return nil }
    let tag = tag(folder, id)
    return parts.name(tag + masked(folder, tag, id))
  }

  /// The name that is stored as `name`. Nil when no name is: the object is none of this repository.
  package func plain(_ name: ObjectName) -> ObjectName? {
    guard SealedName.isSealed(name) else { return name }
    let parts = Parts(name)
    guard let bytes = parts.bytes(SealedName.idSize + SealedName.tagSize) else {
      return parts.bytes(SealedName.idSize) == nil ? name : nil
    }
    guard let folder = parts.folder else { return nil }
    let tag = Array(bytes[..<SealedName.tagSize])
    let id = masked(folder, tag, Array(bytes[SealedName.tagSize...]))
    return self.tag(folder, id) == tag ? parts.name(id) : nil
  }

  private func tag(_ folder: Substring, _ id: [UInt8]) -> [UInt8] {
    Array(code(0, folder, id).prefix(SealedName.tagSize))
  }

  private func masked(_ folder: Substring, _ tag: [UInt8], _ id: [UInt8]) -> [UInt8] {
    zip(id, code(1, folder, tag)).map { $0 ^ $1 }
  }

  /// HMAC-SHA-256 of what it is for, the folder, a zero byte, and `bytes`.
  private func code(_ purpose: UInt8, _ folder: Substring, _ bytes: [UInt8]) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: [purpose] + Array(folder.utf8) + [0] + bytes, using: key)
  }

  /// A name that may end with digits of bytes, which a part with the first two of them may precede.
  private struct Parts {
    let last: Substring
    /// All before the last part and its `/`, and before the part of two digits.
    private let start: Substring
    private let shelf: Substring?

    init(_ name: ObjectName) {
      var parts = name.text.split(separator: "/")
      last = parts.removeLast()
      if let part = parts.last, part.utf8.count == 2, Hexadecimal.bytes(part.utf8) != nil, parts.count > 1 {
        shelf = part
        parts.removeLast()
      } else {
        shelf = nil
      }
      start = Substring(parts.joined(separator: "/"))
    }

    /// The bytes that the last part gives. Nil when it is not the digits of so many.
    func bytes(_ count: Int) -> [UInt8]? {
      last.utf8.count == 2 * count ? Hexadecimal.bytes(last.utf8) : nil
    }

    /// The folder that the name belongs to. Nil when the two digits are not the first of the last part, so that the
    /// name could not be found again.
    var folder: Substring? { shelf == nil || last.hasPrefix(shelf ?? "") ? start : nil }

    /// The name with other bytes at its end.
    func name(_ bytes: [UInt8]) -> ObjectName? {
      let digits = String(decoding: Hexadecimal.text(bytes), as: UTF8.self)
      var parts = start.isEmpty ? [] : [String(start)]
      if shelf != nil { parts.append(String(digits.prefix(2))) }
      return ObjectName((parts + [digits]).joined(separator: "/"))
    }
  }
}
