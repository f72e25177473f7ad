// Parts of packs elsewhere, as they are stored: the blocks of trees and lists that were read last. Trees are read level by
// level, and a block has trees of several levels; each would be a request again.

internal import Synchronization

final class KeptRanges: Sendable {
  private struct Part: Sendable {
    let offset: UInt64
    let bytes: [UInt8]
  }

  private struct State: Sendable {
    /// The parts of each pack, by their offsets. None has the same offset as another.
    var parts: [ObjectID: [Part]] = [:]
    /// In the order in which they came.
    var order: [(pack: ObjectID, offset: UInt64)] = []
    var bytes = 0

    /// Where in the list of a pack the first part is that begins behind an offset.
    func position(behind offset: UInt64, in list: [Part]) -> Int {
      var (low, high) = (0, list.count)
      while low < high {
        let middle = (low + high) / 2
        if list[middle].offset <= offset { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// At most so many bytes are kept.
  private static let limit = 16 << 20
  private let state = Mutex(State())

  /// How many bytes are kept.
  var byteCount: Int { state.withLock(\.bytes) }

  /// Whether a block is kept.
  func has(_ block: BlockRecord, of pack: ObjectID) -> Bool {
    part(with: block, of: pack) != nil
  }

  /// Copies the stored bytes of a block. False when it is not kept.
  func copy(_ block: BlockRecord, of pack: ObjectID, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard let part = part(with: block, of: pack) else { return false }
    let start = Int(block.offset - part.offset)
    part.bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(block.storedLength)]))
    }
    return true
  }

  private func part(with block: BlockRecord, of pack: ObjectID) -> Part? {
    state.withLock { state in
      guard let list = state.parts[pack] else { return nil }
      let position = state.position(behind: block.offset, in: list)
      guard position > 0 else { return nil }
      let part = list[position - 1]
      let before = block.offset - part.offset
      guard before <= UInt64(part.bytes.count), UInt64(block.storedLength) <= UInt64(part.bytes.count) - before
      else { return nil }
      return part
    }
  }

  /// Keeps the bytes of a pack that begin at `offset`, and forgets those that came first when there are too many.
  func keep(_ bytes: [UInt8], at offset: UInt64, of pack: ObjectID) {
    if bytes.isEmpty || bytes.count > KeptRanges.limit / 4 { return }
    state.withLock { state in
      var list = state.parts[pack] ?? []
      let position = state.position(behind: offset, in: list)
      let part = Part(offset: offset, bytes: bytes)
      if position > 0, list[position - 1].offset == offset {
        guard list[position - 1].bytes.count < bytes.count else { return }
        state.bytes -= list[position - 1].bytes.count
        list[position - 1] = part
      } else {
        list.insert(part, at: position)
        state.order.append((pack, offset))
      }
      state.parts[pack] = list
      state.bytes += bytes.count
      while state.bytes > KeptRanges.limit { forgetOldest(&state) }
    }
  }

  /// Forgets what is kept of a pack.
  func forget(_ pack: ObjectID) {
    state.withLock { state in
      guard let list = state.parts.removeValue(forKey: pack) else { return }
      state.bytes -= list.reduce(0) { $0 + $1.bytes.count }
      state.order.removeAll { $0.pack == pack }
    }
  }

  func forgetAll() {
    state.withLock { $0 = State() }
  }

  private func forgetOldest(_ state: inout State) {
    let (pack, offset) = state.order.removeFirst()
    guard var list = state.parts[pack], let position = list.firstIndex(where: { $0.offset == offset }) else { return }
    state.bytes -= list[position].bytes.count
    list.remove(at: position)
    state.parts[pack] = list
  }
}
