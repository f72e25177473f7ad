// One directory: lists it, compares each entry with what the cache knows, and says which files must be read and which
// folders entered. Everything else is recorded here and now.

internal import MementoStore
internal import MementoSystem

struct DirectoryWalk {
  private let node: DirectoryNode
  private let context: SaveContext
  private var files: [(index: Int32, size: UInt64)] = []
  private var folders: [DirectoryNode] = []
  private var encoded = ByteWriter()
  private var encodedSlots: [Int] = []
  private var filter: EntryFilter?

  init(_ node: DirectoryNode, context: SaveContext) {
    self.node = node
    self.context = context
  }

  /// What is left to do: files by index, and folders.
  consuming func run() throws(StoreError) -> (files: [(index: Int32, size: UInt64)], folders: [DirectoryNode]) {
    let directory: SharedDescriptor
    do throws(Errno) {
      let opened = Result { () throws(Errno) in try node.handle.open() }
      // Open or not: the way here is not needed any more.
      node.parent?.userEnded()
      directory = try opened.get()
      if node.parent != nil { node.attributes = try directory.descriptor.extendedAttributes() }
      node.begin(try DirectoryListing(reading: directory.descriptor), context.cache)
    } catch {
      // Without the folder itself there is nothing to record: an empty snapshot would say that everything was removed.
      if node.parent == nil {
        context.fail(RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code))
        return ([], [])
      }
      // Gone since it was listed: it was not there. Anything else: it is there, and a restore must leave it alone.
      if error == .notFound || error == .stale {
        node.isGone = true
      } else {
        context.report(BytePath(node.handle.path), "cannot be read: \(error)")
      }
      return ([], [])
    }
    if let listing = node.listing {
      filter = EntryFilter(node, context: context, directory.descriptor, listing)
    }
    try walk(directory.descriptor)
    if !encodedSlots.isEmpty {
      let arena = node.adopt(encoded.bytes)
      for slot in encodedSlots { node.slots[slot].arena = arena }
    }
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
        case .failure(let error):
          if error != .notFound { report(name, "cannot be read: \(error)") }
        }
      }
    }
    context.monitor.advance(files: listing.count - files.count - folders.count, bytes: 0)
  }

  private mutating func enter(
    _ index: Int, _ name: UnsafeBufferPointer<UInt8>, _ status: FileStatus, _ known: CachedEntry?,
    _ directory: borrowing Descriptor
  ) throws(StoreError) {
    if status.identity == context.storeIdentity { return }
    if node.parent == nil, ReservedName.isReserved(name) { return }
    if try isLeftOut(name, status) { return }
    if EntryName.isStore(name) {
      // The store of this folder is reached by its own name; any other is somebody's history, and theirs alone.
      return report(name, "not recorded: it is the store of another folder", isNote: true)
    }
    guard let kind = status.kind else { return report(name, "not recorded: it is of an unknown kind", isNote: true) }
    if kind == .socket { return report(name, "not recorded: it is a socket", isNote: true) }
    if status.device != context.device, !context.crossesMounts {
      return report(name, "not recorded: another file system is mounted there", isNote: true)
    }
    if kind == .directory { return try enterFolder(index, Array(name), status, known) }
    if status.linkCount > 1 {
      context.links.add(node.handle.path(of: Array(name)).bytes, of: status)
    }
    if let known, known.inode == status.inode, known.changed == status.changed,
      context.vouches(status, for: known.outline.content), known.outline.metadata.matches(status, known.outline.content)
    {
      context.count(status)
      node.slots[index] = EntrySlot(known, status)
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
    record(index, Array(name), status, kind, directory)
  }

  /// Whether a file that can be read is another than the cache knew, whatever it holds.
  private func isCertainlyNew(
    _ name: [UInt8], _ status: FileStatus, _ known: CachedEntry?, _ directory: borrowing Descriptor
  ) -> Bool {
    if case .file(status.size, _)? = known?.outline.content { return false }
    return (try? directory.open(name, .read)) != nil
  }

  /// Records a file whose content does not matter: only that there is such a file.
  private mutating func recordUnread(_ index: Int, _ name: [UInt8], _ status: FileStatus) {
    context.count(status)
    let content = status.size == 0 ? FileContent.empty : FileContent(level: 1, id: .zero)
    encode(
      TreeEntry(
        name: name, metadata: FileMetadata(status, attributes: []), content: .file(size: status.size, content)),
      index, status)
  }

  private mutating func encode(_ entry: TreeEntry, _ index: Int, _ status: FileStatus) {
    let start = encoded.bytes.count
    TreeEntryCodec.encode(entry, into: &encoded)
    node.slots[index] = EntrySlot(
      state: .encoded, start: Int32(start), length: Int32(encoded.bytes.count - start), inode: status.inode,
      changed: status.changed)
    encodedSlots.append(index)
  }

  /// Whether a name is ignored, and not wanted all the same.
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
    _ index: Int, _ name: [UInt8], _ status: FileStatus, _ kind: FileKind, _ directory: borrowing Descriptor
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
      encode(
        TreeEntry(name: name, metadata: FileMetadata(status, attributes: attributes), content: content), index, status)
      context.count(status)
    } catch {
      if error != .notFound { report(name, "cannot be read: \(error)") }
    }
  }

  private func report(_ name: some Collection<UInt8>, _ message: String, isNote: Bool = false) {
    context.report(node.handle.path(of: Array(name)), message, isNote: isNote)
  }
}
