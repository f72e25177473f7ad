// How much an id can stand for.

package enum BlobLimit {
  /// No blob is longer, and no block of a pack unpacks to more; bytes.
  @inlinable package static var largest: Int { 1 << 25 }
}
