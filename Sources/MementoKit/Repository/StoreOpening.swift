// Tells a store from what is none, and opens it. A store that is not whole is damage, and never a reason to make a new one.

internal import MementoStore
internal import MementoSystem

extension StoreFinder {
  /// Whether a folder is a store. False also for what a creation has left that was killed. Throws `.damaged` for a store
  /// that has lost its config, unless it is opened to be mended.
  func holdsStore(_ root: borrowing Descriptor) throws(RepositoryError) -> Bool {
    do throws(StoreError) {
      switch try StoreEvidence.look(in: root) {
      case .nothing: return false
      case .store: return true
      case .parts:
        if options.mendsStore { return true }
        throw .damaged(file: "config", reason: "it is missing")
      }
    } catch {
      throw RepositoryError(error)
    }
  }

  /// Opens what holds a store. `isInsideFolder`: it lies in the folder that it belongs to.
  func open(_ root: consuming Descriptor, isInsideFolder: Bool) throws(RepositoryError) -> Store {
    let mended = options.mendsStore ? try mend(root, isInsideFolder: isInsideFolder) : []
    do throws(StoreError) {
      return try Store(opening: root, durable: options.isDurable, mended: mended)
    } catch {
      throw RepositoryError(error)
    }
  }

  /// Puts back what a store cannot be opened without, while nobody else works with it.
  private func mend(_ root: borrowing Descriptor, isInsideFolder: Bool) throws(RepositoryError) -> [MendedPart] {
    let freed = try translating { () throws(StoreError) in try StoreMending.freeLock(in: root) }
    let lock = try lockForMaking(root, BytePath(".memento"))
    let mended = try translating { () throws(StoreError) in
      try StoreMending.run(in: root, isInsideFolder: isInsideFolder)
    }
    _ = consume lock
    return freed + mended
  }
}
