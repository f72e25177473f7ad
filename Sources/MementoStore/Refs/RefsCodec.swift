// `refs` as text, for people and awk. A line a fact; the states last, "<64 hex digits> <name>".

internal import MementoSystem

enum RefsCodec {
  static let firstLine = "memento refs 1"
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
      line("step \(step.time.rfc3339) \(step.operation.rawValue) \(step.snapshot)")
    }
    if let pending = refs.pending {
      let before = pending.before.map(\.description) ?? "-"
      let position = pending.position.map { String($0) } ?? "-"
      line("pending \(pending.target) \(before) \(position) \(pending.staging)")
    }
    body.reserveCapacity(body.count + refs.states.reduce(0) { $0 + 66 + $1.name.utf8.count })
    for state in refs.states {
      state.snapshot.appendHex(to: &body)
      body.append(UInt8(ascii: " "))
      body.append(contentsOf: state.name.utf8)
      body.append(UInt8(ascii: "\n"))
    }
    let sum = body.withUnsafeBytes { ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[headLength...])) }
    body.replaceSubrange(..<headLength, with: "\(firstLine)\nchecksum \(sum)\n".utf8)
    return body
  }

  static func decode(_ bytes: [UInt8]) throws(StoreError) -> Refs {
    do throws(FormatError) {
      return try parse(bytes)
    } catch {
      throw .damaged(file: "refs", reason: error.reason)
    }
  }

  /// The format of a newer version is reported apart, before anything else is looked at.
  static func checkVersion(_ bytes: [UInt8]) throws(StoreError) {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if first.elementsEqual(firstLine.utf8) { return }
    let text = String(decoding: first.prefix(40), as: UTF8.self)
    if text.hasPrefix("memento refs ") { throw .newerFormat(found: text) }
    throw .damaged(file: "refs", reason: "its first line is not \"\(firstLine)\"")
  }

  private static func parse(_ bytes: [UInt8]) throws(FormatError) -> Refs {
    guard bytes.last == UInt8(ascii: "\n") else { throw FormatError("its last line is cut off") }
    var lines = Lines(bytes)
    guard lines.next() != nil, let sumLine = lines.next(), sumLine.starts(with: "checksum ".utf8)
    else { throw FormatError("it has no checksum") }
    guard let sum = ObjectID(sumLine.dropFirst(9)),
      bytes.withUnsafeBytes({
        ObjectID(hashing: UnsafeRawBufferPointer(rebasing: $0[lines.position...]))
      }) == sum
    else { throw FormatError("its checksum does not match") }
    var refs = Refs()
    var steps: [TimelineStep] = []
    var position: Int?
    // Bytes, and no text: there may be ten thousand states, and every command reads them.
    var lastName: ArraySlice<UInt8> = []
    while let line = lines.next() {
      if line.count > 65, line[line.startIndex + 64] == UInt8(ascii: " "),
        let id = ObjectID(line.prefix(64))
      {
        let bytes = line[(line.startIndex + 65)...]
        guard lastName.isBefore(bytes), let name = String(validating: bytes, as: UTF8.self)
        else { throw FormatError("its names are not in order") }
        refs.append(NamedState(name: name, snapshot: id))
        lastName = bytes
        continue
      }
      if line.starts(with: "step ".utf8) {
        guard let step = step(line) else { throw bad("step") }
        steps.append(step)
        continue
      }
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
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
        refs.pending = try pending(words)
      default:
        throw FormatError("it has a line that is not understood")
      }
    }
    guard let timeline = Timeline(steps: steps, position: position) else { throw bad("position") }
    refs.timeline = timeline
    return refs
  }

  /// `step TIME OPERATION ID`
  private static func step(_ line: ArraySlice<UInt8>) -> TimelineStep? {
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count == 4, let time = Timestamp(rfc3339: words[1]),
      let operation = StepOperation.allCases.first(where: { words[2].elementsEqual($0.rawValue.utf8) }),
      let id = ObjectID(words[3])
    else { return nil }
    return TimelineStep(operation: operation, time: time, snapshot: id)
  }

  private static func pending(_ words: [Substring]) throws(FormatError) -> PendingRestore {
    guard words.count == 5, let target = ObjectID(hex: String(words[1])) else {
      throw bad("pending")
    }
    var pending = PendingRestore(target: target, before: nil, staging: String(words[4]), position: nil)
    if words[2] != "-" {
      guard let before = ObjectID(hex: String(words[2])) else { throw bad("pending") }
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
struct Lines {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
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

extension ArraySlice<UInt8> {
  /// Whether it sorts before another by its bytes.
  fileprivate func isBefore(_ other: ArraySlice<UInt8>) -> Bool {
    withUnsafeBufferPointer { left in other.withUnsafeBufferPointer { left.lexicographicallyPrecedes($0) } }
  }
}
