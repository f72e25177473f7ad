// Where requests to a bucket go at present. The engine may correct it: it knows in which region the bucket is.

/// An endpoint, a region and a style of URLs.
struct RequestTarget: Equatable, Sendable {
  let bucket: String
  var endpoint: Endpoint
  var region: String
  let isPathStyle: Bool
  /// Whether the endpoint was given, and is not that of AWS for the region.
  let isGiven: Bool

  /// `endpoint`, `region`: what the environment and the profile say.
  init(_ place: BucketPlace, endpoint: Endpoint?, region: String?) {
    bucket = place.bucket
    let given = place.endpoint ?? endpoint
    self.region = place.region ?? region ?? "us-east-1"
    self.endpoint = given ?? .ofAWS(region: self.region)
    isGiven = given != nil
    // Engines of others often have one host name, and a certificate for it alone.
    isPathStyle = place.isPathStyle ?? !(self.endpoint.isOfAWS && place.isBucketALabel)
  }

  /// The endpoint with the bucket, if it belongs there.
  var host: Endpoint { isPathStyle ? endpoint : endpoint.withBucket(bucket) }

  /// Percent-encoded. `key`: empty for the bucket itself.
  func path(_ key: String) -> String {
    let object = PercentEncoding.encode(key.utf8, keeping: "/")
    return isPathStyle ? "/\(PercentEncoding.encode(bucket.utf8))" + (key.isEmpty ? "" : "/\(object)") : "/\(object)"
  }

  /// Percent-encoded and sorted.
  static func query(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { (PercentEncoding.encode($0.name.utf8), PercentEncoding.encode($0.value.utf8)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// Takes over what the engine says. False when it says nothing new.
  mutating func correct(region: String) -> Bool {
    guard region != self.region, BucketPlace.isRegion(region) else { return false }
    self.region = region
    if !isGiven { endpoint = .ofAWS(region: region) }
    return true
  }

  /// Follows a redirect to another host. False when it must not.
  mutating func follow(_ location: String) -> Bool {
    guard let mark = location.firstRange(of: "://") else { return false }
    let authority = location[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard var other = Endpoint(String(location[..<mark.upperBound] + authority)), host.mayRedirect(to: other) else {
      return false
    }
    if !isPathStyle {
      guard other.host.hasPrefix("\(bucket).") else { return false }
      other = Endpoint(isSecure: other.isSecure, host: String(other.host.dropFirst(bucket.count + 1)), port: other.port)
    }
    guard other != endpoint else { return false }
    endpoint = other
    return true
  }
}
