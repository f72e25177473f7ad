// The interfaces through which the model reads and writes the blobs of trees and lists, without knowing the store.

/// The error type of a source or a sink of blobs. The model itself throws only these two errors.
package protocol BlobFailure: Error {
  /// The bytes of a blob or a file are not valid.
  static func damaged(file: String, reason: String) -> Self
  /// The caller has cancelled the work.
  static var cancelled: Self { get }
}

/// Reads the blobs of trees and lists.
package protocol BlobSource<Failure>: Sendable {
  associatedtype Failure: BlobFailure

  /// The bytes of a blob. Throws when it is missing, damaged or cannot be read.
  func readMeta(_ id: ObjectID) throws(Failure) -> [UInt8]
}

/// Stores the blobs of trees, lists and snapshots.
package protocol BlobSink<Failure> {
  associatedtype Failure: Error

  /// Stores a tree, a list or a snapshot, and returns its id.
  func storeMeta(_ bytes: [UInt8]) throws(Failure) -> ObjectID
}
