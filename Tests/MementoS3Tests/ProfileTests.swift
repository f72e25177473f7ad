import MementoObjects
import MementoSystem
import MementoTime
import NIOCore
import TestSupport
import Testing

@testable import MementoS3

struct ProfileTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func environment(_ more: [String: String] = [:]) -> [String: String] {
    var all = [
      "AWS_CONFIG_FILE": "\(folder.path)/config", "AWS_SHARED_CREDENTIALS_FILE": "\(folder.path)/credentials",
      "AWS_EC2_METADATA_DISABLED": "true",
    ]
    all.merge(more) { $1 }
    return all
  }

  private func config(_ text: String) throws {
    try folder.write("config", text.bytes)
  }

  /// The key that is found where no service answers.
  private func key(_ more: [String: String] = [:]) throws -> AccessKey {
    let environment = environment(more)
    let nobody: KeyServices.Fetch = { (_, _) throws(TransportError) in
      throw TransportError(kind: .unreachable, reason: "nobody")
    }
    let services = KeyServices(environment: environment, fetch: nobody, fetchHere: nobody)
    return try KeyChain(try Profiles(environment), services, region: "us-east-1").key()
  }

  @Test func theFormOfTheFiles() {
    let file = ProfileFile(
      Array(
        "key = none\n[default]\r\n# no\n ; no\nRegion=eu-1 # why\n\n[ profile a b ]\ns3 =\n  addressing_style = path\nx = a=b;c\n[cut\ny=1\n[]\nz\n"
          .utf8))
    #expect(file.sections["default"] == ["region": "eu-1"])
    #expect(file.sections["profile a b"] == ["s3": "", "s3.addressing_style": "path", "x": "a=b;c"])
    #expect(file.sections[""] == [:] && file.sections.count == 3)
    // Anything is survived.
    var random = SplitMix64(seed: 3)
    for _ in 0..<500 {
      _ = ProfileFile((0..<60).map { _ in "[]=#; \n\ta\u{ff}".utf8.randomElement(using: &random)! })
    }
  }

  @Test func theEnvironmentComesFirst() throws {
    try folder.write("credentials", "[default]\naws_access_key_id = of-file\naws_secret_access_key = s\n".bytes)
    #expect(try key().id == "of-file")
    let found = try key(["AWS_ACCESS_KEY_ID": "e", "AWS_SECRET_ACCESS_KEY": "f", "AWS_SESSION_TOKEN": "g"])
    #expect(found == AccessKey(id: "e", secret: "f", sessionToken: "g"))
    #expect(failure { try key(["AWS_ACCESS_KEY_ID": "e"]) }?.kind == .denied)
    #expect(failure { try key(["AWS_ACCESS_KEY_ID": "e", "AWS_SECRET_ACCESS_KEY": "a\nb"]) }?.kind == .denied)
  }

  @Test func profiles() throws {
    try config(
      "[default]\nregion = eu-1\n[profile work]\nregion = eu-2\naws_access_key_id = x\naws_secret_access_key = y\n")
    try folder.write(
      "credentials", "[work]\naws_access_key_id = w\naws_secret_access_key = v\naws_session_token = t\n".bytes)
    #expect(try key(["AWS_PROFILE": "work"]) == AccessKey(id: "w", secret: "v", sessionToken: "t"))
    #expect(try Profiles(environment(["AWS_PROFILE": "work"]))["region"] == "eu-2")
    #expect(try Profiles(environment())["region"] == "eu-1")
    #expect(failure { try key(["AWS_PROFILE": "none"]) }?.reason.contains("no profile none") == true)
    #expect(failure { try key() }?.reason.hasPrefix("no credentials") == true)
  }

  @Test func aProgram() throws {
    try config(
      """
      [default]
      credential_process = cat; echo '{"Version":1,"AccessKeyId":"p","SecretAccessKey":"q","SessionToken":"r","Expiration":"2100-01-01T00:00:00+00:00"}'
      [profile wrong]
      credential_process = echo '{}'
      [profile failing]
      credential_process = exit 3
      [profile sso]
      sso_session = x
      """)
    let found = try key()
    #expect(found.id == "p" && found.sessionToken == "r" && found.expires?.seconds == 4_102_444_800)
    #expect(failure { try key(["AWS_PROFILE": "wrong"]) }?.kind == .denied)
    #expect(failure { try key(["AWS_PROFILE": "failing"]) }?.kind == .denied)
    #expect(failure { try key(["AWS_PROFILE": "sso"]) }?.reason.contains("SSO") == true)
  }

  @Test func sourcesThatLeadNowhere() throws {
    try config(
      """
      [profile a]
      role_arn = r
      source_profile = b
      [profile b]
      role_arn = s
      source_profile = a
      [profile c]
      role_arn = r
      source_profile = none
      [profile d]
      role_arn = r
      [profile e]
      role_arn = r
      mfa_serial = m
      source_profile = keys
      [profile keys]
      aws_access_key_id = i
      aws_secret_access_key = s
      """)
    for (name, word) in [("a", "name each other"), ("c", "is not there"), ("d", "no source"), ("e", "a code")] {
      let error = failure { try key(["AWS_PROFILE": name]) }
      #expect(error?.kind == .denied && error?.reason.contains(word) == true, "\(name): \(error?.reason ?? "none")")
    }
  }

  @Test func whatServicesSay() {
    #expect(AccessKey(json: Array("[[[[".utf8)) == nil)
    #expect(AccessKey(json: Array(repeating: UInt8(ascii: "["), count: 60_000)) == nil)
    #expect(AccessKey(json: Array("{\"AccessKeyId\":1}".utf8)) == nil)
    #expect(
      AccessKey(json: Array("{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"b\",\"Expiration\":\"x\"}".utf8)) == nil)
    #expect(AccessKey(xml: Array("<a/>".utf8), action: "AssumeRole") == nil)
  }

  // MARK: Services

  private func objects(_ engine: FakeEngine, _ more: [String: String]) throws -> BucketObjects {
    var environment = environment(["AWS_ENDPOINT_URL": engine.endpoint, "AWS_ENDPOINT_URL_STS": engine.endpoint])
    environment.merge(more) { $1 }
    return try BucketObjects("s3://bucket", environment: environment, limits: FakeEngine.limits)
  }

  @Test func rolesAndMachines() throws {
    let engine = try FakeEngine("token=a-token")
    try folder.write("proof", "proof\n".bytes)
    try config(
      """
      [profile role]
      role_arn = arn:one
      source_profile = keys
      role_session_name = me
      [profile keys]
      aws_access_key_id = \(FakeEngine.id)
      aws_secret_access_key = \(FakeEngine.secret)
      aws_session_token = a-token
      """)
    let here = ["AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": engine.endpoint]
    let container = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(engine.endpoint)/container"]
    for variables in [
      ["AWS_PROFILE": "role"], here,
      ["AWS_WEB_IDENTITY_TOKEN_FILE": "\(folder.path)/proof", "AWS_ROLE_ARN": "arn:two"],
      container.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN": "let-me-in"]) { $1 },
    ] {
      #expect(try objects(engine, variables).names() == [], "\(variables)")
    }
    let log = try engine.log()
    #expect(log.contains("STS AssumeRole arn:one me"))
    #expect(log.contains("STS AssumeRoleWithWebIdentity arn:two memento"))
    #expect(failure { try objects(engine, container).names() }?.kind == .denied)
    try folder.write("proof", "another".bytes)
    let wrong = failure {
      try objects(engine, ["AWS_WEB_IDENTITY_TOKEN_FILE": "\(folder.path)/proof", "AWS_ROLE_ARN": "arn:two"]).names()
    }
    #expect(wrong?.kind == .denied && wrong?.reason.contains("InvalidIdentityToken") == true)
    let stranger = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/container"]
    #expect(failure { try objects(engine, stranger).names() }?.reason.contains("not of this machine") == true)
  }
}
