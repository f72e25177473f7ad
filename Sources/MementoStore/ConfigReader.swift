// Reads `config`. A file without its format line is damaged. The reader notes a line that it does not understand and
// goes on, so that everything that does not depend on the line still works.

internal import MementoSystem

extension Config {
  /// Reads the bytes of `config`. `faults` gets the lines whose value is not understood, and `unknownKeys` the unknown
  /// keys. Throws `.newerFormat` for a format or a feature of a later version. Throws `.damaged` when the format is
  /// missing or is not a number, or when the file ends in the middle of a feature.
  package init(_ bytes: [UInt8]) throws(StoreError) {
    features = []
    var version: Int?
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("#") || text.allSatisfy(\.isWhitespace) { continue }
      do throws(LineFault) {
        try read(line, text, number: index + 1, &version)
      } catch {
        switch error {
        case .newer(let found):
          // A whole config ends with a newline. If this one ends inside the name of a known feature, it was cut off: it
          // is damaged, and not of a newer version.
          if !bytes.suffix(1).elementsEqual([UInt8(ascii: "\n")]), bytes.suffix(line.count).elementsEqual(line),
            ConfigFeature.isBeginning(found)
          {
            throw .damaged(file: "config", reason: "it ends in the middle of a line")
          }
          throw .newerFormat(found: found)
        case .damaged(let reason): throw .damaged(file: "config", reason: reason)
        case .value(let reason): faults.append(ConfigFault(line: index + 1, text: text, reason: reason))
        }
      }
      // Stop here: in another format the lines that follow may mean something else.
      if let version, version != Config.formatVersion { throw .newerFormat(found: "format \(version)") }
    }
    if version == nil { throw .damaged(file: "config", reason: "it does not name its format") }
  }

  private mutating func read(
    _ line: ArraySlice<UInt8>, _ text: String, number: Int, _ version: inout Int?
  ) throws(LineFault) {
    guard let equals = text.firstIndex(of: "=") else { throw .value("it is not of the form \"key = value\"") }
    let key = trimmed(text[..<equals])
    let value = trimmed(text[text.index(after: equals)...])
    switch key {
    case "format":
      guard let number = Int(value) else { throw .damaged("its format is not a number") }
      version = number
    case "requires":
      let (known, unknown) = ConfigFeature.read(value)
      if let unknown { throw .newer("feature \(unknown)") }
      features.formUnion(known)
    case "ignore", "protect":
      guard let pattern = Config.pattern(in: line) else { throw .value("it has no pattern") }
      let entry = ConfigPattern(line: number, pattern: pattern)
      if key == "ignore" { ignored.append(entry) } else { protected.append(entry) }
    default:
      if try set(key, to: value) { return }
      unknownKeys.append(UnknownKey(line: number, key: key, nearest: ConfigKeys.nearest(to: key)))
    }
  }

  /// The bytes after the equals sign, without the white space around them. A space after a backslash belongs to the
  /// pattern.
  private static func pattern(in line: ArraySlice<UInt8>) -> [UInt8]? {
    let space: Set<UInt8> = [0x20, 0x09, 0x0d]
    var value = line.drop { $0 != UInt8(ascii: "=") }.dropFirst().drop { space.contains($0) }
    while let last = value.last, space.contains(last) {
      // An odd number of backslashes before the space escapes it.
      let backslashes = value.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
      if last == 0x20, backslashes % 2 == 1 { break }
      value.removeLast()
    }
    return value.isEmpty ? nil : Array(value)
  }

  /// Sets the value of a key. Returns false when the key is not known.
  private mutating func set(_ key: String, to value: String) throws(LineFault) -> Bool {
    switch key {
    case "compression":
      guard let compression = Compression(value) else { throw .value("not none, zlib[:1-9] or zstd[:1-19]") }
      self.compression = compression
    case "chunk":
      let numbers = value.split(separator: " ").map { Int($0) ?? 0 }
      guard numbers.count == 3,
        let sizes = ChunkSizes(minimum: numbers[0], average: numbers[1], maximum: numbers[2])
      else { throw .value("not three rising sizes in bytes") }
      chunkSizes = sizes
    case "data-block": dataBlock = try blockSize(value)
    case "meta-block": metaBlock = try blockSize(value)
    case "folder":
      guard let folder = PercentText.decode(value) else { throw .value("not a path") }
      self.folder = folder
    case "gitignore": readsGitignore = try truth(value)
    case "exclude-caches": excludesCaches = try truth(value)
    case "cross-mounts": crossesMounts = try truth(value)
    case "exclude-larger-than":
      guard let size = SizeText.bytes(value) else { throw .value("not a size such as 500k, 20M or 1.5G") }
      largestFile = size
    default: return false
    }
    return true
  }

  private func truth(_ value: String) throws(LineFault) -> Bool {
    switch value {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw .value("not true or false")
    }
  }

  private func blockSize(_ value: String) throws(LineFault) -> Int {
    guard let size = Int(value), (4096...(8 << 20)).contains(size) else {
      throw .value("not a size of 4096 to 8388608 bytes")
    }
    return size
  }
}

/// What is wrong with one line: a bad value, a damaged file, or a format or feature of a newer version.
private enum LineFault: Error {
  case value(String)
  case damaged(String)
  case newer(String)
}

private func trimmed(_ text: Substring) -> String {
  var text = text
  while let first = text.first, first.isWhitespace { text = text.dropFirst() }
  while let last = text.last, last.isWhitespace { text = text.dropLast() }
  return String(text)
}
