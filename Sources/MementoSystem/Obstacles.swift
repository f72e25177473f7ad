// What prevents a change of a file, apart from its permissions. It is found out before anything is changed.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reasons why the system refuses to change a file. Empty where the system does not report them.
package struct Obstacles: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// `chattr +i`: not even root may change it.
  package static let immutable = Obstacles(rawValue: UInt32(CS_IMMUTABLE))
  /// `chattr +a`: data can only be appended.
  package static let appendOnly = Obstacles(rawValue: UInt32(CS_APPEND_ONLY))
  /// A file system is mounted here.
  package static let mountPoint = Obstacles(rawValue: UInt32(CS_MOUNT_POINT))
}

extension Descriptor {
  /// The status of a name in this directory, and what prevents a change of it. An empty name stands for the directory
  /// itself.
  package func obstacles(to name: [UInt8]) throws(Errno) -> (status: FileStatus, obstacles: Obstacles) {
    try withCString(name) { (name) throws(Errno) in
      var raw = cs_stat()
      var obstacles: UInt32 = 0
      _ = try retrying { cs_obstacles(self.raw, name, &raw, &obstacles) }
      return (FileStatus(raw), Obstacles(rawValue: obstacles))
    }
  }

  /// Throws the reason when the effective user may not add or remove names in this directory.
  package func checkMayChange() throws(Errno) {
    let raw = self.raw
    _ = try retrying { cs_may_change_directory(raw) }
  }
}
