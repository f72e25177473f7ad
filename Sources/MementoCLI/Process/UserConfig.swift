// The user's configuration, `~/.config/memento/config`: whom the user trusts, and what holds in all stores that do not
// say otherwise. Only this file can say whom the user trusts. A store or a folder must not, because it may belong to
// another user.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct UserConfig: Equatable {
  /// `trust = PATH`: stores and folders that are used although they belong to other users.
  var trustedPaths: [BytePath] = []
  /// The file, for the library, which reads the other keys; nil when there is none.
  var file: ConfigFile?
  /// Notes about the file and about lines that are not understood, a sentence each.
  var notes: [String] = []
  /// The first line that is wrong. No command that opens a store goes on then.
  var failure: ErrorReport?
  /// The largest size of the file in bytes.
  private static let largest = 1 << 20

  init() {}

  /// Reads the user's file. The result is empty when there is none. Throws when it cannot be read.
  static func load(_ context: CommandContext) throws -> UserConfig {
    var config = UserConfig()
    guard let path = path(context.environment) else { return config }
    let file = Paths.withCString(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard file >= 0 else {
      // Without the file no other user is trusted, and the command goes on.
      let error = Errno.current
      if error.code != ENOENT && error.code != ENOTDIR {
        config.notes = ["cannot read \(TerminalText.escaped(path)): \(error)"]
      }
      return config
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ErrorReport.system("read", path, .current) }
    let owners = [geteuid(), 0, context.sudoUser ?? 0]
    guard status.st_mode & S_IFMT == S_IFREG, owners.contains(status.st_uid) else {
      config.notes = ["passed over \(TerminalText.escaped(path)): it belongs to another user, or is not a file"]
      return config
    }
    return UserConfig(try contents(of: file, path), path, home: context.environment["HOME"])
  }

  /// `$XDG_CONFIG_HOME/memento/config` or `~/.config/memento/config`; nil when neither variable has an absolute path.
  static func path(_ environment: [String: [UInt8]]) -> BytePath? {
    let name = "memento/config".utf8
    if let given = environment["XDG_CONFIG_HOME"], BytePath(given).isAbsolute { return BytePath(given).appending(name) }
    guard let home = environment["HOME"], BytePath(home).isAbsolute else { return nil }
    return BytePath(home).appending(".config".utf8).appending(name)
  }

  private static func contents(of file: Int32, _ path: BytePath) throws -> [UInt8] {
    do throws(Errno) {
      return try DescriptorBytes.all(of: file, limit: largest)
    } catch {
      throw ErrorReport.system("read", path, error)
    }
  }

  /// Parses lines of the form `key = value`, and comments that begin with `#`.
  init(_ bytes: [UInt8], _ path: BytePath, home: [UInt8]?) {
    file = ConfigFile(path: path, bytes: bytes)
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = UserConfig.trimmed(line)
      if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
      let place = "\(TerminalText.escaped(path)), line \(index + 1)"
      guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else {
        fail(ErrorReport.usage("\(place): it is not of the form \"key = value\""))
        continue
      }
      let key = String(decoding: UserConfig.trimmed(text[..<equals]), as: UTF8.self)
      if key != "trust" {
        notes += UserConfig.note(on: key).map { ["\(place): \($0)"] } ?? []
        continue
      }
      let value = Array(UserConfig.trimmed(text[text.index(after: equals)...]))
      guard let trusted = UserConfig.trustedPath(value, home: home) else {
        fail(ErrorReport.usage("\(place): the value of trust is not an absolute path", advice: Advice.trustLines))
        continue
      }
      trustedPaths.append(trusted)
    }
  }

  private mutating func fail(_ report: ErrorReport) {
    failure = failure ?? report
  }

  /// What is wrong with a key in this file; nil when nothing is.
  private static func note(on key: String) -> String? {
    guard let known = ConfigKey.named(key) else {
      let nearest = ConfigKey.nearest(to: key).map { "; did you mean \"\($0)\"?" } ?? ""
      return "unknown key \"\(TerminalText.escaped(key))\"\(nearest)"
    }
    return known.isOfUser ? nil : "\(key) counts in the config of a store only"
  }

  private static func trustedPath(_ value: [UInt8], home: [UInt8]?) -> BytePath? {
    if value == [UInt8(ascii: "*")] { return BytePath(value) }
    if value.starts(with: "~/".utf8), let home { return BytePath(home).appending(value.dropFirst(2)) }
    let path = BytePath(value)
    return path.isAbsolute && !value.contains(0) ? path : nil
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let space: [UInt8] = [0x20, 0x09, 0x0d]
    var rest = bytes.drop { space.contains($0) }
    while let last = rest.last, space.contains(last) { rest.removeLast() }
    return rest
  }
}

extension CommandContext {
  /// The user who called sudo; nil when this is not root started by sudo.
  var sudoUser: UInt32? {
    isRoot ? variable("SUDO_UID").flatMap { UInt32($0) } : nil
  }
}
