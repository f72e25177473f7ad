// The master key of a repository, wrapped by what somebody has or knows.

internal import Crypto
package import MementoObjects
package import MementoTime

/// An object `keys/SLOT`. A repository has several when several people or places open it; each of them is enough. All
/// that stands in it is authenticated by the key that it wraps, and its label is sealed.
package struct KeySlot: Hashable, Sendable {
  /// The format that this version writes.
  package static let version: UInt64 = 1
  /// Where the slots are.
  package static let folder = "keys/"
  /// A slot has at most so many bytes.
  package static let maximumSize = WordLines.maximumSize
  /// The longest label, in bytes.
  package static let maximumLabel = 64

  static let saltSize = 32
  private static let wrappedSize = MasterKey.byteCount + SegmentCipher.tagSize

  package let repository: RepositoryID
  /// 16 random hexadecimal digits, the last part of the name.
  package let number: String
  /// When the slot was made, by the clock of its maker.
  package let made: Timestamp
  package let kind: SlotKind
  /// For a passphrase.
  package let scrypt: ScryptParameters?
  /// The bytes of the object.
  package let text: [UInt8]
  private let salt: [UInt8]
  private let sealedLabel: [UInt8]
  private let wrapped: [UInt8]
  /// All of `text` before the line with the wrapped key.
  private let authenticated: [UInt8]

  /// The name under which the slot is put.
  package var name: ObjectName { ObjectName("\(KeySlot.folder)\(number)")! }  // digits make a name

  /// Wraps a master key. `label` says whose or where the slot is, and only readers of the repository see it. With a
  /// passphrase, this takes as long as `scrypt` says. Throws `.unusable` when the label is too long.
  package init(
    wrapping master: MasterKey, with secret: SlotSecret, label: [UInt8], of repository: RepositoryID, made: Timestamp,
    scrypt: ScryptParameters = .standard
  ) throws(SealError) {
    let number = String(decoding: Hexadecimal.text(RandomBytes.make(8)), as: UTF8.self)
    try self.init(
      wrapping: master, with: secret, label: label, of: repository, number: number, made: made, scrypt: scrypt,
      salt: RandomBytes.make(KeySlot.saltSize), labelNonce: RandomBytes.make(SegmentCipher.nonceSize))
  }

  /// As above, with all that is otherwise random.
  init(
    wrapping master: MasterKey, with secret: SlotSecret, label: [UInt8], of repository: RepositoryID, number: String,
    made: Timestamp, scrypt: ScryptParameters, salt: [UInt8], labelNonce: [UInt8]
  ) throws(SealError) {
    guard label.count <= KeySlot.maximumLabel, !label.contains(0) else {
      throw SealError(.unusable, "a label has at most \(KeySlot.maximumLabel) bytes")
    }
    self.repository = repository
    self.number = number
    self.made = made
    kind = secret.kind
    self.scrypt = secret.kind == .passphrase ? scrypt : nil
    self.salt = salt
    sealedLabel =
      labelNonce
      + SegmentCipher.seal(
        label + [UInt8](repeating: 0, count: KeySlot.maximumLabel - label.count), using: master.labels,
        nonce: labelNonce, authenticating: KeySlot.labelContext(repository, number))
    var text = "memento key \(KeySlot.version)\nrepository \(repository)\nslot \(number)\nmade \(made.rfc3339)\n"
    text += "kind \(kind.word)\n"
    if let scrypt = self.scrypt { text += "scrypt \(scrypt)\n" }
    authenticated =
      Array(text.utf8) + Array("salt ".utf8) + Hexadecimal.text(salt) + Array("\nlabel ".utf8)
      + Hexadecimal.text(sealedLabel) + Array("\n".utf8)
    wrapped = master.master.withUnsafeBytes { [scrypt = self.scrypt, authenticated] bytes in
      SegmentCipher.seal(
        bytes, using: KeySlot.wrappingKey(secret, salt, scrypt), nonce: SegmentCipher.zeroNonce,
        authenticating: authenticated)
    }
    self.text = authenticated + Array("key ".utf8) + Hexadecimal.text(wrapped) + Array("\n".utf8)
  }

  /// Reads the bytes of the object `name`. Throws `.newer` when another version is needed, and `.damaged`, also when
  /// the parameters of scrypt would take too much memory or time.
  package init(_ text: [UInt8], name: ObjectName) throws(SealError) {
    guard let version = WordLines.version(text, title: "memento key") else {
      throw SealError(.damaged, "\(name) is not a key slot")
    }
    guard version == KeySlot.version else {
      throw SealError(.newer, "\(name) has the format \(version), which this version does not know")
    }
    guard let lines = WordLines(text),
      let id = lines.bytes("repository", count: RepositoryID.byteCount).flatMap({ RepositoryID(bytes: $0) }),
      let slot = lines["slot"], Hexadecimal.bytes(slot)?.count == 8,
      name.text == KeySlot.folder + String(decoding: slot, as: UTF8.self),
      let made = lines["made"].flatMap({ Timestamp(rfc3339: $0) }), let kindWord = lines["kind"],
      let salt = lines.bytes("salt", count: KeySlot.saltSize),
      let label = lines.bytes(
        "label", count: SegmentCipher.nonceSize + KeySlot.maximumLabel + SegmentCipher.tagSize),
      let wrapped = lines.bytes("key", count: KeySlot.wrappedSize), lines.last == "key",
      let end = lines.start(of: "key")
    else { throw SealError(.damaged, "\(name) is damaged") }
    guard let kind = SlotKind.all.first(where: { kindWord.elementsEqual($0.word.utf8) }) else {
      throw SealError(.newer, "\(name) has a kind of key that this version does not know")
    }
    if kind == .passphrase {
      let numbers = (lines["scrypt"] ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        .compactMap { WordLines.number($0) }
      guard numbers.count == 3,
        let parameters = ScryptParameters(cost: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
      else { throw SealError(.damaged, "\(name) has parameters that are refused") }
      scrypt = parameters
    } else {
      scrypt = nil
    }
    repository = id
    number = String(decoding: slot, as: UTF8.self)
    self.made = made
    self.kind = kind
    self.salt = salt
    self.text = text
    sealedLabel = label
    self.wrapped = wrapped
    authenticated = Array(text[..<end])
  }

  /// The master key. Throws `.wrongKey` when `secret` is not what the slot was made with, or when the slot was changed:
  /// nobody can tell one from the other. With a passphrase, this takes as long as its parameters say.
  package func open(with secret: SlotSecret) throws(SealError) -> MasterKey {
    guard secret.kind == kind else { throw SealError(.wrongKey, "\(name) is not opened by \(secret)") }
    let key = KeySlot.wrappingKey(secret, salt, scrypt)
    guard
      let bytes = SegmentCipher.open(
        wrapped, using: key, nonce: SegmentCipher.zeroNonce, authenticating: authenticated),
      let master = MasterKey(bytes)
    else { throw SealError(.wrongKey, "\(name) is not opened by this \(kind.word)") }
    return master
  }

  /// What the slot is called. Throws `.damaged` when the label was changed, or belongs to another master key.
  package func label(_ master: MasterKey) throws(SealError) -> [UInt8] {
    let nonce = Array(sealedLabel[..<SegmentCipher.nonceSize])
    guard
      let padded = SegmentCipher.open(
        Array(sealedLabel[SegmentCipher.nonceSize...]), using: master.labels, nonce: nonce,
        authenticating: KeySlot.labelContext(repository, number))
    else { throw SealError(.damaged, "\(name) does not belong to the key of this repository") }
    return padded.withUnsafeBytes { Array($0.prefix { $0 != 0 }) }
  }

  private static func labelContext(_ repository: RepositoryID, _ number: String) -> [UInt8] {
    Array("memento label 1 \(repository) \(number)".utf8)
  }

  private static func wrappingKey(
    _ secret: SlotSecret, _ salt: [UInt8], _ scrypt: ScryptParameters?
  ) -> SymmetricKey {
    let strong = scrypt.map { Scrypt.key(from: secret.bytes, salt: salt, $0) } ?? secret.bytes
    return HKDF<SHA256>.deriveKey(
      inputKeyMaterial: strong, salt: salt, info: Array("memento slot 1".utf8), outputByteCount: 32)
  }
}
