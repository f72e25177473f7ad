import MementoModel
import TestSupport
import Testing

@testable import MementoBrowse
@testable import MementoKit

/// Nothing changes without a plan and a yes.
@Suite struct BrowserChangeTests {
  private func token(_ effects: [BrowserEffect]) -> Int {
    for case .plan(_, let token) in effects { return token }
    for case .perform(_, let token) in effects { return token }
    return -1
  }

  private func planned(_ effects: [BrowserEffect]) -> FolderChange? {
    for case .plan(let change, _) in effects { return change }
    return nil
  }

  private func performed(_ effects: [BrowserEffect]) -> FolderChange? {
    for case .perform(let change, _) in effects { return change }
    return nil
  }

  /// A state in which the plan of a restore is shown.
  private func asking() -> BrowserState {
    var state = Samples.state()
    _ = state.handle(.planned(Samples.plan, token: token(state.type("jr"))))
    return state
  }

  @Test func aRestoreIsPlannedAndThenDone() {
    var state = Samples.state()
    state.type("jjjjj")
    let asked = state.type(.character(" "))
    #expect(planned(asked) == .restore(Samples.id(5), label: "before-upgrade", paths: []))
    // A yes before the plan is there is none.
    #expect(state.type("y") == [])
    _ = state.handle(.planned(Samples.plan, token: token(asked)))
    guard case .plan? = state.dialog else {
      Issue.record("no plan is shown")
      return
    }
    for key: Key in [.enter, .character(" "), .character("u"), .character("Y"), .tab] { #expect(state.type(key) == []) }
    let done = state.type("y")
    #expect(performed(done) == Samples.plan.change)
    // Now only an interruption counts.
    #expect(state.type("qjyu ") == [] && state.type(.escape) == [])
    #expect(state.type(.control("c")) == [.cancelChange])
    let effects = state.handle(.changed(ScreenMessage("restored"), token: token(done)))
    #expect(effects == [.loadHistory, .loadUnsaved])
    #expect(state.message?.lines == ["restored"] && state.dialog == nil && state.work == nil)
    // The selection goes where the folder is.
    _ = state.handle(.unsaved(UnsavedChanges(position: Samples.id(8)), isPending: false))
    _ = state.handle(.history(Samples.history, isAll: true))
    #expect(state.selectedRow == .entry(Samples.history[1]))
  }

  @Test(arguments: [Key.character("n"), .character("q"), .escape, .control("c"), .left])
  func anythingElseIsNo(_ key: Key) {
    var state = asking()
    #expect(state.type(key) == [])
    #expect(state.dialog == nil && state.work == nil)
    #expect(performed(state.type("y")) == nil)
  }

  @Test func aPlanThatComesTooLateIsNotShown() {
    var state = Samples.state()
    let asked = state.type("ju")
    #expect(planned(asked) == .undo)
    #expect(state.type(.escape) == [.cancelChange])
    _ = state.handle(.planned(ChangePlan(.undo, summary: [], steps: []), token: token(asked)))
    #expect(state.dialog == nil)
    // The answer to another question is not taken for this one.
    let again = state.type("U")
    #expect(planned(again) == .redo)
    _ = state.handle(.planned(ChangePlan(.undo, summary: [], steps: []), token: token(asked)))
    #expect(state.dialog == nil && state.work == .planning(.redo))
    _ = state.handle(.changeFailed(ScreenMessage("nothing to redo", isAlarm: true), token: token(again)))
    #expect(state.work == nil && state.message?.lines == ["nothing to redo"])
  }

  @Test func theSelectionSaysWhatIsRestored() {
    var state = Samples.state()
    // To restore what has not changed since the last save is to take back what has.
    #expect(planned(state.type("r")) == .undo)
    state.type(.escape)
    state.type("jd")
    Samples.answer(&state)
    #expect(planned(state.type("r")) == .restore(Samples.id(9), label: Samples.id(9).short, paths: []))
    state.type(.escape)
    state.type("jjj")
    #expect(planned(state.type("r")) == .restore(Samples.id(9), label: Samples.id(9).short, paths: ["src/main.c"]))
    state.type(.escape)
    // A file that the entry removed comes from the state before it.
    var gone = DetailLine("D notes.txt", path: "notes.txt")
    gone.version = Samples.id(8)
    state.type("d")
    Samples.answer(&state, [gone])
    #expect(planned(state.type("r")) == .restore(Samples.id(8), label: Samples.id(8).short, paths: ["notes.txt"]))
    state.type(.escape)
    state.type("t")
    Samples.answer(&state, Samples.tree)
    #expect(planned(state.type("r")) == .restore(Samples.id(9), label: Samples.id(9).short, paths: ["src"]))
  }

  @Test func thereMayBeNothingToRestore() {
    var state = BrowserState(size: .standard)
    _ = state.handle(.history([], isAll: true))
    #expect(state.type("r") == [] && state.message != nil)
    var plan = state.type("u")
    #expect(planned(plan) == .undo)
    state = Samples.state()
    plan = state.type("jr")
    _ = state.handle(.planned(ChangePlan(Samples.plan.change, summary: ["x"], steps: []), token: token(plan)))
    #expect(state.dialog == nil && state.message != nil)
  }

  @Test func theEndWaitsForAChange() {
    var state = asking()
    let done = state.type("y")
    #expect(state.handle(.interrupted(status: 143)) == [.cancelChange])
    #expect(state.handle(.changeFailed(ScreenMessage("interrupted"), token: token(done))) == [.end(status: 143)])
    // Who asks twice does not wait.
    state = asking()
    state.type("y")
    _ = state.handle(.interrupted(status: 143))
    #expect(state.handle(.interrupted(status: 143)) == [.end(status: 143)])
    state = Samples.state()
    #expect(state.handle(.interrupted(status: 129)) == [.end(status: 129)])
  }

  @Test func aLongPlanScrolls() {
    var state = Samples.state()
    let steps = (0..<1000).map { PlannedChange(action: .remove, path: BytePath("\($0)"), bytes: 0) }
    let plan = ChangePlan(.undo, summary: ["would undo"], steps: steps)
    _ = state.handle(.planned(plan, token: token(state.type("u"))))
    state.type("G")
    guard case .plan(_, let position)? = state.dialog else {
      Issue.record("no plan is shown")
      return
    }
    #expect(position.top == 1002 - state.layout.content.count)
    #expect(BrowserView.grid(state, title: "", form: Samples.form).text(row: 22).contains("remove   999"))
  }

  @Test func keysOfTheTerminalWorkEverywhere() {
    var state = asking()
    #expect(state.type(.control("z")) == [.suspend])
    #expect(state.type(.control("l")) == [.redraw])
    #expect(state.dialog != nil)
    state.type("y")
    #expect(state.type(.control("z")) == [.suspend])
    #expect(state.handle(.resumed) == [.redraw, .loadHistory, .loadUnsaved])
  }
}
