// How long the model tests run, and with which random seeds.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum ModelSettings {
  /// `count` seeds in a row. The first is `MEMENTO_MODEL_SEED`, or 1 without it.
  package static func seeds(_ count: UInt64) -> [UInt64] {
    let first = number("MEMENTO_MODEL_SEED") ?? 1
    return (0..<count).map { first &+ $0 }
  }

  /// `MEMENTO_MODEL_STEPS`, or `standard`, for which a normal run has enough time.
  package static func steps(_ standard: Int) -> Int {
    number("MEMENTO_MODEL_STEPS").map { Int(clamping: $0) } ?? standard
  }

  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}
