// The tag of cache folders: https://bford.info/cachedir/. It is a regular file that begins with a fixed signature. A
// save keeps the tag itself, as tar and restic do, so that a restored cache is still marked as one.

package enum CacheTag {
  package static let name = Array("CACHEDIR.TAG".utf8)
  package static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)
}
