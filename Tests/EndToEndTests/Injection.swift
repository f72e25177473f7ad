// Kills and failures at chosen system calls, through strace. It counts the calls of each thread and of each name by
// themselves: so the program is bound to one processor, where it works with one thread, and a call is named and numbered.

import TestSupport
import Testing

enum Injection {
  /// Calls that change something on disk. A `?` marks those that not every system has.
  static let mutating = [
    "write", "pwrite64", "?rename", "renameat", "?renameat2", "?link", "linkat", "?unlink", "unlinkat", "?mkdir",
    "mkdirat",
    "?symlink", "symlinkat", "?mknod", "mknodat", "fsync", "fdatasync", "?syncfs", "?sync_file_range", "ftruncate",
    "fallocate", "fchmod", "fchmodat", "?fchmodat2", "fchown", "fchownat", "utimensat", "fsetxattr", "fremovexattr",
    "?setxattr", "?lsetxattr",
  ].joined(separator: ",")

  /// Runs a command line under strace; `inject` is what follows `inject=`.
  static func run(_ arguments: [String], in folder: String, inject: String, following: Bool = true) throws -> Launch {
    try Launch(
      ["taskset", "-c", "0", "strace"] + (following ? ["-f"] : [])
        + ["-qq", "-o", "/dev/null", "-e", "inject=\(inject)", Machine.program] + arguments, in: folder, timeout: 300)
  }

  /// One call of a run: the third `fsync`.
  struct Call: CustomStringConvertible {
    let name: String
    let number: Int
    /// What strace takes.
    func inject(_ fault: String) -> String { "\(name):\(fault):when=\(number)" }
    var description: String { "\(name) \(number)" }
  }

  /// The calls of a set that a command line makes, in order.
  static func calls(
    _ set: String, of arguments: [String], in folder: String, following: Bool = true
  ) throws -> [Call] {
    let log = try TemporaryDirectory()
    let run = try Launch(
      ["taskset", "-c", "0", "strace"] + (following ? ["-f"] : [])
        + ["-qq", "-o", "\(log.path)/log", "-e", "trace=\(set)", Machine.program] + arguments, in: folder)
    try #require(run.status == 0, "\(run.errors)")
    let lines = String(decoding: try log.read("log"), as: UTF8.self).split(separator: "\n")
    // Each line begins with its thread when children are followed. One thread, or the numbers mean nothing.
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

  /// At most so many of the calls, spread over all of the run, the same in every test run.
  static func sample(_ calls: [Call], atMost limit: Int, seed: UInt64) -> [Call] {
    if calls.count <= limit { return calls }
    var generator = SplitMix64(seed: seed)
    return (0..<limit).map { part in
      calls[Int.random(in: part * calls.count / limit..<(part + 1) * calls.count / limit, using: &generator)]
    }
  }
}
