// The key of a repository, from which all others are derived.

package import Crypto

/// 32 random bytes, and what is derived from them. They stand in no text and no description.
///
/// `@unchecked`: swift-crypto says only since 4 that `SymmetricKey` is `Sendable`. It is a value, and never changes.
package struct MasterKey: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  package static let byteCount = 32

  /// The bytes that a slot wraps.
  package let master: SymmetricKey
  /// For the names of objects.
  let names: SymmetricKey
  /// The keys of objects come from this one.
  let objects: SymmetricKey
  /// For the labels of slots.
  let labels: SymmetricKey

  /// A new key.
  package init() {
    self.init(unchecked: SymmetricKey(size: .bits256))
  }

  /// Nil when `master` does not have 256 bits.
  package init?(_ master: SymmetricKey) {
    guard master.bitCount == MasterKey.byteCount * 8 else { return nil }
    self.init(unchecked: master)
  }

  private init(unchecked master: SymmetricKey) {
    self.master = master
    names = MasterKey.derive(from: master, "memento names 1")
    objects = MasterKey.derive(from: master, "memento objects 1")
    labels = MasterKey.derive(from: master, "memento labels 1")
  }

  private static func derive(from master: SymmetricKey, _ label: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: master, info: Array(label.utf8), outputByteCount: byteCount)
  }

  package var description: String { "a master key" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
