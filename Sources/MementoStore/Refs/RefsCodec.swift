// Encodes and decodes `refs`: text that people and awk can read, with one fact on each line and the states last. See
// docs/format.md, "refs".

internal import MementoSystem

enum RefsCodec {
  static let firstLine = "memento refs 1"
  /// The first line when the list of states is a file of its own. It is as long as the other first lines.
  static let firstLineWithList = "memento refs 2"
  /// The first line when `refs` hold something that readers of the other two versions do not know: paths of a step or a
  /// restore, patterns of a restore, or a trash. It is as long as the other first lines.
  static let firstLineWithMore = "memento refs 3"
  /// The first line when the steps have ages. It is as long as the other first lines.
  static let firstLineWithAges = "memento refs 4"
  /// The first line when a step says what it did, or a snapshot has a note. It is as long as the other first lines.
  static let firstLineWithStories = "memento refs 5"
  /// The first line when other folders share the store. It is as long as the other first lines.
  static let firstLineWithForks = "memento refs 6"
  /// The length in bytes of the first two lines: the version, and the checksum of the rest.
  static let headLength = firstLine.utf8.count + 1 + "checksum ".utf8.count + 64 + 1

  /// The bytes of `refs`.
  static func encode(_ refs: Refs) -> [UInt8] {
    // The head is filled in last, since it holds the checksum of the rest.
    var body = [UInt8](repeating: 0, count: headLength)
    // Growing would copy it again and again.
    body.reserveCapacity(
      4096 + refs.timelines.reduce(0) { $0 + $1.steps.count } * (StepLine.shortest + 16) + refs.trash.recent.count
        + (refs.states.file == nil ? refs.states.list.text.count : 0))
    func line(_ text: String) {
      body.append(contentsOf: text.utf8)
      body.append(UInt8(ascii: "\n"))
    }
    line("generation \(refs.generation)")
    let version = version(of: refs)
    func folder(_ timeline: FolderTimeline, _ pending: PendingRestore?) {
      line("position \(timeline.position.map { String($0) } ?? "-")")
      for step in timeline.steps {
        // A step without an age among others that have one: it has just come.
        StepLine.append(step, lived: version.hasAges ? step.lived ?? refs.clock?.seconds ?? 0 : nil, to: &body)
        if let story = step.story { StepStoryLine.append(story, to: &body) }
      }
      if let pending {
        let before = pending.before.map(\.description) ?? "-"
        let position = pending.position.map { String($0) } ?? "-"
        line("pending \(pending.target) \(before) \(position) \(pending.staging)" + words(pending.paths))
        if !pending.kept.isEmpty { line("keep" + words(pending.kept)) }
      }
    }
    folder(refs.timeline, refs.pending)
    for fork in refs.forks {
      line("fork \(fork.id) \(PercentText.encode(fork.path))")
      folder(fork.timeline, fork.pending)
    }
    refs.notes.appendLines(to: &body)
    if let clock = refs.clock {
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
    body.replaceSubrange(..<headLength, with: "\(version.firstLine)\nchecksum \(sum)\n".utf8)
    return body
  }

  /// The oldest version that can hold these `refs`, so that older programs can read them if possible.
  private static func version(of refs: Refs) -> Version {
    if !refs.forks.isEmpty { return .withForks }
    if !refs.notes.isEmpty || refs.timeline.steps.contains(where: { $0.story != nil }) { return .withStories }
    if refs.timeline.steps.contains(where: { $0.lived != nil })
      || refs.trash.recentEntries.contains(where: { $0.reason == .passed })
    {
      return .withAges
    }
    let hasPaths =
      refs.timeline.steps.contains { !$0.paths.isEmpty }
      || refs.pending.map { !$0.paths.isEmpty || !$0.kept.isEmpty } == true
    if hasPaths || !refs.trash.isEmpty { return .withMore }
    return refs.states.file == nil ? .plain : .withList
  }

  /// The words of paths or patterns, each with a space before it.
  private static func words(_ words: [[UInt8]]) -> String {
    words.map { " " + PercentText.encode($0) }.joined()
  }

  /// Decodes `refs`. `list`: reads a list of states that is a file of its own. Throws `.newerFormat` for a later
  /// version, `.damaged` when the bytes are not valid, and what `list` throws.
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

  /// The versions of the format. The first line says what `refs` may hold.
  private enum Version: Int, CaseIterable {
    case plain
    /// The list of states may be a file of its own.
    case withList
    /// There may also be paths of steps and of a restore, patterns of a restore, and a trash.
    case withMore
    /// Each step has its age, and the trash may hold steps that fell off the timeline.
    case withAges
    /// A step may say what it did, and there may be notes of snapshots.
    case withStories
    /// There may be forks, each with its steps behind its line.
    case withForks

    /// Whether there may be paths, patterns and a trash.
    var hasMore: Bool { rawValue >= Version.withMore.rawValue }
    /// Whether each step has its age, and the trash may hold steps that fell off the timeline.
    var hasAges: Bool { rawValue >= Version.withAges.rawValue }
    /// Whether a step may say what it did, and there may be notes of snapshots.
    var hasStories: Bool { rawValue >= Version.withStories.rawValue }

    var firstLine: String {
      switch self {
      case .plain: RefsCodec.firstLine
      case .withList: firstLineWithList
      case .withMore: firstLineWithMore
      case .withAges: firstLineWithAges
      case .withStories: firstLineWithStories
      case .withForks: firstLineWithForks
      }
    }
  }

  /// Reads the first line. A newer version is reported before anything else is checked.
  private static func checkVersion(_ bytes: [UInt8]) throws(StoreError) -> Version {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    for version in Version.allCases where first.elementsEqual(version.firstLine.utf8) { return version }
    let text = String(decoding: first.prefix(40), as: UTF8.self)
    if text.hasPrefix("memento refs ") { throw .newerFormat(found: text) }
    throw .damaged(file: "refs", reason: "its first line is not \"\(firstLine)\"")
  }

  /// Reads all lines before the states. Returns the name of the file that the line `states` gives; nil when there is no
  /// such line.
  private static func head(
    _ lines: inout Lines, _ version: Version, into refs: inout Refs
  ) throws(FormatError) -> ObjectID? {
    var folder = FolderLines()
    folder.steps.reserveCapacity(lines.mostSteps)
    var fork: ForkedFolder?
    var file: ObjectID?
    var trash = TrashLines(allowsPassed: version.hasAges)
    var isAfterStep = false
    reading: while file == nil {
      if try lines.takeSteps(into: &folder.steps, hasAges: version.hasAges, hasPaths: version.hasMore) {
        isAfterStep = true
        continue
      }
      var ahead = lines
      let followsStep = isAfterStep
      isAfterStep = false
      guard let line = ahead.next() else { break }
      if version.hasStories {
        if line.starts(with: StepStoryLine.word) {
          guard followsStep, let story = StepStoryLine.decode(line) else { throw bad("did") }
          folder.steps[folder.steps.count - 1].story = story
          lines = ahead
          continue
        }
        if line.starts(with: SnapshotNotes.word) {
          guard refs.notes.take(line) else { throw bad("note") }
          lines = ahead
          continue
        }
      }
      if version.hasMore, try trash.take(line) {
        lines = ahead
        continue
      }
      if version == .withForks, line.starts(with: "fork ".utf8) {
        try folder.end(fork, into: &refs)
        guard let next = FolderLines.fork(line), refs[fork: next.id] == nil, refs.forks.count < Refs.mostForks else {
          throw bad("fork")
        }
        fork = next
        folder = FolderLines()
        lines = ahead
        continue
      }
      // Split only the beginning of the line, which may be long: the words needed here are short.
      let words = String(decoding: line.prefix(300), as: UTF8.self).split(separator: " ")
      switch words.first {
      case "generation":
        guard words.count == 2, let value = UInt64(words[1]) else { throw bad("generation") }
        refs.generation = value
      case "position":
        guard words.count == 2 else { throw bad("position") }
        if words[1] != "-" {
          guard let value = Int(words[1]) else { throw bad("position") }
          folder.position = value
        }
      case "pending":
        folder.pending = try pending(line, version)
      case "keep" where version.hasMore && folder.pending != nil:
        guard let kept = decoded(line.dropFirst(5)) else { throw bad("keep") }
        folder.pending?.kept = kept
      case "states" where version != .plain:
        guard words.count == 2, let id = ObjectID(hex: String(words[1])) else { throw bad("states") }
        file = id
      default:
        break reading
      }
      lines = ahead
    }
    try folder.end(fork, into: &refs)
    if version == .withForks, fork == nil { throw bad("fork") }
    refs.trash = try trash.trash(hasAges: version.hasAges && refs.timelines.contains { !$0.steps.isEmpty })
    refs.clock = trash.clock
    return file
  }

  /// The lines about one folder: the main one, or a fork.
  private struct FolderLines {
    var steps: [TimelineStep] = []
    var position: Int?
    var pending: PendingRestore?

    /// `fork ID PATH`
    static func fork(_ line: ArraySlice<UInt8>) -> ForkedFolder? {
      guard let words = decoded(line.dropFirst(5)), words.count == 2, words[1].first == UInt8(ascii: "/"),
        let id = String(validating: words[0], as: UTF8.self).flatMap({ ForkID($0) })
      else { return nil }
      return ForkedFolder(id, at: words[1])
    }

    /// Puts them into `refs`: as those of the fork, or of the main folder.
    func end(_ fork: ForkedFolder?, into refs: inout Refs) throws(FormatError) {
      guard let timeline = FolderTimeline(steps: steps, position: position) else { throw bad("position") }
      guard var fork else {
        refs.timeline = timeline
        refs.pending = pending
        return
      }
      fork.timeline = timeline
      fork.pending = pending
      refs.forks.append(fork)
    }
  }

  /// The paths at the end of a line, each after a space. Nil when they are not valid: they must be sorted.
  static func paths(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
    guard let first = text.first else { return [] }
    guard first == UInt8(ascii: " "), let paths = decoded(text.dropFirst()) else { return nil }
    let isSorted = zip(paths, paths.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    let isRelative = paths.allSatisfy { path in
      path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
    return isSorted && isRelative ? paths : nil
  }

  /// Decodes words of percent text. Nil when one is empty or not valid.
  private static func decoded(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
    var words: [[UInt8]] = []
    for word in text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      guard !word.isEmpty, let bytes = PercentText.decode(word), !bytes.contains(0) else { return nil }
      words.append(bytes)
    }
    return words
  }

  /// Reads the changes since the list was written: `ID NAME`, or `- NAME` for a name that was deleted.
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
      let paths = paths(line.dropFirst(words.prefix(5).reduce(4) { $0 + $1.utf8.count })),
      version.hasMore || paths.isEmpty
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
    guard StagedName.isFolder(pending.staging) else { throw bad("pending") }
    return pending
  }

  fileprivate static func bad(_ line: String) -> FormatError {
    FormatError("its line \"\(line)\" is not understood")
  }
}

/// The lines of a text, without newlines.
private struct Lines {
  private let bytes: [UInt8]
  private(set) var position = 0

