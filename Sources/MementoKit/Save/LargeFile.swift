// A large file that all workers read. Reading and cutting must go in order, so the workers take the windows in turn.
// They hash and compress at the same time. The list of chunks is built in order as the windows are stored.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class LargeFile: Sendable {
  let node: DirectoryNode
  private let slot: Int
  private let name: [UInt8]
  private let context: SaveContext
  private let file: SharedDescriptor
  private let before: FileStatus
  private let content: ContentSaver<FileSource>

  init(
    node: DirectoryNode, slot: Int, name: [UInt8], file: SharedDescriptor, status: FileStatus, context: SaveContext
  ) {
    self.node = node
    self.slot = slot
    self.name = name
    self.file = file
    self.context = context
    before = status
    content = ContentSaver(FileSource(file, status: status), chunker: context.chunker)
    file.descriptor.adviseSequential()
  }

  /// Takes windows until none is left; true when this worker finished the file.
  func work(_ writer: ObjectWriter) throws(StoreError) -> Bool {
    do throws(ReadFailure) {
      let found = try content.work(writer, isStopped: { context.isStopped }) { length in
        context.bytesRead.add(length, ordering: .relaxed)
        context.monitor.advance(files: 0, bytes: length)
      }
      guard let found else { return false }
      try finish(found)
    } catch {
      switch error {
      case .store(let error): throw error
      case .source(let error): giveUp(error)
      }
    }
    return true
  }

  private func finish(_ content: SizedContent) throws(ReadFailure) {
    let saved = try SavedFile(file, before: before, name: name, content: content)
    if !saved.isStable {
      context.report(node.handle.path(of: name), "changed while it was read; what was read last is recorded")
    }
    node.record(
      encoded: saved.entry, at: slot, inode: saved.status.inode,
      changed: saved.isStable ? saved.status.changed : .distantPast)
    context.count(saved.status)
    context.monitor.advance(files: 1, bytes: 0)
  }

  /// The file cannot be read to its end.
  private func giveUp(_ error: Errno) {
    context.passOver(CollectionOfOne(before.inode))
    context.dropLink(name, of: node.handle)
    context.report(node.handle.path(of: name), "cannot be read: \(error)")
  }
}
