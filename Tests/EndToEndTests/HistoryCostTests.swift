import TestSupport
import Testing

/// The cost of history depends on what is shown. The tests count packs and bytes, not time.
@Suite(.needsProgram, .needsStrace) struct HistoryCostTests {
  private let shell: Shell
  private static let count = 40

  init() throws {
    shell = try Shell()
    let run = try shell.run(
      """
      mkdir d; echo x > d/x
      for i in $(seq \(HistoryCostTests.count)); do echo $i > a; memento save "s$i" -q --no-sync; done
      """)
    try #require(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
  }

  /// The packs that a command opens, in order, with repetitions.
  private func packsOpened(_ arguments: [String]) throws -> [String] {
    let log = try TemporaryDirectory()
    let run = try Launch(
      ["strace", "-f", "-qq", "-s", "200", "-e", "trace=openat", "-o", "\(log.path)/log", Machine.program] + arguments,
      in: shell.path)
    try #require(run.status == 0, "\(run.errors)")
    let text = String(decoding: try log.read("log"), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      line.split(separator: "\"").first { $0.hasSuffix(".pack") }.map(String.init)
    }
  }

  @Test(arguments: [
    (["log", "-n", "10"], 10), (["log", "-n", "10", "--oneline"], 10), (["log", "-n", "10", "--stat"], 11),
    (["log", "-n", "3", "--", "a"], 4), (["log", "-n", "0"], 0), (["log", "--all", "-n", "5"], 5),
    (["log", "--until", "1y"], 1), (["log", "s7", "-n", "4"], 4), (["log"], HistoryCostTests.count), (["status"], 1),
    (["list"], HistoryCostTests.count), (["list", "--json"], HistoryCostTests.count), (["undo", "-n"], 2),
    (["undo", "5", "-n"], 6),
  ])
  func packsAreOpenedForWhatIsShown(_ arguments: [String], _ limit: Int) throws {
    let opened = try packsOpened(arguments)
    #expect(opened.count <= limit, "\(arguments): \(opened.count)")
    #expect(Set(opened).count == opened.count, "\(arguments)")
  }

  /// All records are in few packs. Each pack is opened once, in whatever order the names are.
  @Test func aListReadsEachPackOnce() throws {
    try shell.done("save", "more", "-q")
    try shell.done("gc", "-q")
    let packs = try shell.directory.names(".memento/packs").count
    let opened = try packsOpened(["list"])
    #expect(opened.count <= packs)
    #expect(Set(opened).count == opened.count)
    #expect(try shell.done("list").output.split(separator: "\n").count == HistoryCostTests.count + 1)
  }
}
