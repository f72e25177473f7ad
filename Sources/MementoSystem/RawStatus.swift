// From the status that C gives to FileStatus.

internal import CMementoSystem

extension FileStatus {
  init(_ raw: cs_stat) {
    self.init(
      device: raw.dev, inode: raw.ino, size: raw.size, blocks: raw.blocks, mode: raw.mode, linkCount: raw.nlink,
      user: raw.uid, group: raw.gid, rawDevice: raw.rdev,
      modified: Timestamp(seconds: raw.mtime_sec, nanoseconds: raw.mtime_nsec),
      changed: Timestamp(seconds: raw.ctime_sec, nanoseconds: raw.ctime_nsec))
  }

  /// The major and minor number of a device node.
  package var deviceNumber: (major: UInt32, minor: UInt32) {
    (cs_major(rawDevice), cs_minor(rawDevice))
  }
}
