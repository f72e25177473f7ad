// Which refs records have been seen: for each writer the number of the newest one.

/// A record holds the whole view of its writer, so whoever has merged record 7 of a writer has seen records 1 to 6, too.
package struct VersionVector: Equatable, Sendable {
  package private(set) var numbers: [WriterID: UInt64] = [:]

  package init() {}

  package init(_ dots: some Sequence<Dot>) {
    for dot in dots { see(dot) }
  }

  /// The number of the newest record that was seen of a writer; 0 when there is none.
  package subscript(writer: WriterID) -> UInt64 { numbers[writer] ?? 0 }

  package func contains(_ dot: Dot) -> Bool { dot.number <= self[dot.writer] }

  /// Whether everything that `other` has seen was seen here, too.
  package func covers(_ other: VersionVector) -> Bool {
    other.numbers.allSatisfy { $0.value <= self[$0.key] }
  }

  package mutating func see(_ dot: Dot) {
    guard dot.number > self[dot.writer] else { return }
    numbers[dot.writer] = dot.number
  }

  package mutating func merge(_ other: VersionVector) {
    numbers.merge(other.numbers) { max($0, $1) }
  }

  /// The newest record of each writer, in the order of writers.
  package var dots: [Dot] { numbers.map { Dot(writer: $0.key, number: $0.value) }.sorted() }

  /// What was seen here and not there: the newest records that `other` lacks.
  package func missing(in other: VersionVector) -> [Dot] { dots.filter { !other.contains($0) } }
}
