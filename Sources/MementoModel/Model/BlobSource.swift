// Where the blobs of trees and lists come from and go to: the model reads and writes them without knowing a store.

/// How reading or writing blobs fails: the error of whoever keeps them. The model itself can only say these two things.
package protocol BlobFailure: Error {
  /// Bytes are not what they should be.
  static func damaged(file: String, reason: String) -> Self
  /// The caller has ended the work.
  static var cancelled: Self { get }
}

/// Reads blobs that describe: trees and lists.
package protocol BlobSource<Failure>: Sendable {
  associatedtype Failure: BlobFailure

  func readMeta(_ id: ObjectID) throws(Failure) -> [UInt8]
}

/// Takes blobs that describe.
package protocol BlobSink<Failure> {
  associatedtype Failure: Error

  /// Stores a tree, a list or a snapshot.
  func storeMeta(_ bytes: [UInt8]) throws(Failure) -> ObjectID
}
