// `credential_process` of a profile: a program that prints a key.

internal import MementoObjects

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

enum KeyProgram {
  private static let longest = 64 << 10

  /// Runs the command line of a profile, by the shell, and reads the key that it prints.
  static func run(_ command: String) throws(ObjectError) -> AccessKey {
    // Its standard input is not that of this program, on which requests come in.
    guard !command.utf8.contains(0), let stream = popen("exec </dev/null; \(command)", "r") else {
      throw ObjectError(.denied, "the credential_process of the profile cannot be started")
    }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while output.count <= longest {
      let count = fread(&buffer, 1, buffer.count, stream)
      if count == 0 { break }
      output += buffer[..<count]
    }
    guard pclose(stream) == 0, let key = AccessKey(json: output) else {
      throw ObjectError(.denied, "the credential_process of the profile gives no credentials")
    }
    return key
  }
}
