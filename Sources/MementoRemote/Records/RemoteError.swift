// Why something could not be done with the objects of a remote.

package import MementoObjects

package enum RemoteError: Error, Equatable, Sendable {
  /// The storage did not do what it was asked for.
  case storage(ObjectError)
  /// An object is not what it should be.
  case damaged(ObjectName?, reason: String)
  /// An object was made by a later version. `found`: its first line.
  case newerFormat(ObjectName?, found: String)
  /// The remote has more than this version can write or read. One line, without a final period.
  case tooMuch(String)
  /// Objects came and went so quickly that no consistent view was found in several looks.
  case unsettled
}
