// The form in which the objects of a remote are stored.

internal import MementoObjects
internal import MementoSeal

/// Sealed objects are longer than their contents.
enum ObjectForm: Sendable {
  case plain
  case sealed

  /// The size of the stored object whose content has `size` bytes. Nil when no object can be that long.
  func storedSize(of size: UInt64, as name: ObjectName) -> UInt64? {
    switch self {
    case .plain: size
    case .sealed: SealedObjects.storedSize(of: size, as: name)
    }
  }
}
