// Reads files for one worker: open, check the status, read, cut, store, check the status again.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// One worker at a time uses it, as it uses the writer.
final class FileSaver: Sendable {
  /// How often a file is read that changes while it is read.
  static let attempts = 3

  let context: SaveContext
  let writer: ObjectWriter

  init(context: SaveContext, writer: ObjectWriter) {
    self.context = context
    self.writer = writer
  }

  /// Saves some files of a directory. Passes large ones to `share`, and each of these then counts as a part of its own.
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
      // Not a return: the directory is not complete, so nobody may finish it.
      if context.isStopped { throw .cancelled }
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

  /// Saves one file. Nil when it was passed to `share`.
  private func save(
    _ name: [UInt8], in directory: SharedDescriptor, _ node: DirectoryNode, _ index: Int, share: (LargeFile) -> Void
  ) throws(ReadFailure) -> SavedFile? {
    var saved: SavedFile?
    for _ in 0..<FileSaver.attempts {
      let (file, status) = try ReadFailure.onSource { () throws(Errno) in
        let file = SharedDescriptor(try directory.descriptor.open(name, .read))
        return (file, try file.descriptor.status())
      }
      // Another kind of file has replaced it since it was listed, so the listed file has vanished.
      guard status.isRegular else { throw .source(.notFound) }
      if status.inode != node.listing?.inode(at: index) { context.dropLink(name, of: node.handle) }
      if status.size >= Archiver.largeFile {
        context.foresee(status)
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
  /// Whether the file was the same before and after it was read.
  let isStable: Bool

  init(
    _ file: SharedDescriptor, before: FileStatus, name: [UInt8], content: SizedContent
  ) throws(ReadFailure) {
    let (after, attributes) = try ReadFailure.onSource { () throws(Errno) in
      // The attributes come first, because setting one changes the time of change.
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
