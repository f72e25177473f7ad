import MementoObjects
import Testing

@testable import MementoS3

struct PlaceTests {
  @Test func urls() throws {
    let place = try BucketPlace(
      "s3://my.bucket/a/b%20c/?endpoint=https%3A%2F%2Fhost%3A9000&region=eu-1&path-style=false")
    #expect(place.bucket == "my.bucket" && place.prefix == "a/b c" && place.key("packs/x") == "a/b c/packs/x")
    #expect(place.endpoint == Endpoint("https://host:9000") && place.region == "eu-1" && place.isPathStyle == false)
    let bare = try BucketPlace("s3://b")
    #expect(bare.prefix == "" && bare.key("x") == "x" && bare.endpoint == nil && bare.isPathStyle == nil)
  }

  @Test(arguments: [
    "", "s3://", "s3:///a", "http://b", "s3://-b", "s3://b/a//c", "s3://b/../c", "s3://b/a/./c", "s3://b/%zz",
    "s3://b/%00",
    "s3://b/%ff", "s3://b?x=1", "s3://b?endpoint=host", "s3://b?region=a%20b", "s3://b?path-style=yes", "s3://b?region",
    "s3://b%2f/c",
  ])
  func refuses(_ url: String) {
    #expect(failure { try BucketPlace(url) }?.kind == .local)
  }

  @Test func endpoints() {
    #expect(Endpoint("https://h:443/")?.description == "https://h")
    #expect(Endpoint("http://[::1]:8080")?.authority == "[::1]:8080")
    #expect(Endpoint("http://[::1]")?.port == nil)
    for text in [
      "h", "ftp://h", "http://", "http://u:p@h", "http://h/p", "http://h:0", "http://h:99999", "http://h?x",
      "http://-h",
    ] {
      #expect(Endpoint(text) == nil, "\(text)")
    }
    #expect(Endpoint.ofAWS(region: "cn-north-1").host == "s3.cn-north-1.amazonaws.com.cn")
  }

  @Test func targets() throws {
    func target(_ url: String, _ endpoint: String? = nil) throws -> RequestTarget {
      RequestTarget(try BucketPlace(url), endpoint: endpoint.flatMap { Endpoint($0) }, region: "eu-1")
    }
    let aws = try target("s3://bucket/a")
    #expect(aws.host.description == "https://bucket.s3.eu-1.amazonaws.com" && aws.path("a/b c") == "/a/b%20c")
    // A certificate covers one label before the host.
    let dotted = try target("s3://a.bucket/a")
    #expect(dotted.host.description == "https://s3.eu-1.amazonaws.com" && dotted.path("k") == "/a.bucket/k")
    let other = try target("s3://bucket/a", "http://host:9000")
    #expect(other.host.description == "http://host:9000" && other.path("") == "/bucket")
    #expect(try target("s3://bucket?path-style=false", "http://host").host.description == "http://bucket.host")
    #expect(RequestTarget.query([("b", "x y"), ("a", "+/="), ("uploads", "")]) == "a=%2B%2F%3D&b=x%20y&uploads=")
  }

  @Test func corrections() throws {
    var aws = RequestTarget(try BucketPlace("s3://bucket"), endpoint: nil, region: "us-east-1")
    let moved1 = aws.correct(region: "eu-west-3")
    #expect(moved1 && aws.host.description == "https://bucket.s3.eu-west-3.amazonaws.com")
    let moved2 = aws.correct(region: "eu-west-3")
    let moved3 = aws.correct(region: "../evil")
    #expect(!moved2 && !moved3)
    let followed = aws.follow("https://bucket.s3-eu-west-3.amazonaws.com/key?x")
    #expect(followed && aws.endpoint.host == "s3-eu-west-3.amazonaws.com")
    for location in [
      "https://evil.example/", "http://bucket.s3.eu-west-3.amazonaws.com/", "https://bucket.evil.com/amazonaws.com",
      "https://other.s3.amazonaws.com/", "/x", "https://bucket.evilamazonaws.com/", "",
    ] {
      let went = aws.follow(location)
      #expect(!went, "\(location)")
    }
    var given = RequestTarget(try BucketPlace("s3://bucket?endpoint=http%3A%2F%2Fhost%3A1"), endpoint: nil, region: nil)
    let corrected = given.correct(region: "eu-9")
    #expect(corrected && given.host.description == "http://host:1" && given.region == "eu-9")
    let port = given.follow("http://host:2/bucket/key")
    let away = given.follow("http://elsewhere:2/bucket/key")
    #expect(port && !away && given.endpoint.port == 2)
  }

  @Test func theWayToTheNetwork() throws {
    func settings(_ endpoint: String, _ variables: [String: String]) throws -> TransportSettings {
      try TransportSettings(variables, for: #require(Endpoint(endpoint)), certificates: "of-profile")
    }
    let proxied = try settings("https://s3.host", ["HTTPS_PROXY": "http://a:b%40c@proxy:3128", "AWS_CA_BUNDLE": "f"])
    #expect(proxied.proxy == .init(host: "proxy", port: 3128, user: "a", password: "b@c"))
    #expect(proxied.certificates == "f")
    #expect(try settings("http://s3.host", ["HTTPS_PROXY": "http://p", "HTTP_PROXY": "http://p"]).proxy == nil)
    #expect(try settings("http://s3.host", ["http_proxy": "p:1"]).proxy?.port == 1)
    #expect(try settings("https://s3.host", ["ALL_PROXY": "http://p"]).certificates == "of-profile")
    for list in ["*", "host", ".host", "x, s3.host", "s3.host:443"] {
      #expect(try settings("https://s3.host", ["HTTPS_PROXY": "http://p", "NO_PROXY": list]).proxy == nil, "\(list)")
    }
    for list in ["ost", "other", "s3.host:80", ""] {
      #expect(try settings("https://s3.host", ["HTTPS_PROXY": "http://p", "NO_PROXY": list]).proxy != nil, "\(list)")
    }
    for proxy in ["socks5://p", "https://p", "http://p:0", "http://%zz@p"] {
      #expect(failure { try settings("https://h", ["HTTPS_PROXY": proxy]) }?.kind == .local, "\(proxy)")
    }
  }
}
