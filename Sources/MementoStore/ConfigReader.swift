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
        try read(Array(line), number: index + 1, &version)
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

  private mutating func read(_ bytes: [UInt8], number: Int, _ version: inout Int?) throws(LineFault) {
    guard let line = ConfigLine(bytes, number: number) else { throw .value("it is not of the form \"key = value\"") }
    switch line.key {
    case "format":
      guard let number = Int(line.value) else { throw .damaged("its format is not a number") }
      version = number
    case "requires":
      let (known, unknown) = ConfigFeature.read(line.value)
      if let unknown { throw .newer("feature \(unknown)") }
      features.formUnion(known)
    case "compression":
      guard let compression = Compression(line.value) else { throw .value("not none, zlib[:1-9] or zstd[:1-19]") }
      self.compression = compression
    case "chunk":
      let numbers = line.value.split(separator: " ").map { Int($0) ?? 0 }
      guard numbers.count == 3,
        let sizes = ChunkSizes(minimum: numbers[0], average: numbers[1], maximum: numbers[2])
      else { throw .value("not three rising sizes in bytes") }
      chunkSizes = sizes
    case "data-block": dataBlock = try blockSize(line.value)
    case "meta-block": metaBlock = try blockSize(line.value)
    case "parity":
      guard let share = ParityShare(line.value) else { throw .value("not none, or a share of 1% to 50%") }
      parity = share
    default: otherLines.append(line)
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
