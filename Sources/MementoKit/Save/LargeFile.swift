// A large file that all workers read. Reading and cutting must go in order, so the workers take the windows in turn.
// They hash and compress at the same time. The list of chunks is built in order as the windows are stored.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class LargeFile: Sendable {
  private struct State: ~Copyable, Sendable {
    var cutter: FileCutter
    var nextWindow = 0
    var reading = 0
    var isRead = false
    /// Windows that are stored before one of their predecessors is.
    var early: [Int: [ContentPiece]] = [:]
    var nextPiece = 0
    var list = ChunkListBuilder()
    var isDone = false
  }

  let node: DirectoryNode
  private let slot: Int
  private let name: [UInt8]
  private let context: SaveContext
  private let file: SharedDescriptor
  private let before: FileStatus
  private let state: Mutex<State>

  init(
    node: DirectoryNode, slot: Int, name: [UInt8], file: SharedDescriptor, status: FileStatus, context: SaveContext
  ) {
    self.node = node
    self.slot = slot
    self.name = name
    self.file = file
    self.context = context
    before = status
    state = Mutex(State(cutter: FileCutter(file, status: status, chunker: context.chunker)))
    file.descriptor.adviseSequential()
  }

  /// Stores windows until none is left. True when this worker has finished the file.
  func work(_ saver: FileSaver) throws(StoreError) -> Bool {
    while !context.isStopped {
      do throws(ReadFailure) {
        guard let (number, window) = try nextWindow(saver) else { return false }
        let pieces = try saver.store(window, from: saver.writer.buffer)
        context.bytesRead.add(window.length, ordering: .relaxed)
        context.monitor.advance(files: 0, bytes: window.length)
        if try commit(number, pieces, saver) { return true }
      } catch {
        switch error {
        case .store(let error): throw error
        case .source(let error): if giveUp(error) { return true }
        }
      }
    }
    return false
  }

  private func nextWindow(_ saver: FileSaver) throws(ReadFailure) -> (Int, Window)? {
    try state.withLock { (state) throws(ReadFailure) in
      if state.isRead || state.isDone { return nil }
      let size = saver.writer.window
      let buffer = saver.writer.buffer
      var window = Window()
      do throws(Errno) {
        window = try state.cutter.next(size, into: buffer)
      } catch {
        throw .source(error)
      }
      state.isRead = window.isLast
      state.reading += 1
      state.nextWindow += 1
      return (state.nextWindow - 1, window)
    }
  }

  /// Adds a window to the list. True when this finished the file.
  private func commit(_ number: Int, _ pieces: [ContentPiece], _ saver: FileSaver) throws(ReadFailure) -> Bool {
    try state.withLock { (state) throws(ReadFailure) in
      if state.isDone { return false }
      state.reading -= 1
      state.early[number] = pieces
      while let next = state.early.removeValue(forKey: state.nextPiece) {
        state.nextPiece += 1
        for piece in next {
          do throws(StoreError) { try state.list.append(piece, to: saver.writer) } catch { throw .store(error) }
        }
      }
      guard state.isRead, state.reading == 0 else { return false }
      return try finish(&state, saver)
    }
  }

  private func finish(_ state: inout State, _ saver: FileSaver) throws(ReadFailure) -> Bool {
    let size = state.list.size
    let content: FileContent
    do throws(StoreError) { content = try state.list.finish(saver.writer) } catch { throw .store(error) }
    let saved = try SavedFile(file, before: before, name: name, size: size, content: content)
    if !saved.isStable {
      context.report(node.handle.path(of: name), "changed while it was read; what was read last is recorded")
    }
    node.record(
      encoded: saved.entry, at: slot, inode: saved.status.inode,
      changed: saved.isStable ? saved.status.changed : .distantPast)
    context.count(saved.status)
    context.monitor.advance(files: 1, bytes: 0)
    state.isDone = true
    return true
  }

  /// Gives the file up, because it cannot be read to its end. True for the first worker that does so.
  private func giveUp(_ error: Errno) -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isDone = true }
      return !state.isDone
    }
    if isFirst {
      context.passOver(CollectionOfOne(before.inode))
      context.dropLink(name, of: node.handle)
      context.report(node.handle.path(of: name), "cannot be read: \(error)")
    }
    return isFirst
  }
}
