import MementoModel
import MementoSystem
import TestSupport
import Testing

@testable import MementoBrowse
@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Screens as text, compared with the files in `Golden/`. With MEMENTO_WRITE_GOLDEN=1 the files are written anew.
@Suite struct BrowserViewTests {
  private static let sizes = [(80, 24), (200, 60), (20, 5)]

  static let scenes: [(name: String, make: @Sendable (Int, Int) -> BrowserState)] = [
    ("timeline", { Samples.state($0, $1) }),
    (
      "diff",
      {
        var state = Samples.state($0, $1)
        state.type("jd")
        Samples.answer(&state)
        state.type("jjj")
        return state
      }
    ),
    (
      "tree",
      {
        var state = Samples.state($0, $1)
        state.type("jt")
        Samples.answer(&state, Samples.tree)
        return state
      }
    ),
    (
      "plan",
      {
        var state = Samples.state($0, $1)
        state.type("jr")
        _ = state.handle(.planned(Samples.plan, token: state.workToken))
        return state
      }
    ),
    (
      "failure",
      {
        var state = Samples.state($0, $1)
        _ = state.handle(.unsaved(UnsavedChanges(position: Samples.id(8)), isPending: true))
        state.type("u")
        let lines = [
          "another process is using the store", "it is process 1234; try again, or wait longer with --wait SECONDS",
        ]
        _ = state.handle(.changeFailed(ScreenMessage(lines, isAlarm: true), token: state.workToken))
        return state
      }
    ),
    (
      "help",
      {
        var state = Samples.state($0, $1)
        state.type("?")
        return state
      }
    ),
    (
      "search",
      {
        var state = Samples.state($0, $1)
        state.type("/upgrade")
        return state
      }
    ),
    ("beginning", { BrowserState(size: ScreenSize(columns: $0, rows: $1)) }),
  ]

  private static var arguments: [(String, Int, Int)] {
    scenes.flatMap { scene in sizes.map { (scene.name, $0.0, $0.1) } }
  }

  @Test(arguments: arguments)
  func screensAreAsTheyWere(_ name: String, _ columns: Int, _ rows: Int) throws {
    let scene = try #require(BrowserViewTests.scenes.first { $0.name == name })
    let grid = BrowserView.grid(scene.make(columns, rows), title: "memento  /home/ann/project", form: Samples.form)
    expectSound(grid)
    let text = (0..<rows).map { row in
      var line = grid.text(row: row)[...]
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
    let path = "Tests/MementoBrowseTests/Golden/\(name)-\(columns)x\(rows).txt"
    let folder = try Descriptor.open(Machine.packageFolder.bytes, .namedDirectory)
    if getenv("MEMENTO_WRITE_GOLDEN") != nil {
      let file = fopen("\(Machine.packageFolder)/\(path)", "w")
      try #require(file != nil)
      fputs(text, file)
      fclose(file)
    }
    let golden = String(decoding: try #require(try folder.contents(of: path.bytes)), as: UTF8.self)
    #expect(text == golden, "\(name) \(columns)x\(rows):\n\(text)")
  }

  @Test func theSelectionIsReversedWhereTheKeysGo() {
    var state = Samples.state()
    var grid = BrowserView.grid(state, title: "", form: Samples.form)
    #expect(grid[2, 10].style.isReversed && !grid[2, 40].style.isReversed)
    state.type(.tab)
    grid = BrowserView.grid(state, title: "", form: Samples.form)
    #expect(!grid[2, 10].style.isReversed && grid[2, 40].style.isReversed)
  }

  @Test func namesControlNothing() {
    let grid = BrowserView.grid(Samples.state(200, 60), title: "a\u{1B}]0;x\u{7}b", form: Samples.form)
    expectSound(grid)
    #expect((0..<60).contains { grid.text(row: $0).contains("na\\x1b[31mme") })
  }

  @Test func withoutUnicodeTheLineIsASCII() {
    var form = Samples.form
    form.isUnicode = false
    let grid = BrowserView.grid(Samples.state(), title: "", form: form)
    #expect(grid[5, 32].text == "|")
  }
}
