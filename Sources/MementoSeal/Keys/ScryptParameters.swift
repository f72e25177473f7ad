// How much work it is to try a passphrase.

/// The parameters of scrypt (RFC 7914). They come from a slot, which somebody else may have written, so their cost is
/// limited before they are used.
package struct ScryptParameters: Hashable, Sendable, CustomStringConvertible {
  /// The cost: a power of two.
  package let cost: Int
  /// The size of a block in units of 128 bytes.
  package let blockSize: Int
  package let parallelism: Int

  /// What new slots get: 32 MiB for each of three lanes, and an eighth of a second of one core.
  package static let standard = ScryptParameters(unchecked: 1 << 15, 8, 3)

  /// The most memory that a derivation may need, in bytes.
  package static let maximumMemory = 256 << 20
  /// The most work: cost × block size × parallelism, about ten times the standard.
  package static let maximumWork = 1 << 23

  private init(unchecked cost: Int, _ blockSize: Int, _ parallelism: Int) {
    self.cost = cost
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// Nil when scrypt does not allow these parameters, or when they need more memory or work than is allowed here.
  package init?(cost: UInt64, blockSize: UInt64, parallelism: UInt64) {
    guard 2...(1 << 20) ~= cost, cost & (cost - 1) == 0, 1...64 ~= blockSize, 1...64 ~= parallelism,
      128 * cost * blockSize <= ScryptParameters.maximumMemory,
      cost * blockSize * parallelism <= ScryptParameters.maximumWork
    else { return nil }
    self.init(unchecked: Int(cost), Int(blockSize), Int(parallelism))
  }

  package var description: String { "\(cost) \(blockSize) \(parallelism)" }
}
