// What the URL of a remote and the environment say of the place in a bucket.

package import MementoObjects

/// `s3://BUCKET[/PREFIX][?endpoint=…&region=…&path-style=…]`.
package struct BucketPlace: Equatable, Sendable {
  package let bucket: String
  /// Without slashes around it; empty for the whole bucket.
  package let prefix: String
  /// Of the URL; nil where it says nothing.
  var endpoint: Endpoint?
  var region: String?
  var isPathStyle: Bool?

  package init(_ url: String) throws(ObjectError) {
    func unusable(_ reason: String) -> ObjectError { ObjectError(.local, "the URL cannot be used: \(reason)") }
    guard url.hasPrefix("s3://"), url.utf8.count <= 4200 else { throw unusable("it is not s3://BUCKET/PREFIX") }
    let parts = url.dropFirst(5).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0]
    bucket = String(place.prefix { $0 != "/" })
    guard BucketPlace.isBucket(bucket) else { throw unusable("no bucket can have the name that it says") }
    guard let path = PercentEncoding.decode(place.dropFirst(bucket.count)) else {
      throw unusable("its path has a wrong percent sequence, or is not UTF-8")
    }
    var names = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    while names.first == "" { names.removeFirst() }
    while names.last == "" { names.removeLast() }
    // Listings are XML, which cannot say these. Engines and proxies take parts with dots away.
    guard !path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }), path.utf8.count <= 800,
      !names.contains(where: { ["", ".", ".."].contains($0) })
    else { throw unusable("its prefix is too long, or has empty parts, dots or control characters") }
    prefix = names.joined(separator: "/")
    if parts.count == 2 {
      for pair in parts[1].split(separator: "&") {
        let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let value = PercentEncoding.decode(words[1]) else {
          throw unusable("what follows ? is not KEY=VALUE")
        }
        try set(String(words[0]), value)
      }
    }
  }

  private mutating func set(_ key: String, _ value: String) throws(ObjectError) {
    switch key {
    case "endpoint":
      guard let given = Endpoint(value) else {
        throw ObjectError(.local, "the endpoint of the URL is not http[s]://HOST[:PORT]")
      }
      endpoint = given
    case "region":
      guard BucketPlace.isRegion(value) else { throw ObjectError(.local, "the region of the URL is no region") }
      region = value
    case "path-style":
      guard let given = Bool(value) else {
        throw ObjectError(.local, "path-style in the URL is neither true nor false")
      }
      isPathStyle = given
    default: throw ObjectError(.local, "the URL has an unknown parameter")
    }
  }

  static func isRegion(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && isBucket(text)
  }

  private static func isBucket(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "."), text.utf8.count <= 255
    else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  /// Whether the name can be a part of a host that the wildcard of a certificate covers.
  var isBucketALabel: Bool {
    (3...63).contains(bucket.utf8.count) && bucket.last != "-"
      && bucket.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  /// The key of an object.
  package func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }
}
