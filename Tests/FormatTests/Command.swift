// Runs other programs: the shell, Python, tar.

import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum Command {
  /// Runs a shell command in a folder. Returns its standard output together with its standard error, and its exit
  /// status.
  static func run(_ command: String, in folder: String = "/") -> (output: [UInt8], status: Int32) {
    guard let stream = popen("cd \(quoted(folder)) && { \(command)\n} 2>&1", "r") else { return ([], -1) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { output += buffer.prefix(count) }
    let status = pclose(stream)
    return (output, status & 0x7f == 0 ? status >> 8 & 0xff : -1)
  }

  /// Quotes a word for the shell, so that it means exactly these characters.
  static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  static func exists(_ name: String) -> Bool {
    run("command -v \(name)").status == 0
  }
}

enum Project {
  static let path = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
  static let reader = "\(path)/Tools/memento-read.py"
  static let golden = "\(path)/Tests/FormatTests/Golden"
}
