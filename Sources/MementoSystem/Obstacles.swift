// What keeps a file from being changed, beside its mode: found out before anything is changed.

internal import CSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reasons of the system for refusing a change. Empty where the system does not tell.
package struct Obstacles: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// `chattr +i`: not even root may change it.
  package static let immutable = Obstacles(rawValue: UInt32(CS_IMMUTABLE))
  /// `chattr +a`: it only grows.
  package static let appendOnly = Obstacles(rawValue: UInt32(CS_APPEND_ONLY))
  /// Something is mounted there.
  package static let mountPoint = Obstacles(rawValue: UInt32(CS_MOUNT_POINT))
}

extension Descriptor {
  /// What a name is, and what keeps it from being changed; an empty name is the directory itself.
  package func obstacles(to name: [UInt8]) throws(Errno) -> (status: FileStatus, obstacles: Obstacles) {
    try withCString(name) { (name) throws(Errno) in
      var raw = cs_stat()
      var obstacles: UInt32 = 0
      _ = try retrying { cs_obstacles(self.raw, name, &raw, &obstacles) }
      return (FileStatus(raw), Obstacles(rawValue: obstacles))
    }
  }

  /// Throws why the user of this process may not make or remove names in this directory.
  package func checkMayChange() throws(Errno) {
    let raw = self.raw
    _ = try retrying { cs_may_change_directory(raw) }
  }
}
