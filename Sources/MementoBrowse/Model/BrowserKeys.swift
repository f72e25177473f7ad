// What keys do.

import MementoKit

extension BrowserState {
  mutating func press(_ key: Key) -> [BrowserEffect] {
    switch key {
    case .control("z"): return [.suspend]
    case .control("l"): return [.redraw]
    default: break
    }
    if let text = prompt { return type(key, after: text) }
    if let work { return press(key, during: work) }
    message = nil
    if !rows.isEmpty { target = .same }
    if let dialog { return press(key, on: dialog) }
    switch key {
    case .character("q"): return back(isEnd: true)
    case .control("c"): return end(130)
    case .character("?"): dialog = .help(ListPosition())
    case .character("/"): prompt = ""
    case .character("n"): return repeatSearch(backwards: false)
    case .character("N"): return repeatSearch(backwards: true)
    case .tab, .backTab: focus = focus == .timeline ? .detail : .timeline
    case .character("d"): return look(at: .diff(nil))
    case .character("s"): return look(at: .stat)
    case .character("t"): return lookAtTree()
    case .character("r"), .character(" "): return plan(selectedRestore())
    case .character("u"): return plan(.undo)
    case .character("U"), .control("r"): return plan(.redo)
    case .character("R"): return refresh()
    case .enter, .character("l"), .right: return open()
    case .character("h"), .left, .backspace, .escape: return back(isEnd: false)
    case .character("<"): detail.scroll(columns: -8)
    case .character(">"): detail.scroll(columns: 8)
    default: return move(key)
    }
    return []
  }

  /// Moves the selection of the pane that has the focus.
  private mutating func move(_ key: Key) -> [BrowserEffect] {
    guard let lines = step(of: key) else { return [] }
    switch focus {
    case .timeline:
      let before = selectedRow?.identity
      timeline.move(by: lines)
      timeline.settle(count: rows.count, height: layout.content.count)
      guard let row = selectedRow, row.identity != before else { return [] }
      detail.restart()
      return load(detail.content)
    case .detail:
      detail.move(by: lines)
      return []
    }
  }

  /// How many lines a key moves by.
  private func step(of key: Key) -> Int? {
    let page = max(1, layout.content.count - 1)
    return switch key {
    case .character("j"), .down, .control("n"): 1
    case .character("k"), .up, .control("p"): -1
    case .pageDown, .control("f"): page
    case .pageUp, .control("b"): -page
    case .control("d"): max(1, page / 2)
    case .control("u"): -max(1, page / 2)
    case .character("g"), .home: -(1 << 40)
    case .character("G"), .end: 1 << 40
    default: nil
    }
  }

  // MARK: - Looking

  private mutating func look(at content: DetailContent) -> [BrowserEffect] {
    guard selectedRow != nil else { return [] }
    focus = .detail
    detail.restart(as: content)
    return load(content)
  }

  private mutating func lookAtTree() -> [BrowserEffect] {
    if case .unsaved? = selectedRow {
      message = ScreenMessage("unsaved changes are not in a snapshot: choose an entry below to see its files")
      return []
    }
    return look(at: .tree(BytePath("")))
  }

  /// Goes from the timeline to what is beside it, and from there to what the line names.
  private mutating func open() -> [BrowserEffect] {
    guard focus == .detail else {
      if selectedRow != nil { focus = .detail }
      return []
    }
    guard let line = detail.selectedLine, let path = line.path else { return [] }
    switch detail.content {
    case .tree: return enter(line.isFolder ? .tree(path) : .file(path))
    case .stat: return enter(.diff(path))
    case .diff, .file: return []
    }
  }

  private mutating func enter(_ content: DetailContent) -> [BrowserEffect] {
    detail.leaveMark()
    return load(content)
  }

  /// Goes back one place: to the folder around, to the list before, to the timeline. `isEnd`: from the timeline it leads
  /// out of the browser.
  private mutating func back(isEnd: Bool) -> [BrowserEffect] {
    guard focus == .detail else { return isEnd ? end(0) : [] }
    if let place = detail.goBack() { return load(place.content, selecting: place.selected) }
    focus = .timeline
    return []
  }

  // MARK: - Dialogs

  private mutating func press(_ key: Key, on dialog: Dialog) -> [BrowserEffect] {
    let height = layout.content.count
    switch (dialog, key) {
    case (.plan(let plan, _), .character("y")): return perform(plan.change)
    case (.plan, .character("n")), (_, .character("q")), (_, .escape), (_, .control("c")), (_, .character("h")),
      (_, .left), (.help, .character("?")), (.help, .enter):
      self.dialog = nil
    case (.help(var position), _):
      position.scroll(by: step(of: key) ?? 0, count: HelpText.lines.count, height: height)
      self.dialog = .help(position)
    case (.plan(let plan, var position), _):
      position.scroll(by: step(of: key) ?? 0, count: lineCount(of: plan), height: height)
      self.dialog = .plan(plan, position)
    }
    return []
  }
}
