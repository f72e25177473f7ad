// scrypt (RFC 7914): a key from a passphrase, at a price in time and memory. swift-crypto has it in CryptoExtras, which
// links all of Foundation in its older versions; docs/architecture.md has the numbers. Its inner loop is in CScrypt.

internal import CScrypt
internal import Crypto

/// Derives a key from a passphrase.
enum Scrypt {
  /// So many bytes of tables are in use at once, unless one is larger: more would be most of what the process may take.
  private static let mostMemory = 96 << 20

  /// Derives `byteCount` bytes. Takes as long as `parameters` say, and as much memory, or up to three times as much where
  /// it is little.
  static func key(
    from passphrase: SymmetricKey, salt: [UInt8], _ parameters: ScryptParameters, byteCount: Int = 32
  ) -> SymmetricKey {
    let laneSize = 128 * parameters.blockSize
    let tableSize = cscrypt_table_size(parameters.cost, parameters.blockSize)
    // What the first lanes take is what the others take, too.
    let together = max(
      1, min(parameters.parallelism, Int(CSCRYPT_LANES), mostMemory / (laneSize * parameters.cost)))
    let lanes = UnsafeMutableRawBufferPointer.allocate(byteCount: laneSize * parameters.parallelism, alignment: 64)
    let tables = UnsafeMutableRawBufferPointer.allocate(byteCount: tableSize * together, alignment: 64)
    defer {
      lanes.initializeMemory(as: UInt8.self, repeating: 0)
      lanes.deallocate()
      tables.deallocate()
    }
    stretch(passphrase, salt: UnsafeRawBufferPointer(start: nil, count: 0), prefix: salt, into: lanes)
    for first in stride(from: 0, to: parameters.parallelism, by: together) {
      cscrypt_mix(
        lanes.baseAddress! + first * laneSize, tables.baseAddress!, min(together, parameters.parallelism - first),
        parameters.cost, parameters.blockSize)
    }
    let result = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
    defer {
      result.initializeMemory(as: UInt8.self, repeating: 0)
      result.deallocate()
    }
    stretch(passphrase, salt: UnsafeRawBufferPointer(lanes), prefix: [], into: result)
    return SymmetricKey(data: UnsafeRawBufferPointer(result))
  }

  /// PBKDF2 with HMAC-SHA-256 and one iteration. The salt is `prefix` and then `salt`.
  private static func stretch(
    _ passphrase: SymmetricKey, salt: UnsafeRawBufferPointer, prefix: [UInt8],
    into result: UnsafeMutableRawBufferPointer
  ) {
    var filled = 0
    var number: UInt32 = 1
    while filled < result.count {
      var code = HMAC<SHA256>(key: passphrase)
      code.update(data: prefix)
      code.update(data: salt)
      withUnsafeBytes(of: number.bigEndian) { code.update(data: $0) }
      code.finalize().withUnsafeBytes { block in
        let count = min(block.count, result.count - filled)
        UnsafeMutableRawBufferPointer(rebasing: result[filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<count]))
        filled += count
      }
      number += 1
    }
  }
}
