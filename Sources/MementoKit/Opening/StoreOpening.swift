// Tells a store from what is none, and opens it. A store that is not whole is damage, and never a reason to make a new one.

internal import MementoStore
internal import MementoSystem

struct StoreOpening {
  let options: OpenOptions
  let owners: TrustedOwners

  init(_ options: OpenOptions) {
    self.options = options
    owners = TrustedOwners(options)
  }

  /// Whether a folder is a store. False also for what a creation has left that was killed. Throws `.damaged` for a store
  /// that has lost its config, unless it is opened to be mended.
  func holdsStore(_ root: borrowing Descriptor) throws(RepositoryError) -> Bool {
    try translating { () throws(StoreError) in
      switch try StoreEvidence.look(in: root) {
      case .nothing: return false
      case .store: return true
      case .parts:
        if options.mendsStore { return true }
        throw .damaged(file: "config", reason: "it is missing")
      }
    }
  }

  /// Opens what holds a store.
  func open(_ folder: OpenFolder) throws(RepositoryError) -> Store {
    let root: Descriptor
    do throws(Errno) {
      root = try folder.shared.descriptor.duplicate()
    } catch {
      throw RepositoryError(unreachable: folder.path, error)
    }
    // Only then its place says which folder it belongs to, should its config be lost.
    let isInsideFolder = folder.path.components.last == ReservedName.store
    let mended = options.mendsStore ? try mend(root, isInsideFolder: isInsideFolder) : []
    return try translating(root) { (root: consuming Descriptor) throws(StoreError) in
      try Store(opening: root, durable: options.isDurable, mended: mended, clock: options.clock)
    }
  }

  /// Puts back what a store cannot be opened without, while nobody else works with it.
  private func mend(_ root: borrowing Descriptor, isInsideFolder: Bool) throws(RepositoryError) -> [MendedPart] {
    let freed = try translating { () throws(StoreError) in try StoreMending.freeLocks(in: root) }
    let lock = try lockForMaking(root)
    let mended = try translating { () throws(StoreError) in
      try StoreMending.run(in: root, isInsideFolder: isInsideFolder, holding: lock)
    }
    return freed + mended
  }

  func lockForMaking(_ root: borrowing Descriptor) throws(RepositoryError) -> MakingLock {
    try translating { () throws(StoreError) in
      try StoreLocks.takeForMaking(
        in: root, waiting: LockWait(seconds: options.lockWait, hearing: options.monitor))
    }
  }
}
