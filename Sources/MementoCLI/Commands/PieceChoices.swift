// The pieces of one file that a user decides about, one after the other.

import MementoKit

/// One question about a file.
enum PatchPiece {
  /// All of it: the file is created, removed or replaced, or has no lines to show.
  case whole
  /// Its mode, owner and attributes.
  case metadata
  case hunk(TextDiff.Hunk)
  /// A hunk that the user has changed.
  case edited(TextDiff.Hunk, TextDiff.HunkEdit)

  /// The hunk as it was; nil for what has none.
  var hunk: TextDiff.Hunk? {
    switch self {
    case .hunk(let hunk), .edited(let hunk, _): hunk
    case .whole, .metadata: nil
    }
  }
}

/// The pieces of a file, what was decided about each, and which one the user sees.
struct PieceChoices {
  private(set) var pieces: [PatchPiece]
  private(set) var decisions: [Bool?]
  private(set) var place = 0

  init(_ pieces: [PatchPiece]) {
    self.pieces = pieces
    decisions = pieces.map { _ in nil }
  }

  var piece: PatchPiece { pieces[place] }
  var isDone: Bool { decisions.allSatisfy { $0 != nil } }
  /// The nearest pieces before and after this one about which nothing is decided.
  var previous: Int? { decisions[..<place].lastIndex { $0 == nil } }
  var next: Int? { decisions[(place + 1)...].firstIndex { $0 == nil } }

  /// Decides about this piece, and with `andLater` also about the later ones that are open.
  mutating func decide(_ isChosen: Bool, andLater: Bool = false) {
    decisions[place] = isChosen
    if andLater {
      for index in decisions.indices[place...] where decisions[index] == nil { decisions[index] = isChosen }
    }
    place = next ?? decisions.firstIndex { $0 == nil } ?? place
  }

  /// Puts what the user has made of this hunk in its place, and chooses it.
  mutating func choose(_ edit: TextDiff.HunkEdit, of hunk: TextDiff.Hunk) {
    pieces[place] = .edited(hunk, edit)
    decide(true)
  }

  /// Shows another piece. False when there is none.
  mutating func go(to index: Int?) -> Bool {
    guard let index, pieces.indices.contains(index) else { return false }
    place = index
    return true
  }

  /// Puts smaller pieces in the place of this one. Nothing is decided about them.
  mutating func split(into hunks: [TextDiff.Hunk]) {
    pieces.replaceSubrange(place...place, with: hunks.map { .hunk($0) })
    decisions.replaceSubrange(place...place, with: hunks.map { _ in nil })
  }

  /// What was chosen.
  var chosen: [PatchPiece] {
    zip(pieces, decisions).filter { $0.1 == true }.map(\.0)
  }
}
