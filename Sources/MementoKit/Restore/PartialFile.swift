// A file of several chunks that arrive in any order, from several workers.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class PartialFile: Sendable {
  private struct State: Sendable {
    var file: SharedDescriptor?
    var isMade = false
    /// Chunks that are known and not written. One more stands for those that are not known yet.
    var remaining = 1
  }

  /// How many of these are open at once, over all.
  private static let openLimit = 128

  private let progress: WriteProgress
  private let target: FileToWrite
  /// Bytes.
  private let size: UInt64
  private let state = Mutex(State())

  init(_ target: FileToWrite, size: UInt64, progress: WriteProgress) {
    self.progress = progress
    self.target = target
    self.size = size
  }

  /// One more chunk will be written.
  func expectOne() {
    state.withLock { $0.remaining += 1 }
  }

  /// All chunks are known. The last of them has not been handed to a worker yet: so there is one left, which completes the
  /// file.
  func expectNoMore() {
    state.withLock { $0.remaining -= 1 }
  }

  /// Writes one chunk; returns the file when it was the last.
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
