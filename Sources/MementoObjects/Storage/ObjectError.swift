// Why an object storage did not do what it was asked for.

/// `kind` is for the code above it, `reason` for people: one line, without a final period, such as "the host key of
/// example.org is not known". A reason never holds a credential.
package struct ObjectError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// There is no object of this name. The only kind that says something about the object.
    case notFound = 1
    /// The storage cannot be reached: no network, no such host, no progress for 30 seconds.
    case unreachable = 2
    /// The other side is not who it should be: its host key or its certificate is not trusted.
    case untrusted = 3
    /// The credentials are missing or wrong, or they do not allow this.
    case denied = 4
    /// The bucket, or the folder above that of the remote, is not there.
    case noSuchPlace = 5
    /// The clock here or there is off by so much that requests are refused.
    case clock = 6
    /// There is no space left, or no quota.
    case full = 7
    /// The answer cannot be understood, or contradicts itself: its length or its checksum is wrong.
    case garbled = 8
    /// The storage said that it failed, also after several tries.
    case failed = 9
    /// The local side failed: a file could not be read, or a program not be started.
    case local = 10
    /// The user asked for an end.
    case cancelled = 11
    /// The object is there, and is not what was put under this name with this key: it was changed, cut or swapped.
    case damaged = 12
    /// The object was put by a version that is newer than this one.
    case newer = 13
  }

  package let kind: Kind
  package let name: ObjectName?
  package let reason: String

  /// An error with nothing in particular.
  package init(_ kind: Kind, _ reason: String) {
    self.init(kind, nil, reason)
  }

  /// There is no object of this name.
  package static func notFound(_ name: ObjectName) -> ObjectError {
    ObjectError(.notFound, name, "there is no object \(name)")
  }

  package init(_ kind: Kind, _ name: ObjectName?, _ reason: String) {
    self.kind = kind
    self.name = name
    self.reason = reason
  }

  package var description: String { reason }
}
