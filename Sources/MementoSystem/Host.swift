// Who runs this program, and where. Names come from /etc/passwd and not from getpwuid, which loads shared libraries and
// so cannot be part of a static program.

internal import CSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum Host {
  package static var effectiveUser: UInt32 { geteuid() }
  package static var isSuperuser: Bool { geteuid() == 0 }
  package static var processID: Int32 { getpid() }

  /// The name of this machine. It is only recorded for people, so that one which cannot be read does no harm.
  package static func name() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The login name of the user this program acts for, or the number of a user without a name.
  package static func userName() -> String {
    let identifier = String(geteuid())
    // It is only recorded for people.
    let text = Descriptor.systemText("/etc/passwd") { (file) throws(Errno) in try file.contents(limit: 1 << 22) }
    guard let text else { return identifier }
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
      if fields.count > 2, fields[2].elementsEqual(identifier.utf8) {
        return String(decoding: fields[0], as: UTF8.self)
      }
    }
    return identifier
  }

  /// The bits that new files do not get; nil where the system does not tell without changing them.
  package static func fileModeMask() -> UInt32? {
    // Without it each mode is set by a call of its own.
    let text = Descriptor.systemText("/proc/self/status") { (file) throws(Errno) in
      try file.bytes(at: 0, count: 4096)
    }
    guard let text,
      let line = text.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: "Umask:".utf8) })
    else { return nil }
    return UInt32(String(decoding: line.dropFirst(7), as: UTF8.self), radix: 8)
  }

  package static var effectiveGroup: UInt32 { getegid() }

  /// The number of processors this process may run on.
  package static func processorCount() -> Int {
    max(1, Int(cs_processor_count()))
  }

  /// Bytes of memory that this process can have: those of the machine, or fewer where a limit is set.
  package static func memory() -> UInt64 { cs_memory() }
}
