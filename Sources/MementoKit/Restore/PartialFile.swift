// A file of several chunks. Several workers write the chunks in any order.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class PartialFile: Sendable {
  private struct State: Sendable {
    var file: SharedDescriptor?
    var isMade = false
    /// The number of known chunks that are not written yet, plus one as long as not all chunks are known.
    var remaining = 1
  }

  /// How many partial files may be open at once, in the whole restore.
  private static let openLimit = 128

  private let progress: WriteProgress
  private let target: FileToWrite
  /// The size of the file in bytes.
  private let size: UInt64
  private let state = Mutex(State())

  init(_ target: FileToWrite, size: UInt64, progress: WriteProgress) {
    self.progress = progress
    self.target = target
    self.size = size
  }

  /// Announces one more chunk.
  func expectOne() {
    state.withLock { $0.remaining += 1 }
  }

  /// Says that all chunks are known. Call it before the last chunk goes to a worker, so that the worker of the last
  /// chunk completes the file.
  func expectNoMore() {
    state.withLock { $0.remaining -= 1 }
  }

  /// Writes one chunk. Returns the file when this was the last chunk.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Errno) -> SharedDescriptor? {
    let file = try state.withLock { (state) throws(Errno) in try open(&state) }
    try file.descriptor.write(bytes, at: offset)
    return state.withLock { state in
      state.remaining -= 1
      let isLast = state.remaining == 0
      if isLast || progress.openParts.load(ordering: .relaxed) > PartialFile.openLimit {
        if state.file != nil { progress.openParts.subtract(1, ordering: .relaxed) }
        state.file = nil
      }
      return isLast ? file : nil
    }
  }

  private func open(_ state: inout State) throws(Errno) -> SharedDescriptor {
    if let file = state.file { return file }
    let directory = try target.place.open()
    let file = SharedDescriptor(
      try directory.descriptor.open(target.name, state.isMade ? .readWrite : .create))
    if !state.isMade {
      try file.descriptor.truncate(to: size)
      state.isMade = true
    }
    state.file = file
    progress.openParts.add(1, ordering: .relaxed)
    return file
  }
}
