// Why a key, a slot or a marker could not be used.

/// `kind` is for the code above it, `reason` for people: one line, without a final period. A reason never holds a
/// passphrase, a key or a part of one.
package struct SealError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Sendable, CaseIterable {
    /// The passphrase, key file or recovery key does not open any of the slots.
    case wrongKey
    /// Bytes are not what this version or another one would have written.
    case damaged
    /// The bytes were written by a version that is newer than this one.
    case newer
    /// What the user gave cannot be used: an empty passphrase, a short key file, a recovery key with a typing error.
    case unusable
  }

  package let kind: Kind
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  package var description: String { reason }
}
