// Where the program for an engine is that this program does not have.

import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum HelperSearch {
  /// Such as `memento-remote-s3`.
  static func name(_ engine: RemoteURL.Engine) -> String { "memento-remote-\(engine)" }

  /// The program: beside `program`, in `../libexec/memento` from there, or in a folder of `path`, the variable PATH. Nil
  /// when it is in none of them.
  static func find(_ name: String, beside program: BytePath?, path: [UInt8]?) -> BytePath? {
    var folders: [BytePath] = []
    if let program {
      let home = BytePath(Array(program.bytes[..<(program.bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
      folders = [home, home.appending("../libexec/memento".utf8)]
    }
    // A relative folder of PATH would be one in which the user just happens to be.
    folders += (path ?? []).split(separator: UInt8(ascii: ":")).map { BytePath(Array($0)) }.filter(\.isAbsolute)
    return folders.lazy.map { $0.appending(name.utf8) }.first(where: isProgram)
  }

  private static func isProgram(_ path: BytePath) -> Bool {
    var status = stat()
    return Paths.withCString(path) {
      stat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access($0, X_OK) == 0
    }
  }

  /// The file of this program, without links; nil where the system does not tell.
  static func thisProgram() -> BytePath? {
    #if canImport(Glibc)
      return try? Paths.canonical("/proc/self/exe")  // the other places are still looked at
    #elseif canImport(Darwin)
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var buffer = [CChar](repeating: 0, count: Int(size) + 1)
      guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
      let path = BytePath(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
      return try? Paths.canonical(path)  // the other places are still looked at
    #endif
  }
}