  /// The most steps that the rest can have.
  var mostSteps: Int { min(FolderTimeline.limit, (bytes.count - position) / StepLine.shortest) }

  /// Checks the checksum in the second line, and begins with the line after it.
  init(checked bytes: [UInt8]) throws(FormatError) {
    guard bytes.last == UInt8(ascii: "\n") else { throw FormatError("its last line is cut off") }
    self.bytes = bytes
    guard next() != nil, let sum = next(), sum.starts(with: "checksum ".utf8) else {
      throw FormatError("it has no checksum")
    }
    let found = bytes.withUnsafeBytes { ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[position...])) }
    guard ObjectID(sum.dropFirst(9)) == found else { throw FormatError("its checksum does not match") }
  }

  /// Reads the lines that come next and are steps. Returns whether there were any.
  mutating func takeSteps(
    into steps: inout [TimelineStep], hasAges: Bool, hasPaths: Bool
  ) throws(FormatError) -> Bool {
    let start = position
    let end = bytes.withUnsafeBytes { bytes -> Int? in
      var position = start
      while true {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
        guard StepLine.begins(rest) else { return position }
        let end = ByteSearch.first(UInt8(ascii: "\n"), in: rest) ?? rest.count
        let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
        guard let step = StepLine.decode(line, hasAges: hasAges, hasPaths: hasPaths) else { return nil }
        steps.append(step)
        position += min(end + 1, rest.count)
      }
    }
    guard let end else { throw RefsCodec.bad("step") }
    position = end
    return end > start
  }

  mutating func next() -> ArraySlice<UInt8>? {
    guard position < bytes.count else { return nil }
    let start = position
    let end = bytes.withUnsafeBytes { bytes in
      ByteSearch.first(UInt8(ascii: "\n"), in: UnsafeRawBufferPointer(rebasing: bytes[start...])).map { start + $0 }
    }
    position = end.map { $0 + 1 } ?? bytes.count
    return bytes[start..<(end ?? bytes.count)]
  }
}
