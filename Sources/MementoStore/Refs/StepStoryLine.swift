// The line after a step of `refs` that says what the step did. See docs/format.md, "refs".

enum StepStoryLine {
  static let word = Array("did ".utf8)
  /// The most bytes of a name. A longer one is not of a state.
  private static let longestName = 1024

  /// Appends `did run STATUS MILLISECONDS whole|cut WORD...`, `did restore NAME CREATED REPLACED REMOVED METADATA` or
  /// `did revert NAME UNTIL CREATED REPLACED REMOVED METADATA`, and a newline.
  static func append(_ story: StepStory, to bytes: inout [UInt8]) {
    var text: String
    switch story {
    case .run(let run):
      text = "did run \(run.status) \(run.milliseconds) \(run.isCut ? "cut" : "whole")"
      // An empty word is the escaped character NUL, which no word has.
      for word in run.words { text += " " + (word.bytes.isEmpty ? "%00" : PercentText.encode(word.bytes)) }
    case .restored(let state):
      text = "did \(state.until == nil ? "restore" : "revert") \(PercentText.encode(state.name.utf8))"
      if let until = state.until { text += " " + PercentText.encode(until.utf8) }
      for count in [state.created, state.replaced, state.removed, state.metadata] { text += " \(count)" }
    }
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Decodes a line without its newline. Nil for anything that `append` does not write.
  static func decode(_ line: ArraySlice<UInt8>) -> StepStory? {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count >= 3, words[0].elementsEqual("did".utf8) else { return nil }
    if words[1].elementsEqual("run".utf8) { return run(words.dropFirst(2)) }
    if words[1].elementsEqual("restore".utf8) { return restored(words.dropFirst(2), names: 1) }
    if words[1].elementsEqual("revert".utf8) { return restored(words.dropFirst(2), names: 2) }
    return nil
  }

  private static func run(_ words: ArraySlice<ArraySlice<UInt8>>) -> StepStory? {
    var words = words
    guard words.count >= 4, let status = DecimalDigits.number(words.removeFirst()).flatMap({ UInt8(exactly: $0) }),
      let milliseconds = DecimalDigits.number(words.removeFirst())
    else { return nil }
    let form = words.removeFirst()
    let isCut = form.elementsEqual("cut".utf8)
    guard isCut || form.elementsEqual("whole".utf8) else { return nil }
    var kept: [BytePath] = []
    var count = 0
    for word in words {
      guard !word.isEmpty, var bytes = PercentText.decode(word) else { return nil }
      if bytes == [0] { bytes = [] }
      count += bytes.count
      guard !bytes.contains(0), count <= CommandRun.longest else { return nil }
      kept.append(BytePath(bytes))
    }
    return .run(CommandRun(kept: kept, isCut: isCut, status: status, milliseconds: milliseconds))
  }

  /// `names`: 1 for a restore, 2 for a revert.
  private static func restored(_ words: ArraySlice<ArraySlice<UInt8>>, names count: Int) -> StepStory? {
    guard words.count == count + 4 else { return nil }
    let names = words.prefix(count).compactMap(name)
    let counts = words.dropFirst(count).compactMap { DecimalDigits.number($0).flatMap { Int(exactly: $0) } }
    guard names.count == count, counts.count == 4 else { return nil }
    return .restored(
      RestoredState(
        name: names[0], until: count > 1 ? names[1] : nil, created: counts[0], replaced: counts[1], removed: counts[2],
        metadata: counts[3]))
  }

  private static func name(_ word: ArraySlice<UInt8>) -> String? {
    guard let bytes = PercentText.decode(word), !bytes.isEmpty, bytes.count <= longestName else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
