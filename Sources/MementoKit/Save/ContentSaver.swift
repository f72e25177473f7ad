// Stores the content of a byte source: cut, hashed, compressed, and listed in order. One worker does it alone, or several
// together: they take the windows in turn (reading and cutting must go in order), and hash and compress them side by side.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// Why content was not saved: its source, or the store, which ends the save.
enum ReadFailure: Error {
  case source(Errno)
  case store(StoreError)

  static func onSource<Result>(_ body: () throws(Errno) -> Result) throws(ReadFailure) -> Result {
    do throws(Errno) { return try body() } catch { throw .source(error) }
  }

  static func onStore<Result>(_ body: () throws(StoreError) -> Result) throws(ReadFailure) -> Result {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }
}

extension ContentCutter {
  /// Saves all of it with one worker.
  consuming func save(to writer: ObjectWriter) throws(ReadFailure) -> SizedContent {
    var list = ChunkListBuilder()
    var isLast = false
    while !isLast {
      let window: Window
      do throws(Errno) { window = try next(writer.window, into: writer.buffer) } catch { throw .source(error) }
      isLast = window.isLast
      do throws(StoreError) {
        for piece in try window.store(writer) { try list.append(piece, to: writer) }
      } catch {
        throw .store(error)
      }
    }
    let size = list.size
    do throws(StoreError) {
      return SizedContent(size: size, content: try list.finish(writer))
    } catch {
      throw .store(error)
    }
  }
}

extension ObjectWriter {
  /// Stores bytes in memory as the content of a file.
  func storeContent(_ bytes: [UInt8], chunker: Chunker) throws(StoreError) -> SizedContent {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      do throws(ReadFailure) {
        return try ContentCutter(MemorySource(UnsafeRawBufferPointer(bytes)), chunker: chunker).save(to: self)
      } catch {
        switch error {
        case .store(let error): throw error
        // Memory can always be read.
        case .source(let error): throw .system(operation: "read", path: "memory", error)
        }
      }
    }
  }
}

/// Content that several workers save together.
final class ContentSaver<Source: ByteSource>: Sendable {
  private struct State: ~Copyable, Sendable {
    var cutter: ContentCutter<Source>
    var nextWindow = 0
    /// Windows that are being stored.
    var storing = 0
    var isRead = false
    /// Windows that are stored but whose predecessors are not.
    var early: [Int: [ContentPiece]] = [:]
    var nextPiece = 0
    var list = ChunkListBuilder()
    /// The content is complete, or cannot be read.
    var isDone = false
  }

  private let state: Mutex<State>

  init(_ source: Source, chunker: Chunker) {
    state = Mutex(State(cutter: ContentCutter(source, chunker: chunker)))
  }

  /// Takes windows, `limit` at most, until none is left or `isStopped` says so. The worker that enters the last window gets
  /// the content, all others nil. `.source` is thrown to one worker only. `progress`: the bytes of each window that was stored.
  func work(
    _ writer: ObjectWriter, atMost limit: Int = .max, isStopped: () -> Bool, progress: (UInt64) -> Void
  ) throws(ReadFailure) -> SizedContent? {
    var taken = 0
    while taken < limit, !isStopped() {
      taken += 1
      guard let (number, window) = try nextWindow(writer) else { return nil }
      let content = try ReadFailure.onStore { () throws(StoreError) in
        let pieces = try window.store(writer)
        progress(window.length)
        return try enter(number, pieces, writer)
      }
      if let content { return content }
    }
    return nil
  }

  private func nextWindow(_ writer: ObjectWriter) throws(ReadFailure) -> (Int, Window)? {
    try state.withLock { (state) throws(ReadFailure) in
      if state.isRead || state.isDone { return nil }
      let window: Window
      do throws(Errno) {
        window = try state.cutter.next(writer.window, into: writer.buffer)
      } catch {
        state.isDone = true
        throw .source(error)
      }
      state.isRead = window.isLast
      state.storing += 1
      state.nextWindow += 1
      return (state.nextWindow - 1, window)
    }
  }

  /// Enters a window into the list; returns the content when that was the last one.
  private func enter(
    _ number: Int, _ pieces: [ContentPiece], _ writer: ObjectWriter
  ) throws(StoreError) -> SizedContent? {
    try state.withLock { (state) throws(StoreError) in
      if state.isDone { return nil }
      state.storing -= 1
      state.early[number] = pieces
      while let next = state.early.removeValue(forKey: state.nextPiece) {
        state.nextPiece += 1
        for piece in next { try state.list.append(piece, to: writer) }
      }
      guard state.isRead, state.storing == 0 else { return nil }
      state.isDone = true
      let size = state.list.size
      return SizedContent(size: size, content: try state.list.finish(writer))
    }
  }
}
