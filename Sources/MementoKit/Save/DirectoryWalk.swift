// Walks one directory: lists it, compares each entry with the cache, and returns the files to read and the folders to
// enter. It records everything else at once.

internal import MementoStore
internal import MementoSystem

struct DirectoryWalk {
  private let node: DirectoryNode
  private let context: SaveContext
  private var files: [(index: Int32, size: UInt64)] = []
  private var folders: [DirectoryNode] = []
  private var entries: EntryArena
  private var filter: EntryFilter?
  /// The inodes of entries that are not recorded.
  private var passedOver: [UInt64] = []

  init(_ node: DirectoryNode, context: SaveContext) {
    self.node = node
    self.context = context
    entries = EntryArena(node)
  }

  /// Walks the directory. Returns what is left to do: files by their index in the listing, and folders.
  consuming func run() throws(StoreError) -> (files: [(index: Int32, size: UInt64)], folders: [DirectoryNode]) {
    let directory: SharedDescriptor
    do throws(Errno) {
      let opened = Result { () throws(Errno) in try node.handle.open() }
      // The parent was needed only to open this directory, also if that failed.
      node.parent?.userEnded()
      directory = try opened.get()
      if node.parent != nil { node.attributes = try directory.descriptor.extendedAttributes() }
      let listing = try DirectoryListing(reading: directory.descriptor)
      let status = try directory.descriptor.status()
      context.listed(status)
      node.begin(listing, at: status.changed, context.cache)
    } catch {
      // Without the top folder there is nothing to record. An empty snapshot would say that all files were removed.
      if node.parent == nil {
        context.fail(RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code))
        return ([], [])
      }
      // A directory that has vanished is treated as if it had never been there. After any other error it may exist, so
      // it is reported, and a restore leaves it alone.
      if error == .notFound || error == .stale || error == .notDirectory {
        node.isGone = true
        node.parent?.vanish(node.slot, wasKnown: node.known?.inode == node.status.inode, context)
      } else {
        context.passOver(CollectionOfOne(node.status.inode))
        context.report(BytePath(node.handle.path), "cannot be read: \(error)")
      }
      return ([], [])
    }
    if let listing = node.listing {
      filter = EntryFilter(node, context: context, directory.descriptor, listing)
    }
    try walk(directory.descriptor)
    if !passedOver.isEmpty { context.passOver(passedOver) }
    entries.handOver()
    return (files, folders)
  }

  private mutating func walk(_ directory: borrowing Descriptor) throws(StoreError) {
    guard let listing = node.listing else { return }
    var cursor = node.cached.map { CachedDirectory.Cursor($0) }
    try listing.withNames { (names) throws(StoreError) in
      for index in 0..<names.count {
        let name = names[index]
        let known = cursor?.entry(named: name)
        switch Result(catching: { () throws(Errno) in try directory.status(of: names.cString(index)) }) {
        case .success(let status):
          try enter(index, name, status, known, directory)
        case .failure(.notFound):
          node.vanish(index, wasKnown: known?.inode == listing.inode(at: index), context)
        case .failure(let error):
          report(index, name, "cannot be read: \(error)")
        }
      }
    }
    context.monitor.advance(files: listing.count - files.count - folders.count, bytes: 0)
  }

  private mutating func enter(
    _ index: Int, _ name: UnsafeBufferPointer<UInt8>, _ status: FileStatus, _ known: CachedEntry?,
    _ directory: borrowing Descriptor
  ) throws(StoreError) {
    let isOwn = ReservedName.isReserved(name) || name.elementsEqual(ReservedName.store)
    if status.identity == context.storeIdentity || (node.parent == nil && isOwn) {
      passedOver.append(status.inode)
      return
    }
    if try isLeftOut(name, status) {
      passedOver.append(status.inode)
      return
    }
    if EntryName.isStore(name) {
      // Only the store of this folder, at its top, is passed over in silence. Any other store holds the history of
      // another folder.
      return report(index, name, "not recorded: it is the store of another folder", isNote: true)
    }
    guard let kind = status.kind else {
      return report(index, name, "not recorded: it is of an unknown kind", isNote: true)
    }
    if kind == .socket { return report(index, name, "not recorded: it is a socket", isNote: true) }
    if status.device != context.device, !context.crossesMounts {
      return report(index, name, "not recorded: another file system is mounted there", isNote: true)
    }
    if kind == .directory { return try enterFolder(index, Array(name), status, known) }
    if status.linkCount > 1 {
      context.links.add(node.handle.path(of: Array(name)).bytes, of: status)
    }
    if let known, known.inode == status.inode, known.changed == status.changed,
      context.vouches(status, for: known.outline.content), known.outline.metadata.matches(status, known.outline.content)
    {
      context.count(status)
      node.record(EntrySlot(known, status), at: index)
      return
    }
    if kind == .regular {
      if context.readsAll || !isCertainlyNew(Array(name), status, known, directory) {
        files.append((Int32(index), status.size))
      } else {
        recordUnread(index, Array(name), status)
      }
      return
    }
    record(index, Array(name), status, kind, known, directory)
  }

  /// Whether a readable file differs from the cache for certain, whatever its content is.
  private func isCertainlyNew(
    _ name: [UInt8], _ status: FileStatus, _ known: CachedEntry?, _ directory: borrowing Descriptor
  ) -> Bool {
    guard node.knowsAll else { return false }
    if case .file(status.size, _)? = known?.outline.content { return false }
    // A file that cannot be opened is passed on, and its reader reports it.
    return (try? directory.open(name, .read)) != nil
  }

  /// Records a file whose content does not matter. The caller only needs to know that the file differs.
  private mutating func recordUnread(_ index: Int, _ name: [UInt8], _ status: FileStatus) {
    context.count(status)
    let content = status.size == 0 ? FileContent.empty : FileContent(level: 1, id: .zero)
    entries.append(
      TreeEntry(
        name: name, metadata: FileMetadata(status, attributes: []), content: .file(size: status.size, content)),
      slot: index, inode: status.inode, changed: status.changed)
  }

  /// Whether a name is ignored and the walk does not want it anyway.
  private mutating func isLeftOut(
    _ name: UnsafeBufferPointer<UInt8>, _ status: FileStatus
  ) throws(StoreError) -> Bool {
    guard filter != nil, try filter?.leavesOut(Array(name), status) == true else { return false }
    context.countIgnored()
    return true
  }

  private mutating func enterFolder(
    _ index: Int, _ name: [UInt8], _ status: FileStatus, _ known: CachedEntry?
  ) throws(StoreError) {
    folders.append(
      DirectoryNode(
        parent: node, slot: index, handle: DirectoryHandle(parent: node.handle, name: name), status: status,
        record: known.flatMap { $0.record == 0 ? nil : $0.record }, known: known,
        filter: filter?.inner ?? node.outerFilter, wanted: try filter?.wanted(in: name, status)))
  }

  /// Records a link, a fifo or a device.
  private mutating func record(
    _ index: Int, _ name: [UInt8], _ status: FileStatus, _ kind: FileKind, _ known: CachedEntry?,
    _ directory: borrowing Descriptor
  ) {
    do throws(Errno) {
      let content: EntryContent
      let number = status.deviceNumber
      switch kind {
      case .symbolicLink: content = .symbolicLink(try directory.readSymbolicLink(name))
      case .fifo: content = .fifo
      case .characterDevice: content = .characterDevice(major: number.major, minor: number.minor)
      default: content = .blockDevice(major: number.major, minor: number.minor)
      }
      let attributes = try directory.extendedAttributes(of: name)
      entries.append(
        TreeEntry(name: name, metadata: FileMetadata(status, attributes: attributes), content: content),
        slot: index, inode: status.inode, changed: status.changed)
      context.count(status)
    } catch {
      context.dropLink(name, of: node.handle)
      if error == .notFound {
        node.vanish(index, wasKnown: known?.inode == status.inode, context)
      } else {
        report(index, name, "cannot be read: \(error)")
      }
    }
  }

  private mutating func report(
    _ index: Int, _ name: some Collection<UInt8>, _ message: String, isNote: Bool = false
  ) {
    if let listing = node.listing { passedOver.append(listing.inode(at: index)) }
    context.report(node.handle.path(of: Array(name)), message, isNote: isNote)
  }
}
