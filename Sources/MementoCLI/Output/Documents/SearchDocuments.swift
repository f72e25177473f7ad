// The JSON of `memento find`, `memento grep` and `memento when`.

import MementoKit

struct StateDocument: Encodable {
  let names: [String]
  let deletedNames: [String]
  let current: Bool
  let op: String
  let time: String
  let snapshot: SnapshotDocument

  init(_ entry: LogEntry) {
    names = entry.names
    deletedNames = entry.deletedNames
    current = entry.isCurrent
    op = entry.operation.description
    time = entry.time.rfc3339
    snapshot = SnapshotDocument(entry.snapshot)
  }
}

struct FindDocument: Encodable {
  struct Run: Encodable {
    let type: String
    let size: UInt64
    let states: Int
    let newest: StateDocument
    let oldest: StateDocument
  }

  struct Path: Encodable {
    let path: String
    let pathB64: String?
    let runs: [Run]
  }

  let schema = 1
  let states: Int
  let paths: [Path]
  let problems: [ProblemDocument]

  init(_ report: FindReport) {
    states = report.states
    paths = report.paths.map { found in
      Path(
        path: found.path.lossyText, pathB64: found.path.base64,
        runs: found.runs.map {
          Run(
            type: $0.entry.type.description, size: $0.entry.size, states: $0.states, newest: StateDocument($0.newest),
            oldest: StateDocument($0.oldest))
        })
    }
    problems = report.problems.map(ProblemDocument.init)
  }
}

/// Text that need not be UTF-8: the text with replacements, and beside it the exact bytes.
private struct LineText {
  let text: String
  let base64: String?

  init(_ bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
    base64 = String(validating: bytes, as: UTF8.self) == nil ? JSONText.base64(bytes) : nil
  }
}

/// One line of the output of `grep`.
struct GrepMatchDocument: Encodable {
  let type = "match"
  let snapshot: String
  let names: [String]
  /// Null for a value.
  let path: OrNull<String>
  let pathB64: String?
  let line: Int?
  let text: String?
  let textB64: String?
  let binary: Bool

  init(_ match: GrepMatch) {
    snapshot = match.state.snapshot.id.description
    names = match.state.names
    path = OrNull(match.path?.lossyText)
    pathB64 = match.path?.base64
    line = match.line?.number
    let content = match.line.map { LineText($0.bytes) }
    text = content?.text
    textB64 = content?.base64
    binary = match.isBinary
  }
}

/// A path that a search could not read.
struct SearchProblemDocument: Encodable {
  let type = "problem"
  let path: String
  let pathB64: String?
  let message: String

  init(_ problem: Problem) {
    path = problem.path.lossyText
    pathB64 = problem.path.base64
    message = problem.text
  }
}

/// The last line of the output of `grep`.
struct GrepSummaryDocument: Encodable {
  let type = "summary"
  let schema = 1
  let matches: Int
  let states: Int
  let contents: Int

  init(_ summary: GrepSummary) {
    matches = summary.matches
    states = summary.states
    contents = summary.contents
  }
}

struct WhenDocument: Encodable {
  struct Place: Encodable {
    let path: String
    let pathB64: String?
    let line: OrNull<Int>
    let text: String
    let textB64: String?

    init(_ place: TextPeriod.Place) {
      path = place.path.lossyText
      pathB64 = place.path.base64
      line = OrNull(place.line)
      let content = LineText(place.text)
      text = content.text
      textB64 = content.base64
    }
  }

  struct Period: Encodable {
    let first: StateDocument
    let firstPlaces: [Place]
    let last: StateDocument
    let lastPlaces: [Place]
    /// Null while no newer state is known.
    let gone: OrNull<StateDocument>
    let states: Int
  }

  let schema = 1
  let states: Int
  let periods: [Period]
  let problems: [ProblemDocument]

  init(_ report: WhenReport) {
    states = report.states
    periods = report.periods.map {
      Period(
        first: StateDocument($0.first), firstPlaces: $0.firstPlaces.map(Place.init), last: StateDocument($0.last),
        lastPlaces: $0.lastPlaces.map(Place.init), gone: OrNull($0.gone.map(StateDocument.init)), states: $0.states)
    }
    problems = report.problems.map(ProblemDocument.init)
  }
}
