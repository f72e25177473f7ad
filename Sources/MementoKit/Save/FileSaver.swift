// One worker's way to read files: open, look, read, cut, store, look again.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// Used by one worker at a time, as its writer is.
final class FileSaver: Sendable {
  /// A file that changes under the reader is read again so often.
  static let attempts = 3

  let context: SaveContext
  let writer: ObjectWriter

  init(context: SaveContext, writer: ObjectWriter) {
    self.context = context
    self.writer = writer
  }

  /// Saves some files of a directory. Large ones are handed to `share`, and are then a part of their own.
  func save(_ indices: [Int32], of node: DirectoryNode, share: (LargeFile) -> Void) throws(StoreError) {
    guard let listing = node.listing else { return }
    let directory: SharedDescriptor
    do throws(Errno) {
      directory = try node.handle.open()
    } catch {
      if error == .notFound || error == .stale || error == .notDirectory {
        for index in indices { vanish(Int(index), of: node) }
      } else {
        context.passOver(indices.map { listing.inode(at: Int($0)) })
        for index in indices { context.dropLink(listing.name(at: Int(index)), of: node.handle) }
        context.report(BytePath(node.handle.path), "cannot be read: \(error)")
      }
      return
    }
    var entries = EntryArena(node, capacity: indices.count * 96)
    var count = 0
    var bytes: UInt64 = 0
    for index in indices {
      if context.isStopped { return }
      let name = listing.name(at: Int(index))
      do throws(ReadFailure) {
        guard let saved = try save(name, in: directory, node, Int(index), share: share) else { continue }
        entries.append(
          saved.entry, slot: Int(index), inode: saved.status.inode,
          changed: saved.isStable ? saved.status.changed : .distantPast)
        count += 1
        bytes += saved.status.size
      } catch {
        switch error {
        case .store(let error): throw error
        case .source(.notFound): vanish(Int(index), of: node)
        case .source(let error):
          context.passOver(CollectionOfOne(listing.inode(at: Int(index))))
          context.dropLink(name, of: node.handle)
          context.report(node.handle.path(of: name), "cannot be read: \(error)")
        }
      }
    }
    entries.handOver()
    context.monitor.advance(files: count, bytes: bytes)
  }

  private func vanish(_ index: Int, of node: DirectoryNode) {
    guard let listing = node.listing else { return }
    context.dropLink(listing.name(at: index), of: node.handle)
    node.vanish(index, wasKnown: node.cached?.inode(of: listing.name(at: index)) == listing.inode(at: index), context)
  }

  /// Saves one file; nil when it was handed on.
  private func save(
    _ name: [UInt8], in directory: SharedDescriptor, _ node: DirectoryNode, _ index: Int, share: (LargeFile) -> Void
  ) throws(ReadFailure) -> SavedFile? {
    var saved: SavedFile?
    for _ in 0..<FileSaver.attempts {
      let (file, status) = try ReadFailure.onSource { () throws(Errno) in
        let file = SharedDescriptor(try directory.descriptor.open(name, .read))
        return (file, try file.descriptor.status())
      }
      // Replaced by something else since it was listed: not what was there.
      guard status.isRegular else { throw .source(.notFound) }
      if status.inode != node.listing?.inode(at: index) { context.dropLink(name, of: node.handle) }
      if status.size >= Archiver.largeFile {
        let large = LargeFile(node: node, slot: index, name: name, file: file, status: status, context: context)
        node.expectOneMore()
        share(large)
        return nil
      }
      let attempt = try read(file, status, name)
      context.bytesRead.add(attempt.status.size, ordering: .relaxed)
      saved = attempt
      if attempt.isStable { break }
    }
    guard let saved else { throw .source(.notFound) }
    if !saved.isStable {
      context.report(node.handle.path(of: name), "changed while it was read; what was read last is recorded")
    }
    context.count(saved.status)
    return saved
  }

  private func read(
    _ file: SharedDescriptor, _ status: FileStatus, _ name: [UInt8]
  ) throws(ReadFailure) -> SavedFile {
    let cutter = ContentCutter(FileSource(file, status: status), chunker: context.chunker)
    return try SavedFile(file, before: status, name: name, content: try cutter.save(to: writer))
  }
}

/// A file that was read to its end.
struct SavedFile {
  let entry: TreeEntry
  let status: FileStatus
  /// It was the same before and after reading.
  let isStable: Bool

  init(
    _ file: SharedDescriptor, before: FileStatus, name: [UInt8], content: SizedContent
  ) throws(ReadFailure) {
    let (after, attributes) = try ReadFailure.onSource { () throws(Errno) in
      // Attributes first: setting one moves the time of change.
      let attributes = try file.descriptor.extendedAttributes()
      return (try file.descriptor.status(), attributes)
    }
    isStable =
      content.size == before.size && after.size == before.size && after.modified == before.modified
      && after.changed == before.changed
    status = after
    entry = TreeEntry(
      name: name, metadata: FileMetadata(after, attributes: attributes),
      content: .file(size: content.size, content.content))
  }
}
