// What a local name and its values in a remote were when they last met.

package import MementoModel

/// What a local side remembers of one name of a remote. Without it nobody could tell a name that was moved here from one
/// that was moved there.
package struct NameBase: Equatable, Sendable {
  /// What the name meant here at that time.
  package var local: ObjectID
  /// Whether `local` had still to be moved there: the name had been changed on both sides.
  package var isPending: Bool
  /// The values there that `local` was made upon. Moving it there replaces these alone.
  package var upon: [Dot]
  /// The values there that a pull has brought or told of. What the name means here later was made by one who has seen
  /// them, so moving that replaces all of them.
  package var seen: [Dot]

  package init(local: ObjectID, isPending: Bool = false, upon: [Dot], seen: [Dot]) {
    self.local = local
    self.isPending = isPending
    self.upon = upon.sorted()
    self.seen = seen.sorted()
  }

  /// Both sides agree on one of these values, and all of them are known here.
  init(agreed local: ObjectID, _ values: [NameValue]) {
    self.init(local: local, upon: values.map(\.dot), seen: values.map(\.dot))
  }
}
