import MementoModel
import MementoSystem
import TestSupport
import Testing

@testable import MementoBrowse
@testable import MementoKit

/// What is read from a real store, without a terminal.
@Suite struct ReaderTests {
  private let directory: TemporaryDirectory
  private let repository: Repository
  private let queue: EventQueue
  private let words = BrowserWords(
    failure: { [$0.message] }, restored: { summary, label, _ in ["\(summary.isCommitted) \(label)"] },
    moved: { summary, change in ["\(summary.restore.isCommitted) \(change)"] }, waiting: { _ in "waiting" },
    problem: { "\($0.path): \($0.message)" })

  init() throws {
    directory = try TemporaryDirectory()
    repository = try Repository.openOrCreate(folder: BytePath(directory.path))
    queue = try EventQueue()
    try directory.write("a", "one\ntwo\n".bytes)
    try directory.write("gone", "was here\n".bytes)
    try directory.descriptor.makeDirectory("sub".bytes)
    try directory.write("sub/tab", "x\ty\u{1B}[2J\n".bytes)
    try directory.write("binary", [0, 1, 2])
    try repository.save(SaveOptions(name: "first"))
    try directory.write("a", "one\n2\n".bytes)
    try directory.write("binary", [0, 1, 2, 3])
    try directory.descriptor.removeFile("gone".bytes)
    try repository.save(SaveOptions(name: "second"))
  }

  private func history() throws -> [LogEntry] {
    let look = FolderLook(repository, queue, words)
    look.readHistory()
    for case .history(let entries, true) in queue.take() { return entries }
    return []
  }

  /// The lines of a request, and how it ended.
  private func lines(_ row: TimelineRow, _ content: DetailContent, _ unsaved: Comparison? = nil) -> (
    lines: [DetailLine], isComplete: Bool, failure: String?
  ) {
    let reader = DetailReader(repository: repository, queue: queue, words: words, zoneOffset: { _ in 0 })
    reader.read(DetailRequest(token: 7, row: row, content: content), unsaved: unsaved, LookMonitor())
    var lines: [DetailLine] = []
    var isComplete = false
    var failure: String?
    for event in queue.take() {
      switch event {
      case .detail(let more, 7): lines += more
      case .detailEnd(7): isComplete = true
      case .detailFailed(let message, 7): failure = message.lines.joined()
      default: Issue.record("\(event)")
      }
    }
    return (lines, isComplete, failure)
  }

  @Test func anEntryIsReadInFourWays() throws {
    let entries = try history()
    #expect(entries.map(\.names) == [["second"], ["first"]])
    let row = TimelineRow.entry(entries[0])
    let diff = lines(row, .diff(nil))
    #expect(diff.isComplete && diff.failure == nil)
    let text = diff.lines.map(\.text)
    #expect(text.first?.hasSuffix("  second") == true)
    for expected in [
      "M a", "@@ -1,2 +1,2 @@", " one", "-two", "+2", "M binary", "  binary, 3 B -> 4 B", "D gone", "-was here",
    ] {
      #expect(text.contains(expected), "\(expected) in \(text)")
    }
    #expect(diff.lines.first { $0.text == "+2" }?.path == "a")
    // What is gone can only come from the state before.
    #expect(diff.lines.first { $0.text == "D gone" }?.version == entries[1].snapshot.id)
    #expect(diff.lines.first { $0.text == "M a" }?.version == nil)
    #expect(lines(row, .diff("a")).lines.map(\.text) == ["M a", "@@ -1,2 +1,2 @@", " one", "-two", "+2", ""])
    let stat = lines(row, .stat).lines.map(\.text)
    #expect(stat.contains("M      +1     -1  a") && stat.contains("D      +0     -1  gone"))
    #expect(stat.contains("M     3 B -> 4 B  binary"), "\(stat)")
    let tree = lines(row, .tree("")).lines
    #expect(tree.map(\.text) == ["       6 B  a", "       4 B  binary", "            sub/"])
    #expect(tree.map(\.isFolder) == [false, false, true])
    #expect(lines(row, .tree("sub")).lines.map(\.path) == ["sub/tab"])
    #expect(lines(row, .file("sub/tab")).lines.map(\.text) == ["x       y^[[2J"])
    #expect(lines(row, .file("binary")).lines.map(\.text) == ["binary, 4 B"])
  }

