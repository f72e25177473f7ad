// The process that holds a lock, for messages. The kernel is asked, because only the kernel knows: a process id in the
// lock file would stay there when its process is killed.

internal import CMementoSystem

/// A process that holds a lock.
package struct LockHolder: Equatable, Sendable {
  package var process: Int32
  /// The words of its command line; nil where the system does not report them.
  package var command: [[UInt8]]?

  package init(process: Int32, command: [[UInt8]]?) {
    self.process = process
    self.command = command
  }

  /// A process that holds a lock on this file. nil when it cannot be found out, for example on a network file system or
  /// outside Linux.
  package static func of(_ file: FileIdentity) -> LockHolder? {
    // A message does without a name that cannot be found out.
    let text = Descriptor.systemText("/proc/locks") { (file) throws(Errno) in try file.contents(limit: 1 << 22) }
    guard let text else { return nil }
    return process(in: text, holding: file).map { LockHolder(process: $0, command: commandLine(of: $0)) }
  }

  /// The process id of a lock on `file` in the text of /proc/locks, which has lines such as `1: FLOCK ADVISORY WRITE
  /// 1234 fe:00:16263259 0 EOF`. Lines with an arrow are processes that wait for a lock; they are skipped.
  static func process(in text: [UInt8], holding file: FileIdentity) -> Int32? {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 8, words[1] == "FLOCK", let process = Int32(words[4]), process > 0 else { continue }
      let numbers = words[5].split(separator: ":")
      guard numbers.count == 3, let major = UInt32(numbers[0], radix: 16), let minor = UInt32(numbers[1], radix: 16),
        cs_makedev(major, minor) == file.device, UInt64(numbers[2]) == file.inode
      else { continue }
      return process
    }
    return nil
  }

  private static func commandLine(of process: Int32) -> [[UInt8]]? {
    let text = Descriptor.systemText("/proc/\(process)/cmdline") { (file) throws(Errno) in
      try file.bytes(at: 0, count: 4096)
    }
    guard let text, !text.isEmpty else { return nil }
    return text.split(separator: 0).map(Array.init)
  }
}
