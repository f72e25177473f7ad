// The content of a put, as the server sees it: it asks for what it reads, and the content comes in frames.

internal import MementoSystem

/// Memory follows the buffers of the readers: nothing is kept that nobody reads.
final class WantedSource: ObjectSource {
  /// A read that waits for its bytes.
  private struct Pending {
    let number: UInt64
    let offset: UInt64
    let buffer: UnsafeMutableRawBufferPointer
    var filled = 0
  }

  /// `@unchecked Sendable`: the buffers belong to readers that wait, and it is used only under a lock.
  private struct State: @unchecked Sendable {
    var pending: [Pending] = []
    var nextNumber: UInt64 = 0
    var end: ObjectError?

    var wanted: Int { pending.reduce(0) { $0 + $1.buffer.count } }
  }

  let size: UInt64
  private let hash: [UInt8]?
  private let state = WaitingLock(State())
  private let want: @Sendable (UInt64, Int) throws(ObjectError) -> Void
  /// What one read wants at once, and what one frame asks for.
  private static let part = FrameLimit.wanted / 4
  private static let frame = 1 << 20

  /// `hash`: what the other side has said of the content. `want` asks it for a part.
  init(size: UInt64, hash: [UInt8]? = nil, want: @escaping @Sendable (UInt64, Int) throws(ObjectError) -> Void) {
    self.size = size
    self.hash = hash
    self.want = want
  }

  func contentHash() -> [UInt8]? { hash }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    guard offset <= size, UInt64(buffer.count) <= size - offset else {
      throw ObjectError(.local, "a read behind the end of the content")
    }
    var done = 0
    while done < buffer.count {
      let count = min(WantedSource.part, buffer.count - done)
      try readPart(UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count]), at: offset + UInt64(done))
      done += count
    }
  }

  private func readPart(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    let number = try state.wait(checkingEvery: 3600) { (state) throws(ObjectError) -> UInt64? in
      if let end = state.end { throw end }
      guard state.wanted + buffer.count <= FrameLimit.wanted else { return nil }
      state.nextNumber += 1
      state.pending.append(Pending(number: state.nextNumber, offset: offset, buffer: buffer))
      return state.nextNumber
    }
    // Whatever happens, nobody writes to the buffer when this has returned.
    defer {
      state.withLock { state in state.pending.removeAll { $0.number == number } }
      state.wake()
    }
    var asked = 0
    while asked < buffer.count {
      let count = min(WantedSource.frame, buffer.count - asked)
      try want(offset + UInt64(asked), count)
      asked += count
    }
    try state.wait(checkingEvery: 3600) { (state) throws(ObjectError) -> Void? in
      if let entry = state.pending.first(where: { $0.number == number }), entry.filled == entry.buffer.count {
        return ()
      }
      if let end = state.end { throw end }
      return nil
    }
  }

  /// Takes content that the other side has sent. False when nobody waits for it.
  func take(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool {
    let (isWanted, isComplete) = state.withLock { state in
      let place = state.pending.firstIndex { entry in
        entry.offset + UInt64(entry.filled) == offset && bytes.count <= entry.buffer.count - entry.filled
      }
      guard let place else { return (false, false) }
      let entry = state.pending[place]
      UnsafeMutableRawBufferPointer(rebasing: entry.buffer[entry.filled...]).copyMemory(from: bytes)
      state.pending[place].filled += bytes.count
      return (true, state.pending[place].filled == entry.buffer.count)
    }
    if isComplete { state.wake() }
    return isWanted
  }

  /// Whether nobody reads. Content that was asked for may still come then, when its reader has given up.
  var isIdle: Bool { state.withLock { $0.pending.isEmpty } }

  /// There will be no more content. Readers throw `error`.
  func end(_ error: ObjectError) {
    state.withLock { state in if state.end == nil { state.end = error } }
    state.wake()
  }
}
