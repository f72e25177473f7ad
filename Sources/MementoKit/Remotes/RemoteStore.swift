// A remote as a store: its packs are objects, its index is kept here. It is derived data: what is lost of it is asked for
// again.

internal import MementoObjects
internal import MementoStore
internal import MementoSystem

struct RemoteStore {
  private static let folderName = Array("store".utf8)

  let store: Store
  let packs: RemotePacks

  /// Opens the store of a remote in its folder, and makes it if it is missing or damaged.
  static func open(
    in folder: borrowing Descriptor, packs: RemotePacks, like local: Store
  ) throws(StoreError) -> RemoteStore {
    do throws(StoreError) {
      if let store = try existing(in: folder, packs) { return RemoteStore(store: store, packs: packs) }
    } catch {
      // It was not finished, or something of it was lost.
      guard error.isDamage || error.isNewer else { throw error }
    }
    let root: Descriptor
    do throws(Errno) {
      do throws(Errno) { try folder.removeTree(folderName) } catch { if error != .notFound { throw error } }
      root = try folder.makeOwnedDirectory(folderName)
    } catch {
      throw .system(operation: "make", path: "remotes", error)
    }
    var config = Config()
    config.compression = local.config.compression
    // Its packs are elsewhere.
    config.parity = .none
    _ = try Store.create(inOwn: root, config)
    guard let store = try existing(in: folder, packs) else {
      throw .damaged(file: "remotes", reason: "a folder that was just made is gone")
    }
    return RemoteStore(store: store, packs: packs)
  }

  private static func existing(in folder: borrowing Descriptor, _ packs: RemotePacks) throws(StoreError) -> Store? {
    let root: Descriptor
    do throws(Errno) {
      root = try folder.open(folderName, .directory)
    } catch {
      if error == .notFound { return nil }
      throw .system(operation: "open", path: "remotes", error)
    }
    // What it has can be made again, so nothing of it is flushed.
    return try Store(opening: root, durable: false, storages: (packs, NoRefs()))
  }
}

/// The names of a remote are in its records.
private struct NoRefs: RefsStorage {
  func read(ifOtherThan known: RefsVersion?) throws(StoreError) -> StoredRefs? {
    throw .damaged(file: "refs", reason: "a remote has none")
  }

  func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion? {
    throw .damaged(file: "refs", reason: "a remote has none")
  }
}
