// How long a pack that a collection has marked can still be read.

enum RemoteGrace {
  /// A day: longer than any push, and than any listing lags.
  static let seconds: Int64 = 24 * 3600
}
