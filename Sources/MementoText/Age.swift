// How long ago something was.

package import MementoModel

package enum Age {
  /// The whole seconds from `time` to `now`; nil for a time that is still to come.
  package static func seconds(of time: SnapshotTime, at now: SnapshotTime) -> UInt64? {
    let (age, overflow) = now.seconds.subtractingReportingOverflow(time.seconds)
    return overflow || age < 0 ? nil : UInt64(age)
  }
}
