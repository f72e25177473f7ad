// When a text came and went.

import MementoKit

struct WhenText {
  /// So many lines of a state are shown.
  private static let places = 10

  let form: TextForm

  /// The lines, without line breaks. Off a terminal the content has exactly its bytes.
  func lines(_ report: WhenReport) -> [[UInt8]] {
    report.periods.enumerated().flatMap { number, period in
      (number > 0 ? [[]] : []) + lines(period)
    }
  }

  private func lines(_ period: TextPeriod) -> [[UInt8]] {
    var lines = [state("first", period.first)] + places(period.firstPlaces)
    lines += [state("last", period.last)] + places(period.lastPlaces)
    if let gone = period.gone {
      lines.append(state("gone", gone))
    } else {
      lines.append(Array("gone   not yet: \(Quantity.count(period.states, "state")) to the newest".utf8))
    }
    return lines
  }

  private func state(_ word: String, _ entry: LogEntry) -> [UInt8] {
    let names = StateLabel.names(entry)
    let message = form.firstLine(entry.snapshot.message ?? "")
    let words = [
      form.style.heading(word) + String(repeating: " ", count: 5 - word.count), form.paintedID(entry.snapshot.id),
      form.when(entry.time), form.style.faint(entry.operation.description), names.isEmpty ? "" : form.style.name(names),
      message,
    ]
    return Array(words.filter { !$0.isEmpty }.joined(separator: "  ").utf8)
  }

  private func places(_ places: [TextPeriod.Place]) -> [[UInt8]] {
    var lines = places.prefix(WhenText.places).map { place in
      let path = "    " + TerminalText.escaped(place.path)
      guard let line = place.line else { return Array((path + " (not text)").utf8) }
      let text = form.isTerminal ? Array(VisibleContent.line(place.text[...]).utf8) : place.text
      return Array("\(path):\(line):".utf8) + text
    }
    if places.count > WhenText.places {
      lines.append(Array("    and \(places.count - WhenText.places) more".utf8))
    }
    return lines
  }
}
