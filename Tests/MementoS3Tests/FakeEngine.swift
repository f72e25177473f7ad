// Engine/fake-s3.py as a process.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

@testable import MementoS3

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bucket called `bucket` on this machine, in an engine that fails as it is told. It ends with this value.
final class FakeEngine: Sendable {
  static let folder = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Engine"
  static let id = "AKIDEXAMPLE"
  static let secret = "secret/of+test"

  let port: UInt16
  private let directory: TemporaryDirectory
  private let program: RunningProgram

  /// `settings`: as the program describes them, such as `page=2`.
  init(_ settings: String...) throws {
    directory = try TemporaryDirectory()
    program = try RunningProgram(["python3", "\(FakeEngine.folder)/fake-s3.py", directory.path] + settings)
    var waited = 0.0
    while true {
      let said = program.errorsSoFar
      if said.hasSuffix("\n") {
        let words = said.split(whereSeparator: \.isWhitespace)
        port = try #require(words.count == 2 && words[0] == "port" ? UInt16(words[1]) : nil, "\(said)")
        return
      }
      try #require(waited < 30, "the engine did not start")
      Clock.sleep(seconds: 0.01)
      waited += 0.01
    }
  }

  deinit {
    program.signal(SIGKILL)
    _ = try? program.wait(timeout: 5)  // it is killed
  }

  /// With these settings, it speaks TLS.
  static let secure = ["certificate=\(folder)/host.pem", "private=\(folder)/host-private.pem"]

  var endpoint: String { "http://127.0.0.1:\(port)" }

  /// What goes wrong from now on: rules of the program.
  func fail(_ rules: String...) throws {
    try directory.write("faults", rules.map { "\($0)\n" }.joined().bytes)
  }

  /// The requests so far: method, path with query, and range.
  func log() throws -> [String] {
    guard let text = try directory.descriptor.contents(of: "log".bytes) else { return [] }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Short times, so that tests are quick.
  static let limits: RetryLimits = {
    var limits = RetryLimits()
    limits.silence = 0.6
    limits.allSilence = 3
    limits.pause = 0.01
    limits.longestPause = 0.1
    return limits
  }()

  func environment(_ more: [String: String] = [:]) -> [String: String] {
    var environment = [
      "AWS_ACCESS_KEY_ID": FakeEngine.id, "AWS_SECRET_ACCESS_KEY": FakeEngine.secret, "AWS_ENDPOINT_URL_S3": endpoint,
      "AWS_EC2_METADATA_DISABLED": "true",
    ]
    environment.merge(more) { $1 }
    return environment
  }

  func objects(
    _ url: String = "s3://bucket/a/b", _ more: [String: String] = [:], limits: RetryLimits = FakeEngine.limits
  ) throws -> BucketObjects {
    try BucketObjects(url, environment: environment(more), limits: limits)
  }
}

extension BucketObjects {
  func content(_ name: String, at offset: UInt64 = 0, count: Int = 32 << 20) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let name = try #require(ObjectName(name))
    let filled = try buffer.withUnsafeMutableBytes { try read(name, at: offset, into: $0) }
    return Array(buffer[..<filled])
  }

  func put(_ bytes: [UInt8], _ name: String) throws {
    try put(ObjectBytes(bytes), as: #require(ObjectName(name)))
  }

  func names(_ prefix: String = "") throws -> [String] {
    var names: [String] = []
    var page: String?
    repeat {
      let next = try list(prefix, page: page)
      names += next.objects.map(\.name.text)
      page = next.next
    } while page != nil
    return names
  }
}

/// The error of a body; nil when it throws none.
func failure<Result>(_ body: () throws -> Result) -> ObjectError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? ObjectError ?? ObjectError(.local, "another error: \(error)")
  }
}
