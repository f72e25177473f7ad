// A line that matches, as git grep prints it.

import MementoKit

struct GrepText {
  let form: TextForm
  let showsNumbers: Bool
  var showsOnlyNames = false

  /// For example `before-upgrade:src/main.c:12:int main(void)`, with the line break. On a terminal control characters of the
  /// line are made visible; elsewhere it has exactly its bytes.
  func line(_ match: GrepMatch) -> [UInt8] {
    let style = form.style
    let state = StateLabel.word(match.state, form)
    let path = match.path.map { TerminalText.escaped($0) }
    if match.isBinary, match.line == nil, !showsOnlyNames {
      return Array("Binary file \(state)\(path.map { ":" + $0 } ?? "") matches\n".utf8)
    }
    var text = match.state.names.isEmpty ? style.id(state) : style.name(state)
    if let path { text += ":" + style.heading(path) }
    guard let line = match.line else { return Array((text + "\n").utf8) }
    text += ":"
    if showsNumbers { text += style.added(String(line.number)) + ":" }
    let content = form.isTerminal ? Array(VisibleContent.line(line.bytes[...]).utf8) : line.bytes
    return Array(text.utf8) + content + [UInt8(ascii: "\n")]
  }
}
