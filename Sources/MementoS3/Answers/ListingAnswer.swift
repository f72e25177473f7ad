// The answer to ListObjectsV2.

internal import MementoTime

/// A page of keys.
struct ListingAnswer: Equatable {
  struct Entry: Equatable {
    let key: String
    let size: UInt64
    let modified: Timestamp
  }

  private(set) var entries: [Entry] = []
  let isTruncated: Bool
  /// What all keys begin with; nil when it does not say.
  let prefix: String?

  private static let most = 10_000

  init(_ bytes: [UInt8]) throws(XMLReader.Failure) {
    var entries: [Entry] = []
    let fields = try XMLFields(bytes, repeated: "ListBucketResult/Contents") { (field) throws(XMLReader.Failure) in
      guard let key = field["Key"], let sizeText = field["Size"], let size = UInt64(sizeText),
        let time = field["LastModified"].flatMap(AnswerTime.init(iso8601:))
      else { throw XMLReader.Failure(reason: "an entry has no key, size or time") }
      guard entries.count < ListingAnswer.most else { throw XMLReader.Failure(reason: "it has too many entries") }
      entries.append(Entry(key: key, size: size, modified: time.value))
    }
    guard fields.root == "ListBucketResult", let truncated = fields["IsTruncated"].flatMap(Bool.init) else {
      throw XMLReader.Failure(reason: "it is no listing")
    }
    self.entries = entries
    isTruncated = truncated
    prefix = fields["Prefix"]
  }
}
