// The line of `refs` for a step of a timeline. There may be a thousand of them: every command reads them, and every save
// writes them. See docs/format.md, "refs".

internal import MementoSystem

enum StepLine {
  static let word = Array("step ".utf8)
  /// The fewest bytes of a line: of a save without LIVED and paths, with the newline.
  static let shortest = word.count + Timestamp.rfc3339Length + 1 + 4 + 1 + 64 + 1
  private static let space = UInt8(ascii: " ")

  /// Appends `step TIME OPERATION ID [LIVED] [PATH...]` and a newline. `lived`: nil leaves the age out.
  static func append(_ step: TimelineStep, lived: UInt64?, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: word)
    step.time.appendRFC3339(to: &bytes)
    bytes.append(space)
    bytes.append(contentsOf: step.operation.rawValue.utf8)
    bytes.append(space)
    step.snapshot.appendHex(to: &bytes)
    if let lived {
      bytes.append(space)
      DecimalDigits.append(lived, to: &bytes)
    }
    for path in step.paths {
      bytes.append(space)
      bytes.append(contentsOf: PercentText.encode(path).utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Decodes a line without its newline. `hasAges`, `hasPaths`: whether there is LIVED, and whether there may be paths.
  /// Nil for anything that `append` does not write.
  static func decode(_ line: UnsafeRawBufferPointer, hasAges: Bool, hasPaths: Bool) -> TimelineStep? {
    guard let (found, end) = withoutPaths(line, hasAges: hasAges) else { return nil }
    if end == line.count { return found }
    guard hasPaths, let paths = RefsCodec.paths(Array(line[end...])[...]) else { return nil }
    var step = found
    step.paths = paths
    return step
  }

  /// Whether a text begins with a line for a step.
  static func begins(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count >= word.count && zip(text, word).allSatisfy { $0 == $1 }
  }

  /// The step of a line up to its paths, and where these begin.
  private static func withoutPaths(
    _ line: UnsafeRawBufferPointer, hasAges: Bool
  ) -> (step: TimelineStep, end: Int)? {
    func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
      UnsafeRawBufferPointer(rebasing: line[range]).assumingMemoryBound(to: UInt8.self)
    }
    func endOfWord(_ start: Int) -> Int { line[start...].firstIndex(of: space) ?? line.count }
    let operation = word.count + Timestamp.rfc3339Length + 1
    guard line.count > operation, line[operation - 1] == space,
      let time = Timestamp(rfc3339: part(word.count..<operation - 1))
    else { return nil }
    let id = endOfWord(operation) + 1
    guard id + 64 <= line.count, let what = self.operation(part(operation..<id - 1)),
      let snapshot = ObjectID(part(id..<id + 64))
    else { return nil }
    var end = id + 64
    var lived: UInt64?
    if hasAges {
      guard end < line.count, line[end] == space else { return nil }
      let digits = end + 1
      end = endOfWord(digits)
      lived = DecimalDigits.number(part(digits..<end))
      if lived == nil { return nil }
    }
    return (TimelineStep(operation: what, time: time, snapshot: snapshot, lived: lived), end)
  }

  private static let operations = StepOperation.allCases.map { ($0, Array($0.rawValue.utf8)) }

  private static func operation(_ word: UnsafeBufferPointer<UInt8>) -> StepOperation? {
    operations.first { word.elementsEqual($0.1) }?.0
  }
}
