// `refs` as text, for people and awk. A line a fact; the states last. See docs/format.md, "refs".

internal import MementoSystem

enum RefsCodec {
  static let firstLine = "memento refs 1"
  /// Of refs whose list of states is a file of its own. As long as the other.
  static let firstLineWithList = "memento refs 2"
  /// Of refs that say what readers of the other two do not know: what a step or a restore is about, or a trash. As long as
  /// the others, and written only where something of it is there.
  static let firstLineWithMore = "memento refs 3"
  /// Bytes of the first two lines: the version, and the checksum of the others.
  static let headLength = firstLine.utf8.count + 1 + "checksum ".utf8.count + 64 + 1

  static func encode(_ refs: Refs) -> [UInt8] {
    // The head is filled in last: the checksum is that of all that follows.
    var body = [UInt8](repeating: 0, count: headLength)
    func line(_ text: String) {
      body.append(contentsOf: text.utf8)
      body.append(UInt8(ascii: "\n"))
    }
    line("generation \(refs.generation)")
    line("position \(refs.timeline.position.map { String($0) } ?? "-")")
    for step in refs.timeline.steps {
      line("step \(step.time.rfc3339) \(step.operation.rawValue) \(step.snapshot)" + words(step.paths))
    }
    if let pending = refs.pending {
      let before = pending.before.map(\.description) ?? "-"
      let position = pending.position.map { String($0) } ?? "-"
      line("pending \(pending.target) \(before) \(position) \(pending.staging)" + words(pending.paths))
      if !pending.kept.isEmpty { line("keep" + words(pending.kept)) }
    }
    if let clock = refs.trash.clock {
      line("clock \(clock.wall.rfc3339) \(clock.boot.isEmpty ? "-" : clock.boot) \(clock.sinceBoot) \(clock.lived)")
    }
    for list in refs.trash.lists { line("trash-list \(list.file) \(list.count)") }
    body.append(contentsOf: refs.trash.recent)
    if let file = refs.states.file {
      line("states \(file)")
    } else {
      body.append(contentsOf: refs.states.list.text)
    }
    for change in refs.states.changes { StateTable.appendLine(change.name, change.snapshot, to: &body) }
    let sum = body.withUnsafeBytes { ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[headLength...])) }
    body.replaceSubrange(..<headLength, with: "\(first(of: refs))\nchecksum \(sum)\n".utf8)
    return body
  }

  /// The oldest form that can say all of it, so that older programs read what they can understand.
  private static func first(of refs: Refs) -> String {
    let hasPaths =
      refs.timeline.steps.contains { !$0.paths.isEmpty }
      || refs.pending.map { !$0.paths.isEmpty || !$0.kept.isEmpty } == true
    if hasPaths || !refs.trash.isEmpty { return firstLineWithMore }
    return refs.states.file == nil ? firstLine : firstLineWithList
  }

  /// Paths or patterns, each after a space.
  private static func words(_ words: [[UInt8]]) -> String {
    words.map { " " + PercentText.encode($0) }.joined()
  }

  /// `list`: reads a list of states that is a file of its own.
  static func decode(
    _ bytes: [UInt8], list: (ObjectID) throws(StoreError) -> StateList
  ) throws(StoreError) -> Refs {
    let version = try checkVersion(bytes)
    var refs = Refs()
    var lines = try checking { () throws(FormatError) in try Lines(checked: bytes) }
    let file = try checking { () throws(FormatError) -> ObjectID? in try head(&lines, version, into: &refs) }
    guard let file else {
      refs.states = try checking { () throws(FormatError) -> StateTable in
        StateTable(try StateList(bytes, from: lines.position), file: nil)
      }
      return refs
    }
    let list = try list(file)
    let changed = try checking { () throws(FormatError) in try changes(&lines, of: list) }
    refs.states = StateTable(list, file: file, changes: changed)
    return refs
  }

  private static func checking<Result>(
    _ body: () throws(FormatError) -> Result
  ) throws(StoreError) -> Result {
    do throws(FormatError) {
      return try body()
    } catch {
      throw .damaged(file: "refs", reason: error.reason)
    }
  }

  /// What `refs` may hold depends on its first line.
  private enum Version: CaseIterable {
    case plain
    /// The states may be in a file of their own.
    case withList
    /// There may be paths of steps, what a restore keeps, and a trash, too.
    case withMore

    var firstLine: String {
      switch self {
      case .plain: RefsCodec.firstLine
      case .withList: firstLineWithList
      case .withMore: firstLineWithMore
      }
    }
  }

  /// The format of a newer version is reported apart, before anything else is looked at.
  private static func checkVersion(_ bytes: [UInt8]) throws(StoreError) -> Version {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    for version in Version.allCases where first.elementsEqual(version.firstLine.utf8) { return version }
    let text = String(decoding: first.prefix(40), as: UTF8.self)
    if text.hasPrefix("memento refs ") { throw .newerFormat(found: text) }
    throw .damaged(file: "refs", reason: "its first line is not \"\(firstLine)\"")
  }

  /// Reads all lines before the states. Returns the file that `states` names.
  private static func head(
    _ lines: inout Lines, _ version: Version, into refs: inout Refs
  ) throws(FormatError) -> ObjectID? {
    var steps: [TimelineStep] = []
    var position: Int?
    var file: ObjectID?
    var trash = TrashLines()
    reading: while file == nil {
      var ahead = lines
      guard let line = ahead.next() else { break }
      if line.starts(with: "step ".utf8) {
        guard let step = step(line, version) else { throw bad("step") }
        steps.append(step)
        lines = ahead
        continue
      }
      if version == .withMore, try trash.take(line) {
        lines = ahead
        continue
      }
      // Not all of a line that may be long: the words of these are few.
      let words = String(decoding: line.prefix(300), as: UTF8.self).split(separator: " ")
      switch words.first {
      case "generation":
        guard words.count == 2, let value = UInt64(words[1]) else { throw bad("generation") }
        refs.generation = value
      case "position":
        guard words.count == 2 else { throw bad("position") }
        if words[1] != "-" {
          guard let value = Int(words[1]) else { throw bad("position") }
          position = value
        }
      case "pending":
        refs.pending = try pending(line, version)
      case "keep" where version == .withMore && refs.pending != nil:
        guard let kept = decoded(line.dropFirst(5)), !kept.isEmpty else { throw bad("keep") }
        refs.pending?.kept = kept
      case "states" where version != .plain:
        guard words.count == 2, let id = ObjectID(hex: String(words[1])) else { throw bad("states") }
        file = id
      default:
        break reading
      }
      lines = ahead
    }
    guard let timeline = Timeline(steps: steps, position: position) else { throw bad("position") }
    refs.timeline = timeline
    refs.trash = try trash.trash()
    return file
  }

  /// `step TIME OPERATION ID [PATH...]`
  private static func step(_ line: ArraySlice<UInt8>, _ version: Version) -> TimelineStep? {
    let space = UInt8(ascii: " ")
    let time = line.startIndex + 5
    let operation = time + 31
    guard operation < line.endIndex, line[operation - 1] == space,
      let id = line[operation...].firstIndex(of: space).map({ $0 + 1 }), id + 64 <= line.endIndex,
      let when = Timestamp(rfc3339: line[time..<operation - 1]),
      let what = StepOperation.allCases.first(where: { line[operation..<id - 1].elementsEqual($0.rawValue.utf8) }),
      let snapshot = ObjectID(line[id..<id + 64]), let paths = paths(line[(id + 64)...], version)
    else { return nil }
    return TimelineStep(operation: what, time: when, snapshot: snapshot, paths: paths)
  }

  /// The paths at the end of a line, each after a space: none before version 3, and always in order.
  private static func paths(_ text: ArraySlice<UInt8>, _ version: Version) -> [[UInt8]]? {
    guard let first = text.first else { return [] }
    guard version == .withMore, first == UInt8(ascii: " "), let paths = decoded(text.dropFirst()) else { return nil }
    let isSorted = zip(paths, paths.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    let isRelative = paths.allSatisfy { path in
      path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
    return isSorted && isRelative ? paths : nil
  }

  /// Words of percent text; nil when one is empty or is none.
  private static func decoded(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
    var words: [[UInt8]] = []
    for word in text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      guard !word.isEmpty, let bytes = PercentText.decode(word), !bytes.contains(0) else { return nil }
      words.append(bytes)
    }
    return words
  }

  /// What has changed since a list was written: `ID NAME`, or `- NAME` where the name has gone.
  private static func changes(_ lines: inout Lines, of list: StateList) throws(FormatError) -> [StateChange] {
    var changes: [StateChange] = []
    while let line = lines.next() {
      let isGone = line.starts(with: "- ".utf8)
      let nameAt = line.startIndex + (isGone ? 2 : StateList.nameStart)
      let snapshot = isGone ? nil : ObjectID(line.prefix(64))
      guard nameAt < line.endIndex, line[nameAt - 1] == UInt8(ascii: " "), isGone || snapshot != nil,
        let name = String(validating: line[nameAt...], as: UTF8.self)
      else { throw FormatError("it has a line that is not understood") }
      if let last = changes.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) {
        throw FormatError("its names are not in order")
      }
      if isGone, !list.find(name).isThere { throw FormatError("it takes away a name that is not there") }
      changes.append(StateChange(name: name, snapshot: snapshot))
    }
    return changes
  }

  /// `pending TARGET BEFORE POSITION STAGING [PATH...]`
  private static func pending(_ line: ArraySlice<UInt8>, _ version: Version) throws(FormatError) -> PendingRestore {
    let space = UInt8(ascii: " ")
    let words = line.split(separator: space, maxSplits: 5, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count >= 5, let target = ObjectID(hex: words[1]),
      let paths = paths(line.dropFirst(words.prefix(5).reduce(4) { $0 + $1.utf8.count }), version)
    else { throw bad("pending") }
    var pending = PendingRestore(target: target, before: nil, staging: words[4], position: nil, paths: paths)
    if words[2] != "-" {
      guard let before = ObjectID(hex: words[2]) else { throw bad("pending") }
      pending.before = before
    }
    if words[3] != "-" {
      guard let position = Int(words[3]) else { throw bad("pending") }
      pending.position = position
    }
    // The name is used for deleting: nothing but our own form may pass.
    guard pending.staging.hasPrefix("restore-"),
      pending.staging.utf8.allSatisfy({
        $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      })
    else { throw bad("pending") }
    return pending
  }

  private static func bad(_ line: String) -> FormatError {
    FormatError("its line \"\(line)\" is not understood")
  }
}

/// The lines of a text, without their ends.
private struct Lines {
  private let bytes: [UInt8]
  private(set) var position = 0

  /// The lines after the first two, which are checked.
  init(checked bytes: [UInt8]) throws(FormatError) {
    guard bytes.last == UInt8(ascii: "\n") else { throw FormatError("its last line is cut off") }
    self.bytes = bytes
    guard next() != nil, let sum = next(), sum.starts(with: "checksum ".utf8) else {
      throw FormatError("it has no checksum")
    }
    let found = bytes.withUnsafeBytes { ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[position...])) }
    guard ObjectID(sum.dropFirst(9)) == found else { throw FormatError("its checksum does not match") }
  }

  mutating func next() -> ArraySlice<UInt8>? {
    guard position < bytes.count else { return nil }
    let start = position
    let end = bytes.withUnsafeBytes { bytes in
      UnsafeRawBufferPointer(rebasing: bytes[start...]).firstIndex(of: UInt8(ascii: "\n")).map { start + $0 }
    }
    position = end.map { $0 + 1 } ?? bytes.count
    return bytes[start..<(end ?? bytes.count)]
  }
}
