// The texts of a document, by the path of their element.

/// What a small document says. The paths of elements are as in `ListBucketResult/Contents/Key`.
struct XMLFields {
  /// The name of the outermost element.
  let root: String
  private let texts: [String: String]

  /// `repeated`: the path of an element that may occur many times; `each` gets the fields of each, by their names.
  init(
    _ bytes: [UInt8], repeated: String = "", each: ([String: String]) throws(XMLReader.Failure) -> Void = { _ in }
  ) throws(XMLReader.Failure) {
    var reader = XMLReader(bytes)
    var path: [String] = []
    var texts: [String: String] = [:]
    var entry: [String: String] = [:]
    var root = ""
    while let event = try reader.next() {
      switch event {
      case .start(let name):
        if path.isEmpty { root = name }
        path.append(name)
      case .end(let name, let text):
        let place = path.joined(separator: "/")
        path.removeLast()
        if place == repeated {
          try each(entry)
          entry = [:]
        } else if !repeated.isEmpty, place.hasPrefix("\(repeated)/") {
          entry[name] = text
        } else if texts.count < 200 {
          texts[place] = text
        }
      }
    }
    self.root = root
    self.texts = texts
  }

  /// The text of the element of this name in the outermost one; with slashes, of one in another.
  subscript(_ path: String) -> String? { texts["\(root)/\(path)"] }
}
