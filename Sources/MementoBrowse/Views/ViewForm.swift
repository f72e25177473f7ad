// What the views need beside the state.

package import MementoKit
import MementoText

package struct ViewForm: Sendable {
  /// For the age of entries.
  package var now: SnapshotTime
  /// The offset of the local time zone in seconds east of UTC, at a time in seconds since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int
  /// Whether the terminal shows more than ASCII.
  package var isUnicode: Bool

  package init(
    now: SnapshotTime, zoneOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }, isUnicode: Bool = true
  ) {
    self.now = now
    self.zoneOffset = zoneOffset
    self.isUnicode = isUnicode
  }

  /// For example `3min`; nothing for a time that is still to come.
  func age(of time: SnapshotTime) -> String {
    Age.seconds(of: time, at: now).map { Quantity.age($0) } ?? ""
  }
}
