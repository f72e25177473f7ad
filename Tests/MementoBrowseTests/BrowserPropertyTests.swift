import MementoModel
import TestSupport
import Testing

@testable import MementoBrowse
@testable import MementoKit

/// Any keys and any answers, in any order: no trap, nothing outside of the screen, no change without a plan and a yes.
@Suite struct BrowserPropertyTests {
  private static let keys: [Key] =
    "jkgGdstrRuUynNqhl?/<> abc日".map { .character($0) } + [
      .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .tab, .backTab, .escape, .backspace, .delete,
      .control("c"), .control("d"), .control("u"), .control("f"), .control("b"), .control("l"), .control("r"),
      .control("z"), .control("x"),
    ]

  @Test(arguments: 1...20)
  func anyKeysAreTaken(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func size() -> ScreenSize {
      let extremes = [(1, 1), (2, 2), (20, 5), (63, 9), (64, 10), (80, 24), (200, 60)]
      let (columns, rows) = extremes[number(0...extremes.count - 1)]
      return Bool.random(using: &random)
        ? ScreenSize(columns: columns, rows: rows) : ScreenSize(columns: number(1...120), rows: number(1...40))
    }
    var state = BrowserState(size: size())
    var loads: [Int] = []
    var plans: [(FolderChange, Int)] = []
    var performs: [Int] = []
    var shown: ChangePlan?
    for step in 0..<400 {
      if case .plan(let plan, _)? = state.dialog { shown = plan } else { shown = nil }
      let event: BrowserEvent
      switch number(0...19) {
      case 0: event = .resized(size())
      case 1:
        event = .history(
          Array(Samples.history.shuffled(using: &random).prefix(number(0...7))), isAll: .random(using: &random))
      case 2:
        var changes = UnsavedChanges(position: Samples.id(8))
        changes.added = number(0...1)
        event = .unsaved(changes, isPending: .random(using: &random))
      case 3, 4:
        let lines = (0..<number(0...60)).map { line in
          DetailLine(
            "\(line) 日本 \u{301}", .plain, path: line % 3 == 0 ? nil : BytePath("p\(line)"), isFolder: line % 2 == 0)
        }
        event = .detail(lines, token: loads.randomElement(using: &random) ?? 0)
      case 5: event = .detailEnd(token: loads.randomElement(using: &random) ?? 0)
      case 6: event = .detailFailed(ScreenMessage("no"), token: loads.randomElement(using: &random) ?? 0)
      case 7, 8:
        let (change, token) = plans.randomElement(using: &random) ?? (.undo, 0)
        let steps = (0..<number(0...50)).map { PlannedChange(action: .create, path: BytePath("\($0)"), bytes: 1) }
        event = .planned(
          ChangePlan(change, summary: [String(repeating: "word ", count: number(0...99))], steps: steps), token: token)
      case 9: event = .changed(ScreenMessage(["done", "and more"]), token: performs.randomElement(using: &random) ?? 0)
      case 10:
        event = .changeFailed(
          ScreenMessage("failed", isAlarm: true), token: performs.randomElement(using: &random) ?? 0)
      case 11: event = .notice(ScreenMessage(String(repeating: "x", count: number(0...300))))
      default: event = .key(BrowserPropertyTests.keys.randomElement(using: &random) ?? .enter)
      }
      let effects = state.handle(event)
      for effect in effects {
        switch effect {
        case .load(let request): loads.append(request.token)
        case .plan(let change, let token): plans.append((change, token))
        case .perform(let change, let token):
          performs.append(token)
          guard case .key(.character("y")) = event, change == shown?.change else {
            Issue.record("seed \(seed), step \(step): \(change) without a yes")
            return
          }
        default: break
        }
      }
      #expect(state.rows.isEmpty || state.rows.indices.contains(state.timeline.selected))
      #expect(state.detail.lines.isEmpty || state.detail.lines.indices.contains(state.detail.position.selected))
      let grid = BrowserView.grid(state, title: "memento  /home/ann", form: Samples.form)
      #expect(grid.size == state.size)
      if step % 8 == 0 { expectSound(grid) }
    }
  }
}
