// How long an object looks.

/// Padmé, from "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs" (Nikitin et al., 2019): a
/// size keeps only as many leading bits as its exponent has bits. So objects of up to 2^40 bytes have a few hundred
/// sizes, and none grows by more than 12%, a large one by less than 3%.
enum PaddedSize {
  /// The size after padding. `size` is at most `SealedStream.maximumSize`.
  static func of(_ size: UInt64) -> UInt64 {
    guard size >= 2 else { return size }
    let exponent = 63 - size.leadingZeroBitCount
    let kept = 64 - UInt64(exponent).leadingZeroBitCount
    let mask = (UInt64(1) << (exponent - kept)) - 1
    return (size + mask) & ~mask
  }
}
