// What the test machine provides. A test that needs something else is skipped, with the reason.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum Machine {
  /// The package's folder.
  package static let packageFolder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

  /// The program that `swift build` makes.
  package static let program = packageFolder + "/.build/debug/memento"
  /// A test program that uses the library.
  package static let caretakerProgram = packageFolder + "/.build/debug/caretaker-process"

  /// The helper of buckets.
  package static let bucketHelper = packageFolder + "/.build/debug/memento-remote-s3"

  package static var hasBucketHelper: Bool { access(bucketHelper, X_OK) == 0 }

  package static var hasProgram: Bool { access(program, X_OK) == 0 }

  /// The PATH, in which commands are searched.
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

  /// Whether file systems can be mounted in a separate mount namespace.
  package static let canMount: Bool =
    isRoot && has("unshare", "mount")
    && (try? Launch(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.status == 0

  /// Whether a fault can be injected into a system call of a program.
  package static let canInject: Bool =
    has("strace", "taskset")
    && (try? Launch(["strace", "-qq", "-o", "/dev/null", "-e", "inject=write:error=EIO:when=1", "true"]))?.status == 0
}
