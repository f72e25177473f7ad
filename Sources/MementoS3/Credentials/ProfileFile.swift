// The files of AWS: ~/.aws/config and ~/.aws/credentials.

/// Sections with `key = value`. Indented lines below a key without a value are keys of their own, as `s3.addressing_style`.
struct ProfileFile: Equatable, Sendable {
  private(set) var sections: [String: [String: String]] = [:]

  init() {}

  init(_ bytes: [UInt8]) {
    var section: String?
    var parent: String?
    for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
      let text = String(decoding: line, as: UTF8.self)
      let isIndented = text.first == " " || text.first == "\t"
      let content = ProfileFile.trimmed(text)
      guard let first = content.first, first != "#", first != ";" else { continue }
      if first == "[" {
        section = content.firstIndex(of: "]").map { ProfileFile.trimmed(content[..<$0].dropFirst()) }
        parent = nil
        if let section { sections[section] = sections[section] ?? [:] }
        continue
      }
      guard let section, let equals = content.firstIndex(of: "=") else { continue }
      let key = ProfileFile.trimmed(content[..<equals]).lowercased()
      let value = ProfileFile.value(content[content.index(after: equals)...])
      if isIndented, let parent {
        sections[section]?["\(parent).\(key)"] = value
      } else {
        sections[section]?[key] = value
        parent = value.isEmpty ? key : nil
      }
    }
  }

  /// Without a comment at its end.
  private static func value(_ text: Substring) -> String {
    var text = text
    for mark in [" #", " ;", "\t#", "\t;"] {
      if let place = text.firstRange(of: mark) { text = text[..<place.lowerBound] }
    }
    return trimmed(text)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let rest = text.drop { $0 == " " || $0 == "\t" }
    return String(rest.prefix(rest.count - rest.reversed().prefix { $0 == " " || $0 == "\t" }.count))
  }
}
