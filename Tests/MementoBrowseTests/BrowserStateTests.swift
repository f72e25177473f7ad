import MementoModel
import TestSupport
import Testing

@testable import MementoBrowse
@testable import MementoKit

@Suite struct BrowserStateTests {
  private func selected(_ state: BrowserState) -> TimelineRow.Identity? { state.selectedRow?.identity }

  private func entry(_ index: Int) -> TimelineRow.Identity { TimelineRow.entry(Samples.history[index]).identity }

  private func request(_ effects: [BrowserEffect]) -> DetailRequest? {
    for case .load(let request) in effects { return request }
    return nil
  }

  // MARK: - The timeline

  @Test func itBeginsWhereTheFolderIs() {
    var state = BrowserState(size: .standard)
    #expect(BrowserState.beginning == [.loadHistory, .loadUnsaved])
    #expect(state.rows.isEmpty && state.history == nil)
    let effects = state.handle(.history(Samples.history, isAll: false))
    #expect(selected(state) == entry(1))
    #expect(request(effects)?.content == .diff(nil))
    #expect(request(effects)?.row == .entry(Samples.history[1]))
    // Unsaved changes come on top, and are what somebody wants to see.
    var changes = UnsavedChanges(position: Samples.id(8))
    changes.added = 1
    #expect(request(state.handle(.unsaved(changes, isPending: false)))?.row == .unsaved(changes))
    #expect(selected(state) == .unsaved)
    #expect(state.rows.count == Samples.history.count + 1)
    // The rest of the history moves nothing, and nothing is read twice.
    #expect(state.handle(.history(Samples.history, isAll: true)) == [])
    #expect(selected(state) == .unsaved)
  }

  @Test func theSelectionStaysWithItsEntry() {
    var state = Samples.state(unsaved: false)
    state.type("jj")
    #expect(selected(state) == entry(3))
    var changes = UnsavedChanges(position: Samples.id(8))
    changes.removed = 3
    #expect(state.handle(.unsaved(changes, isPending: false)) == [])
    #expect(selected(state) == entry(3))
    #expect(state.timeline.selected == 4)
    _ = state.handle(.unsaved(UnsavedChanges(position: Samples.id(8)), isPending: false))
    #expect(selected(state) == entry(3))
    // What is gone leaves the selection where it was.
    _ = state.handle(.history(Array(Samples.history.prefix(2)), isAll: true))
    #expect(selected(state) == entry(1))
  }

  @Test func keysMove() {
    var state = Samples.state()
    #expect(request(state.type("j"))?.row == .entry(Samples.history[0]))
    state.type(.down, .up, .up, .up)
    #expect(state.timeline.selected == 0)
    #expect(state.type(.up) == [])
    state.type("G")
    #expect(state.timeline.selected == 7)
    #expect(state.type("j") == [])
    state.type("g")
    #expect(state.timeline.selected == 0)
    state.type(.pageDown)
    #expect(state.timeline.selected == 7)
    state.type(.control("u"))
    #expect(state.timeline.selected == 0)
    state.type(.end, .home)
    #expect(state.timeline.selected == 0)
  }

  @Test func aSmallScreenScrolls() {
    var state = Samples.state(80, 6)
    let height = state.layout.content.count
    for _ in 0..<20 {
      state.type("j")
      #expect((state.timeline.top..<(state.timeline.top + height)).contains(state.timeline.selected))
    }
    _ = state.handle(.resized(ScreenSize(columns: 80, rows: 40)))
    #expect(state.timeline.top == 0 && state.timeline.selected == 7)
  }

  // MARK: - The right pane

  @Test func entriesAreLookedAtInThreeWays() {
    var state = Samples.state(unsaved: false)
    #expect(request(state.type("s"))?.content == .stat)
    #expect(state.focus == .detail)
    Samples.answer(&state)
    #expect(request(state.type("t"))?.content == .tree(""))
    Samples.answer(&state, Samples.tree)
    #expect(request(state.type("d"))?.content == .diff(nil))
    // The way to look stays when another entry is selected.
    state.type("sh")
    #expect(request(state.type("j"))?.content == .stat)
  }

  @Test func aTreeIsEnteredAndLeft() {
    var state = Samples.state(unsaved: false)
    state.type("t")
    Samples.answer(&state, Samples.tree)
    #expect(request(state.type(.enter))?.content == .tree("src"))
    Samples.answer(&state, [DetailLine("1 B  main.c", path: "src/main.c")])
    #expect(request(state.type("l"))?.content == .file("src/main.c"))
    Samples.answer(&state, [DetailLine("int", path: "src/main.c")])
    #expect(state.type(.enter) == [])
    #expect(request(state.type("h"))?.content == .tree("src"))
    Samples.answer(&state, [DetailLine("1 B  main.c", path: "src/main.c")])
    #expect(request(state.type(.left))?.content == .tree(""))
    #expect(state.focus == .detail)
    // q goes the same way, and out in the end.
    #expect(state.type("q") == [])
    #expect(state.focus == .timeline)
    #expect(state.type("q") == [.end(status: 0)])
  }

