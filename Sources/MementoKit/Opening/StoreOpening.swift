// Tells whether a folder is a store, and opens it. An incomplete store is damaged; it never leads to a new store.

internal import MementoStore
internal import MementoSystem

struct StoreOpening {
  let options: OpenOptions
  let owners: TrustedOwners

  init(_ options: OpenOptions) {
    self.options = options
    owners = TrustedOwners(options)
  }

  /// Whether a folder is a store. False for a store whose creation was killed. Throws `.damaged` for a store without a
  /// config, unless it is opened for a repair.
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

  /// Opens the store in a folder. `fork`: the fork that is worked in.
  func open(_ folder: OpenFolder, fork: ForkID? = nil) throws(RepositoryError) -> Store {
    let root: Descriptor
    do throws(Errno) {
      root = try folder.shared.descriptor.duplicate()
    } catch {
      throw RepositoryError(unreachable: folder.path, error)
    }
    // If the config of such a store is lost, its place still tells which folder it belongs to.
    let isInsideFolder = folder.path.components.last == ReservedName.store
    let mended = options.mendsStore ? try mend(root, isInsideFolder: isInsideFolder) : []
    return try translating(root) { (root: consuming Descriptor) throws(StoreError) in
      try Store(opening: root, durable: options.isDurable, mended: mended, clock: options.clock, fork: fork)
    }
  }

  /// Puts back the parts that a store needs to be opened. A lock keeps all others out meanwhile.
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
