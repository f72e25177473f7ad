// Where the credentials come from: the first of several places that has some, as in the programs of AWS.

internal import MementoObjects
internal import MementoSystem
internal import MementoTime
internal import Synchronization

/// The key of this user, looked up when it is first needed and again before it expires. It is kept in memory alone.
final class KeyChain: Sendable {
  private let environment: [String: String]
  private let profiles: Profiles
  private let services: KeyServices
  private let region: String
  private let known = Mutex<AccessKey?>(nil)

  /// In seconds: how long before its end a key is replaced.
  private static let margin: Int64 = 120
  /// How many profiles can take their key from another one.
  private static let longestChain = 5

  init(_ profiles: Profiles, _ services: KeyServices, region: String) {
    environment = services.environment
    self.profiles = profiles
    self.services = services
    self.region = region
  }

  /// The key. Throws `.denied` when there is none.
  func key() throws(ObjectError) -> AccessKey {
    let present: AccessKey? = known.withLock { key in
      guard let found = key else { return nil }
      if let expires = found.expires, expires < Clock.now().adding(seconds: KeyChain.margin) { key = nil }
      return key
    }
    if let present { return present }
    // Two threads may both ask. What the second one gets is as good.
    let found = try look()
    known.withLock { $0 = found }
    return found
  }

  /// Forgets a key that was refused as expired. False when it would be the same again.
  func refuse(_ key: AccessKey) -> Bool {
    guard key.expires != nil else { return false }
    known.withLock { if $0 == key { $0 = nil } }
    return true
  }

  private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  private func look() throws(ObjectError) -> AccessKey {
    if let id = variable("AWS_ACCESS_KEY_ID") {
      guard let secret = variable("AWS_SECRET_ACCESS_KEY") else {
        throw ObjectError(.denied, "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not")
      }
      return try usable(AccessKey(id: id, secret: secret, sessionToken: variable("AWS_SESSION_TOKEN")))
    }
    if variable("AWS_PROFILE") == nil, let file = variable("AWS_WEB_IDENTITY_TOKEN_FILE"),
      let role = variable("AWS_ROLE_ARN")
    {
      return try webIdentity(file, role, variable("AWS_ROLE_SESSION_NAME"))
    }
    if let key = try key(of: profiles.name) { return key }
    if let key = try services.container() { return key }
    if let key = try services.instance() { return key }
    throw ObjectError(
      .denied, "no credentials: neither AWS_ACCESS_KEY_ID nor a profile, a role, a container or an instance has any")
  }

  private func usable(_ key: AccessKey) throws(ObjectError) -> AccessKey {
    if key.isUsable { return key }
    throw ObjectError(.denied, "the credentials hold spaces or other characters that no credentials have")
  }

  // MARK: Profiles

  /// The key of a profile; nil when it says nothing of keys.
  private func key(of first: String) throws(ObjectError) -> AccessKey? {
    // The roles to take on, the last one first.
    var roles: [[String: String]] = []
    var name = first
    while true {
      guard let profile = profiles.profile(name) else {
        if roles.isEmpty { return nil }
        throw ObjectError(.denied, "the profile \(name), which another one names, is not there")
      }
      guard roles.count < KeyChain.longestChain else {
        throw ObjectError(.denied, "the profiles name each other as their source")
      }
      // A profile that has keys, too, names itself as its source.
      let isItsOwnSource = !roles.isEmpty && profile["role_arn"] != nil && roles.last == profile
      guard profile["role_arn"] != nil, !isItsOwnSource, profile["web_identity_token_file"] == nil else {
        guard let key = try ownKey(profile) else {
          if roles.isEmpty { return nil }
          throw ObjectError(.denied, "the profile \(name) has no credentials")
        }
        return try assume(roles, key)
      }
      roles.append(profile)
      if let source = profile["source_profile"] {
        name = source
      } else {
        guard let key = try key(ofSource: profile["credential_source"] ?? "") else {
          throw ObjectError(.denied, "the profile \(name) has a role, and no source of credentials for it")
        }
        return try assume(roles, key)
      }
    }
  }

  private func key(ofSource source: String) throws(ObjectError) -> AccessKey? {
    switch source {
    case "Environment":
      guard let id = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY") else { return nil }
      return try usable(AccessKey(id: id, secret: secret, sessionToken: variable("AWS_SESSION_TOKEN")))
    case "EcsContainer": return try services.container()
    case "Ec2InstanceMetadata": return try services.instance()
    default: return nil
    }
  }

  /// What a profile has without another one.
  private func ownKey(_ profile: [String: String]) throws(ObjectError) -> AccessKey? {
    if let id = profile["aws_access_key_id"], let secret = profile["aws_secret_access_key"] {
      return try usable(AccessKey(id: id, secret: secret, sessionToken: profile["aws_session_token"]))
    }
    if let file = profile["web_identity_token_file"], let role = profile["role_arn"] {
      return try webIdentity(file, role, profile["role_session_name"])
    }
    if let command = profile["credential_process"] { return try KeyProgram.run(command) }
    if profile["sso_session"] != nil || profile["sso_start_url"] != nil {
      throw ObjectError(
        .denied,
        "the profile signs in by SSO; credential_process = aws configure export-credentials --profile NAME gives its keys"
      )
    }
    return nil
  }

  // MARK: Roles

  private func assume(_ roles: [[String: String]], _ source: AccessKey) throws(ObjectError) -> AccessKey {
    var key = source
    for role in roles.reversed() {
      if role["mfa_serial"] != nil {
        throw ObjectError(.denied, "the role of the profile wants a code of a device, which nobody can be asked for")
      }
      var parameters = [
        (name: "RoleArn", value: role["role_arn"] ?? ""),
        (name: "RoleSessionName", value: role["role_session_name"] ?? "memento"),
      ]
      if let id = role["external_id"] { parameters.append(("ExternalId", id)) }
      if let seconds = role["duration_seconds"] { parameters.append(("DurationSeconds", seconds)) }
      key = try services.role("AssumeRole", parameters, region: role["region"] ?? region, key: key)
    }
    return key
  }

  private func webIdentity(_ file: String, _ role: String, _ session: String?) throws(ObjectError) -> AccessKey {
    guard let bytes = try Profiles.contents(file, home: variable("HOME")) else {
      throw ObjectError(.denied, "the file with the token of the web identity is not there")
    }
    let token = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    return try services.role(
      "AssumeRoleWithWebIdentity",
      [("RoleArn", role), ("RoleSessionName", session ?? "memento"), ("WebIdentityToken", token)], region: region,
      key: nil)
  }
}