  @Test func goingBackFindsTheLine() {
    var state = Samples.state(unsaved: false)
    let lines = (0..<100).map { DetailLine("\($0)", path: BytePath("\($0)"), isFolder: true) }
    state.type("t")
    Samples.answer(&state, lines)
    state.type(.pageDown)
    let place = state.detail.position.selected
    state.type(.enter)
    Samples.answer(&state, Samples.tree)
    state.type("h")
    Samples.answer(&state, lines)
    #expect(state.detail.position.selected == place)
  }

  @Test func aFileOfTheStatIsOpened() {
    var state = Samples.state(unsaved: false)
    state.type("s")
    Samples.answer(&state)
    state.type("jj")
    #expect(request(state.type(.enter))?.content == .diff("src/main.c"))
    #expect(request(state.type("q"))?.content == .stat)
  }

  /// Whoever types quickly does not wait for lines.
  @Test func keysMayComeBeforeTheLines() {
    var state = Samples.state(unsaved: false)
    state.type("djjj")
    #expect(state.detail.lines.isEmpty)
    state.type("k")
    Samples.answer(&state)
    #expect(state.detail.position.selected == 2)
    state.type("dGkj")
    for _ in 0..<3 { _ = state.handle(.detail(Samples.diff, token: state.loadToken ?? 0)) }
    #expect(state.detail.position.selected == 29)
    state.type("g")
    _ = state.handle(.detail(Samples.diff, token: state.loadToken ?? 0))
    #expect(state.detail.position.selected == 0)
  }

  @Test func answersToOldQuestionsAreDropped() {
    var state = Samples.state(unsaved: false)
    let old = state.loadToken ?? 0
    state.type("j")
    _ = state.handle(.detail([DetailLine("old")], token: old))
    _ = state.handle(.detailFailed(ScreenMessage("old"), token: old))
    #expect(state.detail.lines.isEmpty && state.detail.failure == nil && !state.detail.isComplete)
    _ = state.handle(.detailFailed(ScreenMessage("damaged", isAlarm: true), token: state.loadToken ?? 0))
    #expect(state.detail.failure?.lines == ["damaged"] && state.detail.isComplete)
  }

  @Test func unsavedChangesHaveNoTree() {
    var state = Samples.state()
    #expect(state.type("t") == [])
    #expect(state.message?.isAlarm == false && state.focus == .timeline)
    state.type("j")
    #expect(state.message == nil)
  }

  @Test func refreshReadsAgainAndStays() {
    var state = Samples.state(unsaved: false)
    state.type("jd")
    Samples.answer(&state)
    state.type("jjj")
    #expect(state.type("R") == [.loadHistory, .loadUnsaved])
    #expect(request(state.handle(.history(Samples.history, isAll: true)))?.content == .diff(nil))
    Samples.answer(&state)
    #expect(state.detail.position.selected == 3)
    #expect(selected(state) == entry(2))
  }

  // MARK: - Room

  @Test func aNarrowScreenShowsOnePane() {
    var state = Samples.state(20, 5)
    #expect(state.layout.timeline == 0..<20 && state.layout.detail == nil && state.layout.title == nil)
    state.type(.tab)
    #expect(state.layout.detail == 0..<20 && state.layout.timeline == nil)
    #expect(state.layout.content.count == 3)
    let wide = Layout(ScreenSize(columns: 200, rows: 60), focus: .timeline, messageLines: 0)
    #expect(wide.timeline == 0..<60 && wide.separator == 60 && wide.detail == 61..<200)
  }

  @Test func everyLayoutFits() {
    for rows in 1...30 {
      for lines in 0...6 {
        let layout = Layout(ScreenSize(columns: 80, rows: rows), focus: .detail, messageLines: lines)
        #expect(!layout.content.isEmpty, "\(rows), \(lines)")
        let used =
          [layout.title, layout.headings, layout.hints].compactMap { $0 } + Array(layout.content)
          + Array(layout.messages)
        #expect(Set(used).count == used.count && used.allSatisfy { $0 < rows }, "\(rows), \(lines)")
      }
    }
  }

  // MARK: - Searching

  @Test func aTextIsFound() {
    var state = Samples.state(unsaved: false)
    state.type("/")
    #expect(state.prompt == "")
    state.type("afterx")
    state.type(.backspace)
    #expect(state.prompt == "after")
    #expect(request(state.type(.enter))?.row == .entry(Samples.history[3]))
    #expect(state.prompt == nil)
    state.type("n")
    #expect(selected(state) == entry(3) && state.message?.lines == ["only here"])
    state.type("/")
    state.type("UPGRADE")
    state.type(.enter)
    #expect(state.message?.isAlarm == true)
    state.type("/")
    state.type("upgrade")
    state.type(.enter)
    #expect(selected(state) == entry(4))
    state.type("n")
    #expect(selected(state) == entry(1) && state.message != nil)
    state.type("N")
    #expect(selected(state) == entry(4))
    state.type("N")
    #expect(selected(state) == entry(3))
  }

  @Test func theOtherPaneIsSearched() {
    var state = Samples.state()
    state.type(.tab)
    state.type("/return")
    state.type(.enter)
    #expect(state.detail.position.selected == 5)
    state.type("n")
    #expect(state.detail.position.selected == 6)
    // Keys are text there, and Escape gives it up.
    state.type("/qu")
    #expect(state.type(.escape) == [] && state.prompt == nil)
    #expect(state.type(.control("c")) == [.end(status: 130)])
  }
}
