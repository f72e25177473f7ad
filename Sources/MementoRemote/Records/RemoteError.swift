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

extension RemoteError {
  /// Whether an object was read and is not what it should be.
  package var isDamage: Bool {
    switch self {
    case .damaged: true
    case .storage(let error): error.kind == .damaged || error.kind == .garbled
    default: false
    }
  }
}

/// What became of a record that was listed.
enum RecordFound<Record> {
  case record(Record)
  /// It was removed since.
  case gone
  case damaged(RemoteError)

  /// Reads and decodes a record. Throws when it cannot be read, for another reason than its damage.
  static func read(_ body: () throws(RemoteError) -> Record?) throws(RemoteError) -> RecordFound {
    do throws(RemoteError) {
      return try body().map { .record($0) } ?? .gone
    } catch {
      guard error.isDamage else { throw error }
      return .damaged(error)
    }
  }
}
