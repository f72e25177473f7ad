import MementoStore
import MementoSystem
import TestSupport
import Testing

struct RefsCodecTests {
  let fixture: StoreFixture
  let file: RefsFile

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder(), clock: TestClock().read)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  /// The bytes of the file `refs` after these are written.
  private func encoded(_ refs: Refs) throws -> [UInt8] {
    _ = try file.update(waiting: 10) { $0 = refs }
    return try fixture.directory.read("refs")
  }

  /// These, after they were written: with the ages of steps.
  private func written(_ refs: Refs) throws -> Refs {
    try file.update(waiting: 10) { $0 = refs }.refs
  }

  /// What a program that has not read them before makes of these bytes.
  private func read(_ bytes: [UInt8]) throws -> Refs {
    try fixture.directory.write("refs", bytes)
    return try RefsFile(fixture.folder()).read()
  }

  /// A file with a right checksum and any lines.
  private func text(_ body: String, first: String = "memento refs 1") -> [UInt8] {
    "\(first)\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes
  }

  private func sample() -> Refs {
    var refs = Refs()
    refs.generation = 6
    for number in 0..<4 {
      refs.timeline.append(
        TimelineStep(
          operation: StepOperation.allCases[number % 3],
          time: Timestamp(seconds: Int64(number) - 2, nanoseconds: UInt32(number)), snapshot: id(number)))
    }
    _ = refs.timeline.move(to: 2)
    refs.pending = PendingRestore(target: id(8), before: id(9), staging: "restore-12-ab", position: 1)
    refs["one"] = id(1)
    refs["exp/lr 0.1"] = id(2)
    return refs
  }

  @Test func comesBack() throws {
    let refs = sample()
    let written = try written(refs)
    #expect(try RefsFile(fixture.folder()).read() == written)
    #expect(written.generation == 7 && written.pending == refs.pending && written.states == refs.states)
    #expect(written.timeline.position == 2)
    #expect(written.timeline.steps.map(\.snapshot) == refs.timeline.steps.map(\.snapshot))
    #expect(written.timeline.steps.map(\.lived) == [0, 0, 0, 0])
  }

  @Test func isTextForPeople() throws {
    var refs = Refs()
    refs.generation = 1
    refs.timeline.append(
      TimelineStep(operation: .guarded, time: Timestamp(seconds: 0, nanoseconds: 0), snapshot: id(1)))
    refs.pending = PendingRestore(target: id(2), before: nil, staging: "restore-1", position: nil)
    refs["b c"] = id(3)
    refs["a"] = id(4)
    let body = """
      generation 2
      position 0
      step 1970-01-01T00:00:00.000000000Z guard \(id(1)) 0
      pending \(id(2)) - - restore-1
      clock 2026-05-28T20:26:40.000000005Z boot-0 1000000000 0
      \(id(4)) a
      \(id(3)) b c

      """
    #expect(try encoded(refs) == text(body, first: "memento refs 4"))
    #expect(try read(text("generation 0\nposition -\n")) == Refs())
  }

  @Test func anyNameComesBack() throws {
    var generator = SplitMix64(seed: 1)
    var refs = Refs()
    let marks: [Unicode.Scalar] = ["a", "Z", " ", "/", "é", "日", "\u{301}", "\r", "\t", "\u{1f600}", "-", "%", "\u{0}"]
    for number in 0..<300 {
      var name = ""
      for _ in 0...generator.next() % 20 { name.unicodeScalars.append(marks[Int(generator.next() % 13)]) }
      refs[name] = id(number)
    }
    refs["generation 5"] = id(1)
    refs["\(id(3)) x"] = id(2)
    _ = try encoded(refs)
    let back = try file.read()
    #expect(back.states.map(\.name.bytes) == refs.states.map(\.name.bytes))
    #expect(back.states.map(\.snapshot) == refs.states.map(\.snapshot))
  }

  @Test func eachFlippedBitIsRefused() throws {
    let bytes = try encoded(sample())
    let refs = try file.read()
    try fixture.empty("backup")
    for place in 0..<bytes.count {
      let flipped = Content.flipping(bytes, bit: place * 8 + place % 8)
      let found = outcome { try read(flipped) }
      switch place {
      case ..<15:  // a flipped version number may look like a later version
        #expect(found == .damaged || found == .newerFormat, "byte \(place)")
      case 24..<88:  // a hex digit may have become its capital
        #expect(try found == .damaged || read(flipped) == refs, "byte \(place)")
      default:
        #expect(found == .damaged, "byte \(place)")
      }
    }
  }

  @Test func eachTruncationIsRefused() throws {
    let bytes = try encoded(sample())
    try fixture.empty("backup")
    for length in 0..<bytes.count {
      // Cut before the number, the first line may be that of a later version.
      let expected = length == 13 ? Outcome.newerFormat : .damaged
      #expect(outcome { try read(Array(bytes.prefix(length))) } == expected)
    }
    #expect(outcome { try read(bytes + bytes) } == .damaged)
    #expect(outcome { try read(bytes + [0x0a]) } == .damaged)
    #expect(outcome { try read(Content.zeros(bytes.count)) } == .damaged)
    #expect(outcome { try read(bytes) } == .done)
  }

  /// Paths need version 3 of the format, and steps with ages version 4. The states are in `refs` or in a file, as in versions 1 and 2.
  @Test(arguments: [2, 600]) func pathsComeBack(_ states: Int) throws {
    var refs = sample()
    refs.states.set((0..<states).map { ("state \($0)", id($0)) })
    let paths = ["a b".bytes, "d/\n%".bytes, [0xff]]
    refs.timeline.append(
      TimelineStep(operation: .restore, time: Timestamp(seconds: 5, nanoseconds: 6), snapshot: id(1), paths: paths))
    refs.pending?.paths = paths
    refs.pending?.kept = ["*.c".bytes, "!a b".bytes]
    #expect(try encoded(refs).starts(with: "memento refs 4\n".bytes))
    let written = try RefsCodecTests().written(refs)
    #expect(try file.read().timeline == written.timeline && file.read().pending == refs.pending)
    #expect(written.timeline.steps.map(\.paths) == refs.timeline.steps.map(\.paths))
    // Without steps, `refs` are of a version that older programs can read.
    refs.timeline = FolderTimeline()
    #expect(try RefsCodecTests().encoded(refs).starts(with: "memento refs 3\n".bytes))
    refs.pending = nil
    #expect(try RefsCodecTests().encoded(refs).starts(with: "memento refs \(states > 512 ? 2 : 1)\n".bytes))
  }

  private static let step = "step 2026-01-01T00:00:00.000000000Z save \(a)"
  private static let mark = "pending \(a) - - restore-1"

  @Test(arguments: [
    "position 0\n\(step) ", "position 0\n\(step)  a", "position 0\n\(step) b a", "position 0\n\(step) a a",
    "position 0\n\(step) /a", "position 0\n\(step) a/", "position 0\n\(step) a//b", "position 0\n\(step) %0",
    "position 0\n\(step) %00", "position 0\n\(step)a", "position 0\n\(step)ab", "\(mark) ", "\(mark) b a",
    "\(mark) %zz", "keep a", "\(mark)\nkeep ", "\(mark)\nkeep", "\(mark)\nkeep %0", "position -\nkeep a",
  ])
  func pathsThatCannotBeAreRefused(_ body: String) throws {
    #expect(outcome { try read(text("\(body)\n", first: "memento refs 3")) } == .damaged)
  }

  @Test(arguments: ["memento refs 1", "memento refs 2"])
  func onlyTheThirdFormHasPaths(_ first: String) throws {
    for body in [
      "position 0\n\(RefsCodecTests.step) a\n", "\(RefsCodecTests.mark) a\n", "\(RefsCodecTests.mark)\nkeep a\n",
    ] {
      #expect(outcome { try read(text(body, first: first)) } == .damaged)
      #expect(outcome { try read(text(body, first: "memento refs 3")) } == .done)
    }
  }

  /// Steps of the fourth form and later ones have an age. The sixth is the same, and has forks.
  @Test(arguments: ["memento refs 4", "memento refs 5"])
  func aStepHasAnAge(_ first: String) throws {
    let step = "clock 2026-01-01T00:00:00.000000000Z - 0 9\nposition 0\n\(RefsCodecTests.step)"
    #expect(outcome { try read(text("\(step) 5\n", first: first)) } == .done)
    #expect(outcome { try read(text("\(step) 5 a\n", first: first)) } == .done)
    for wrong in ["", " ", "5", "x5", " x", " +5", " -5", " 5a", " 5 ", " 18446744073709551616"] {
      #expect(outcome { try read(text("\(step)\(wrong)\n", first: first)) } == .damaged, "\(wrong)")
    }
    #expect(outcome { try read(text("\(step) 5", first: first)) } == .damaged)
  }

  @Test(arguments: ["memento refs 7", "memento refs 10", "memento refs 1.1", "memento refs 1 sha3"])
  func laterFormatsAreNamed(_ first: String) throws {
    #expect(outcome { try read(text("whatever\n", first: first)) } == .newerFormat)
    #expect(outcome { try read("\(first)\nno checksum".bytes) } == .newerFormat)
  }

  static let a = ObjectID(hashing: "a".bytes).description

  static let hostile: [(String, String)] = [
    ("unsorted names", "\(a) b\n\(a) a\n"), ("a name twice", "\(a) a\n\(a) a\n"), ("no name", "\(a) \n"),
    ("no line", "\n"), ("unknown line", "what 1\n"), ("short id", "\(a.dropLast()) a\n"),
    ("position of nothing", "position 0\n"), ("negative", "position -1\n"), ("no number", "position x\n"),
    ("too many", "position 0 0\n"), ("too many of something", "position 0 0\n\(step)\n"),
    ("huge position", "position 99999999999999999999\n"),
    ("no generation", "generation\n"), ("negative generation", "generation -1\n"),
    ("huge generation", "generation 99999999999999999999\n"),
    ("step without position", "step 2026-01-01T00:00:00.000000000Z save \(a)\n"),
    ("step without time", "position 0\nstep now save \(a)\n"),
    ("unknown step", "position 0\nstep 2026-01-01T00:00:00.000000000Z drop \(a)\n"),
    ("step without id", "position 0\nstep 2026-01-01T00:00:00.000000000Z save\n"),
    ("position behind", "position 1\nstep 2026-01-01T00:00:00.000000000Z save \(a)\n"),
  ]

  @Test(arguments: hostile)
  func hostileLinesAreRefused(_ name: String, _ body: String) throws {
    #expect(outcome { try read(text(body)) } == .damaged)
  }

  @Test func aNameThatIsNotTextIsRefused() throws {
    let body = "\(RefsCodecTests.a) ".bytes + [0xff, 0x0a]
    let bytes = "memento refs 1\nchecksum \(ObjectID(hashing: body))\n".bytes + body
    #expect(outcome { try read(bytes) } == .damaged)
  }

  /// memento removes the staging folder by this name, so a forged name must be refused.
  @Test(arguments: [
    "/etc", "..", "restore-/../..", "restore-1/x", "restore-..", "restore-\u{0}", "RESTORE-1", "restore", "pack-1",
    "restore-A", "restore-é", "restore-1 x", "", "-",
  ])
  func aForeignStagingFolderIsRefused(_ staging: String) throws {
    let line = "pending \(RefsCodecTests.a) - - \(staging)\n"
    #expect(outcome { try read(text(line)) } == .damaged)
  }

  /// Each word has its place, and nothing is read behind the last one.
  @Test(arguments: ["", " ", " ID", " ID -", " ID - -", " ID - - ", "  ID - - restore-1", " ID - - restore-1 x y "])
  func aPendingRestoreNeedsAllItsWords(_ rest: String) throws {
    let line = "pending\(rest)\n".replacing("ID", with: RefsCodecTests.a)
    for first in ["memento refs 1", "memento refs 3"] {
      #expect(outcome { try read(text(line, first: first)) } == .damaged)
    }
  }

  @Test(arguments: [
    "x - - restore-1", "- - - restore-1", " x - restore-1", "- x restore-1", "- 9999999999999999999 restore-1",
  ])
  func aPendingRestoreNeedsItsIDs(_ rest: String) throws {
    let isFirst = rest.hasPrefix("x") || rest.hasPrefix("- - -")
    let line = isFirst ? "pending \(rest)\n" : "pending \(RefsCodecTests.a) \(rest)\n"
    #expect(outcome { try read(text(line)) } == .damaged)
    #expect(outcome { try read(text("pending \(RefsCodecTests.a) - - restore-1\n")) } == .done)
  }
}
