// The machine, the user and the process. User names are read from /etc/passwd: getpwuid loads shared libraries and so
// cannot be part of a static program.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum Host {
  package static var effectiveUser: UInt32 { geteuid() }
  package static var isSuperuser: Bool { geteuid() == 0 }
  package static var processID: Int32 { getpid() }

  /// The host name; "localhost" when it cannot be read. It is only recorded for people.
  package static func name() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The login name of the effective user, or the number of a user without a name.
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

  /// The umask: the permission bits that new files do not get. nil where it cannot be read without changing it.
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

  /// The number of processors that this process may run on; at least 1.
  package static func processorCount() -> Int {
    max(1, Int(cs_processor_count()))
  }

  /// The bytes of memory that this process can use: the size of the machine's memory, or a lower limit of the process.
  package static func memory() -> UInt64 { cs_memory() }
}
