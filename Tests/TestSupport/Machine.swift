// What the machine that runs the tests has. What is missing is said as the reason why a test was skipped.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum Machine {
  /// The package's folder.
  package static let packageFolder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

  /// The program that `swift build` has made.
  package static let program = packageFolder + "/.build/debug/memento"
  /// A program that uses the library.
  package static let caretakerProgram = packageFolder + "/.build/debug/caretaker-process"

  package static var hasProgram: Bool { access(program, X_OK) == 0 }

  /// The folders in which commands are looked for.
  package static let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"

  package static let hasCompiler = path.split(separator: ":").contains { access("\($0)/swiftc", X_OK) == 0 }

  package static var isRoot: Bool { geteuid() == 0 }

  /// Whether all of these commands are installed.
  package static func has(_ commands: String...) -> Bool {
    commands.allSatisfy { command in
      ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        .contains { access("\($0)/\(command)", X_OK) == 0 }
    }
  }

  /// Whether file systems can be mounted in a name space of one's own.
  package static let canMount: Bool =
    isRoot && has("unshare", "mount")
    && (try? Launch(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.status == 0

  /// Whether a program can be killed at a system call.
  package static let canInject: Bool =
    has("strace", "taskset")
    && (try? Launch(["strace", "-qq", "-o", "/dev/null", "-e", "inject=write:error=EIO:when=1", "true"]))?.status == 0
}
