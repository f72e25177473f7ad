// The size of a terminal in characters.

/// Columns and rows, at least one of each.
package struct ScreenSize: Equatable, Sendable {
  /// More than any screen has. It bounds the memory of a screen whose size was forged.
  private static let largest = 1000

  package let columns: Int
  package let rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), ScreenSize.largest)
    self.rows = min(max(rows, 1), ScreenSize.largest)
  }

  /// For a terminal that does not say its size.
  package static let standard = ScreenSize(columns: 80, rows: 24)
}
