// How much an id can stand for.

package enum BlobLimit {
  /// The maximum size in bytes of a blob, and of an unpacked block in a pack.
  @inlinable package static var largest: Int { 1 << 25 }
}
