import MementoObjects
import MementoSystem
import TestSupport
import Testing

@testable import MementoS3

/// TLS and proxies.
@Suite(.enabled(if: Machine.has("python3"), "needs python3")) struct TransportTests {
  private static let authority = ["AWS_CA_BUNDLE": "\(FakeEngine.folder)/authority.pem"]

  private func secure(_ host: String = "localhost") throws -> (FakeEngine, String) {
    let engine = try FakeEngine(FakeEngine.secure[0], FakeEngine.secure[1])
    return (engine, "s3://bucket/a?path-style=true&endpoint=https%3A%2F%2F\(host)%3A\(engine.port)")
  }

  @Test func certificates() throws {
    let (engine, url) = try secure()
    let objects = try engine.objects(url, TransportTests.authority)
    let content = Content.random(200_000, seed: 1)
    try objects.put(content, "x")
    #expect(try objects.content("x") == content)
    // Nobody here knows who has signed it.
    let unknown = failure { try engine.objects(url).names() }
    #expect(unknown?.kind == .untrusted && unknown?.reason.contains("no known authority") == true, "\(unknown as Any)")
    let missing = failure { try engine.objects(url, ["AWS_CA_BUNDLE": "/nonexistent"]) }
    #expect(missing?.kind == .local && missing?.reason.contains("AWS_CA_BUNDLE") == true)
  }

  @Test func theCertificateOfAnotherHost() throws {
    let (engine, _) = try secure()
    let proxy = try FakeEngine()
    let url = "s3://bucket/a?path-style=true&endpoint=https%3A%2F%2Fanother.example%3A\(engine.port)"
    let error = failure {
      try engine.objects(url, TransportTests.authority.merging(["HTTPS_PROXY": proxy.endpoint]) { $1 }).names()
    }
    #expect(error?.kind == .untrusted && error?.reason.contains("another host") == true, "\(error as Any)")
  }

  @Test func noTLSAtAll() throws {
    let engine = try FakeEngine()
    let url = "s3://bucket/a?endpoint=https%3A%2F%2Flocalhost%3A\(engine.port)"
    let error = failure { try engine.objects(url).names() }
    #expect(error?.kind == .unreachable, "\(error as Any)")
  }

  @Test func proxies() throws {
    let (engine, url) = try secure()
    let proxy = try FakeEngine("proxy=me:p@ss")
    let through = "http://me:p%40ss@127.0.0.1:\(proxy.port)"
    var variables = TransportTests.authority.merging(["HTTPS_PROXY": through]) { $1 }
    let objects = try engine.objects(url, variables)
    try objects.put([1], "x")
    #expect(try objects.names() == ["x"])
    #expect(
      try proxy.log().allSatisfy { $0 == "CONNECT localhost:\(engine.port)" } && !proxy.log().isEmpty)
    // The bucket before the host.
    let virtual = "s3://bucket/a?path-style=false&endpoint=https%3A%2F%2Flocalhost%3A\(engine.port)"
    #expect(try engine.objects(virtual, variables).names() == ["x"])
    #expect(try proxy.log().last == "CONNECT bucket.localhost:\(engine.port)")
    let count = try proxy.log().count
    variables["NO_PROXY"] = "localhost"
    #expect(try engine.objects(url, variables).names() == ["x"])
    #expect(try proxy.log().count == count)
    variables["NO_PROXY"] = nil
    variables["HTTPS_PROXY"] = proxy.endpoint
    let error = failure { try engine.objects(url, variables).names() }
    #expect(error?.kind == .denied && error?.reason.contains("proxy") == true, "\(error as Any)")
    #expect(error?.reason.contains("p@ss") == false)
  }
}