  @Test func unsavedChangesComeFromThePosition() throws {
    let entries = try history()
    try directory.write("a", "one\n2\n3\n".bytes)
    try directory.write("new", "n".bytes)
    let look = FolderLook(repository, queue, words)
    look.readUnsaved(LookMonitor())
    guard case .unsaved(let changes, false)? = queue.take().first else {
      Issue.record("nothing was found")
      return
    }
    #expect((changes.added, changes.modified, changes.removed) == (1, 1, 0))
    #expect(changes.position == entries[0].snapshot.id)
    let diff = lines(.unsaved(changes), .diff(nil), look.unsaved)
    #expect(diff.lines.map(\.text).contains("+3") && diff.isComplete)
    #expect(diff.lines.filter { $0.path != nil }.allSatisfy { $0.version == entries[0].snapshot.id })
    #expect(diff.lines.map(\.text).contains("\\ No newline at end of file"))
  }

  @Test func whatCannotBeReadIsSaid() throws {
    let row = TimelineRow.entry(try history()[0])
    let absent = lines(row, .tree("nowhere"))
    #expect(absent.failure?.contains("nowhere") == true && !absent.isComplete)
    #expect(lines(row, .file("sub")).lines.map(\.text) == ["directory"])
  }

  @Test func nobodyReadsWithoutEnd() throws {
    try directory.write("long", Array(String(repeating: "x\n", count: 60_000).utf8))
    try directory.write("large", Array(repeating: UInt8(ascii: "y"), count: 5 << 20))
    try repository.save()
    let row = TimelineRow.entry(try history()[0])
    let diff = lines(row, .diff(nil))
    #expect(diff.isComplete && diff.lines.count == 50_001)
    #expect(diff.lines.last?.text == "there is more, which is not shown here")
    #expect(diff.lines.contains { $0.text == "  too large to compare here, 5.0 MiB" })
    #expect(lines(row, .file("long")).lines.count == 50_001)
  }

  @Test func aLookThatNobodyWantsEnds() throws {
    let row = TimelineRow.entry(try history()[0])
    let monitor = LookMonitor()
    monitor.cancel()
    let reader = DetailReader(repository: repository, queue: queue, words: words, zoneOffset: { _ in 0 })
    reader.read(DetailRequest(token: 1, row: row, content: .diff(nil)), unsaved: nil, monitor)
    #expect(queue.take().isEmpty)
    FolderLook(repository, queue, words).readUnsaved(monitor)
    #expect(queue.take().isEmpty)
  }

  @Test func aPlanChangesNothingAndAChangeDoes() throws {
    let entries = try history()
    try directory.write("a", "unsaved\n".bytes)
    let runner = ChangeRunner(repository: repository, queue: queue, words: words)
    let change = FolderChange.restore(entries[1].snapshot.id, label: "first", paths: [])
    let monitor = ChangeMonitor(token: 3, queue: queue, words: words)
    runner.plan(change, monitor)
    guard case .planned(let plan, 3)? = queue.take().first else {
      Issue.record("there is no plan")
      return
    }
    #expect(plan.summary == ["false first"])
    #expect(plan.steps.map(\.path) == ["a", "binary", "gone"])
    #expect(try directory.read("a") == "unsaved\n".bytes)
    runner.perform(change, monitor)
    guard case .changed(let message, 3)? = queue.take().first else {
      Issue.record("nothing was changed")
      return
    }
    #expect(message == ScreenMessage("true first"))
    #expect(try directory.read("a") == "one\ntwo\n".bytes && directory.read("gone") == "was here\n".bytes)
    runner.perform(.undo, monitor)
    #expect(try directory.read("a") == "unsaved\n".bytes)
    // The end of the history is a message.
    _ = queue.take()
    for _ in 0..<5 { runner.perform(.redo, monitor) }
    guard case .changeFailed(let failure, 3)? = queue.take().last else {
      Issue.record("redo has no end")
      return
    }
    #expect(failure.isAlarm && failure.lines.first?.contains("nothing to redo") == true)
  }
}
