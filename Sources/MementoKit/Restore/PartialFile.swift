// A file of several chunks. Several workers write the chunks in any order.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class PartialFile: Sendable {
  private struct State: Sendable {
    var file: SharedDescriptor?
    /// What was made; nil before that.
    var made: FileIdentity?
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
      if isLast { progress.finish(self) }
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
      try directory.descriptor.open(target.name, state.made == nil ? .create : .readWrite))
    if state.made == nil {
      state.made = try file.descriptor.status().identity
      progress.begin(self)
      try file.descriptor.truncate(to: size)
    }
    state.file = file
    progress.openParts.add(1, ordering: .relaxed)
    return file
  }

  /// Removes the file, if it is still the one that was made: without all of its chunks it looks whole, and is not.
  func discard() throws(Errno) {
    guard let made = state.withLock({ $0.made }) else { return }
    let directory = try target.place.open()
    guard try directory.descriptor.status(of: target.name).identity == made else { return }
    try directory.descriptor.removeFile(target.name)
  }
}
