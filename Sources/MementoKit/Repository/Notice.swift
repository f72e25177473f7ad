// What the library has to say that is neither the result of an operation nor an error.

/// Something that a user should know and that no operation is about.
public struct Notice: Equatable, Sendable {
  /// What has happened. New kinds may be added: a `switch` over kinds needs a `default`.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private enum Value: String {
      case lostPack = "lost-pack"
      case healed
      case foundDamage = "found-damage"
    }

    private let value: Value

    private init(_ value: Value) {
      self.value = value
    }

    /// The word for it.
    public var description: String { value.rawValue }

    /// A pack that was saved without flushing it did not survive a power cut. It was moved to `damaged/` of the store; what
    /// could still be read of it was copied. `verify` tells what is hurt.
    public static let lostPack = Kind(.lostPack)

    /// A file of the store is damaged, and was read through its parity or from its second copy. Nothing is lost. `repair`
    /// writes the file anew.
    public static let healed = Kind(.healed)

    /// Something is damaged that earlier saves have stored: one of the few blobs that a save reads because it relies on them,
    /// or what the folder is compared with. The next save stores it again, if the folder still has it.
    public static let foundDamage = Kind(.foundDamage)
  }

  /// What has happened.
  public var kind: Kind
  /// The file of the store that it is about, as errors name it: "packs/0123456789ab….pack".
  public var file: String
  /// What was found, as a phrase.
  public var detail: String

  init(_ kind: Kind, file: String, detail: String) {
    self.kind = kind
    self.file = file
    self.detail = detail
  }
}
