// Folders that say of themselves that they are caches: https://bford.info/cachedir/. The tag is a regular file that begins
// with a fixed signature; the tag itself is kept, as tar and restic do, so that a restored cache is still known as one.

package enum CacheTag {
  package static let name = Array("CACHEDIR.TAG".utf8)
  package static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)
}
