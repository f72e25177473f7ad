// The parity of one stripe of a pack while it is computed: for each group of sectors the XOR of those that came so far.
// A stripe has a fixed number of sectors, so the memory does not follow the size of the pack.

/// It is used under the lock of the writer alone, hence `@unchecked Sendable`.
final class ParityStripe: @unchecked Sendable {
  private static let words = ParityFormat.sector / 8
  private let sums: UnsafeMutablePointer<UInt64>
  /// How many sectors were added.
  private(set) var count = 0

  init() {
    sums = .allocate(capacity: ParityFormat.groups * ParityStripe.words)
    sums.initialize(repeating: 0, count: ParityFormat.groups * ParityStripe.words)
  }

  deinit {
    sums.deallocate()
  }

  /// Adds a sector. `number`: its number in the stripe.
  func add(_ sector: UnsafeRawPointer, _ number: Int) {
    ParityStripe.combine(sums + (number % ParityFormat.groups) * ParityStripe.words, with: sector)
    count += 1
  }

  /// The parity of so many groups: a power of two, and `ParityFormat.groups` at most.
  func parity(groups: Int) -> [UInt8] {
    for group in groups..<max(groups, ParityFormat.groups) {
      let other = UnsafeRawPointer(sums + group * ParityStripe.words)
      ParityStripe.combine(sums + (group % groups) * ParityStripe.words, with: other)
    }
    return Array(UnsafeRawBufferPointer(start: sums, count: groups * ParityFormat.sector))
  }

  /// `sum` ^= `sector`, word by word. The compiler makes vectors of this loop.
  static func combine(_ sum: UnsafeMutablePointer<UInt64>, with sector: UnsafeRawPointer) {
    var place = 0
    while place < words {
      sum[place] ^= sector.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self)
      place += 1
    }
  }
}
