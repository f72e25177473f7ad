// Kills commands, or lets calls fail, at chosen system calls, with strace. strace counts the calls of each thread and
// each name separately. So the program runs on one processor, where it uses one thread, and a name with a number
// identifies a call.

import TestSupport
import Testing

enum Injection {
  /// The calls that change something on disk. `?` marks calls that do not exist on every system.
  static let mutating = [
    "write", "pwrite64", "?rename", "renameat", "?renameat2", "?link", "linkat", "?unlink", "unlinkat", "?mkdir",
    "mkdirat",
    "?symlink", "symlinkat", "?mknod", "mknodat", "fsync", "fdatasync", "?syncfs", "?sync_file_range", "ftruncate",
    "fallocate", "fchmod", "fchmodat", "?fchmodat2", "fchown", "fchownat", "utimensat", "fsetxattr", "fremovexattr",
    "?setxattr", "?lsetxattr",
  ].joined(separator: ",")

  /// Runs a command line under strace. `inject`: the text after `inject=`.
  static func run(
    _ arguments: [String], in folder: String, inject: String, following: Bool = true, input: String = ""
  ) throws -> Launch {
    try Launch(
      ["taskset", "-c", "0", "strace"] + (following ? ["-f"] : [])
        + ["-qq", "-o", "/dev/null", "-e", "inject=\(inject)", Machine.program] + arguments, in: folder,
      input: input.bytes, timeout: 300)
  }

  /// One call of a run, for example the third `fsync`.
  struct Call: CustomStringConvertible {
    let name: String
    let number: Int
    /// The argument for strace.
    func inject(_ fault: String) -> String { "\(name):\(fault):when=\(number)" }
    var description: String { "\(name) \(number)" }
  }

  /// The calls of a given set that a command line makes, in order.
  static func calls(
    _ set: String, of arguments: [String], in folder: String, following: Bool = true, input: String = ""
  ) throws -> [Call] {
    let log = try TemporaryDirectory()
    let run = try Launch(
      ["taskset", "-c", "0", "strace"] + (following ? ["-f"] : [])
        + ["-qq", "-o", "\(log.path)/log", "-e", "trace=\(set)", Machine.program] + arguments, in: folder,
      input: input.bytes)
    try #require(run.status == 0, "\(run.errors)")
    let lines = String(decoding: try log.read("log"), as: UTF8.self).split(separator: "\n")
    // When children are followed, each line begins with its thread. There must be one thread, or the numbers mean
    // nothing.
    if following { try #require(Set(lines.compactMap { $0.split(separator: " ").first }).count <= 1) }
    var numbers: [String: Int] = [:]
    return lines.filter { !$0.contains("+++") && !$0.contains("---") }.compactMap { line in
      let call = line.split(separator: " ").dropFirst(following ? 1 : 0).first
      guard let word = call?.split(separator: "(").first else { return nil }
      let name = String(word)
      numbers[name, default: 0] += 1
      return Call(name: name, number: numbers[name, default: 1])
    }
  }

  /// At most `limit` of the calls, spread over the whole run. The same seed gives the same calls.
  static func sample(_ calls: [Call], atMost limit: Int, seed: UInt64) -> [Call] {
    if calls.count <= limit { return calls }
    var generator = SplitMix64(seed: seed)
    return (0..<limit).map { part in
      calls[Int.random(in: part * calls.count / limit..<(part + 1) * calls.count / limit, using: &generator)]
    }
  }
}
