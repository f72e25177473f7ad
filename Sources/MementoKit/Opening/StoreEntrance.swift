// Tells what `.memento` in a folder is: a store, a pointer or link to a store elsewhere, or something unfinished.

internal import MementoStore
internal import MementoSystem

enum StoreEntrance {
  case none
  /// `.memento` belongs to a user who is not trusted.
  case foreign(user: UInt32)
  case store(OpenFolder, isLink: Bool)
  /// `.memento` points to a store elsewhere.
  case pointer(StorePointer)
  /// `.memento` is a folder without a store: a process began to make one and did not finish.
  case unfinished(OpenFolder)

  /// Looks at `.memento` in the folder `holder`.
  init(of holder: OpenFolder, _ opening: StoreOpening) throws(RepositoryError) {
    let owners = opening.owners
    let path = holder.path.appending(ReservedName.store)
    let status: FileStatus?
    do throws(Errno) {
      status = try holder.shared.descriptor.statusIfPresent(of: ReservedName.store)
    } catch {
      throw RepositoryError(.system, "cannot look for \(path): \(error)", path: path, systemError: error.code)
    }
    guard let status else {
      self = .none
      return
    }
    var isTrusted = owners.trusts(user: status.user)
    if !isTrusted { isTrusted = try owners.names(holder) }
    if !status.isDirectory {
      // It is not even opened: a link that another user has made may lead anywhere.
      guard isTrusted else {
        self = .foreign(user: status.user)
        return
      }
      guard status.kind == .symbolicLink else {
        throw RepositoryError(.damaged, "\(path) is not a folder", path: path)
      }
    }
    let isLink = !status.isDirectory
    let folder: OpenFolder
    do throws(Errno) {
      let opened = try holder.shared.descriptor.open(ReservedName.store, isLink ? .namedDirectory : .directory)
      folder = try OpenFolder(adopting: opened, path: path)
    } catch {
      if !isTrusted, error == .permissionDenied {
        self = .foreign(user: status.user)
        return
      }
      throw RepositoryError(unreachable: path, error)
    }
    // The opened folder decides: the name may mean something else by now.
    if isLink {
      guard try owners.trusts(folder) else {
        throw RepositoryError(foreignStore: folder.path, user: folder.status.user)
      }
    } else if try !owners.trusts(folder), try !owners.names(holder) {
      self = .foreign(user: folder.status.user)
      return
    }
    self = try StoreEntrance(at: folder, isLink: isLink, opening)
  }

  /// Looks into an open folder. Throws for a store that has lost parts.
  init(at folder: OpenFolder, isLink: Bool, _ opening: StoreOpening) throws(RepositoryError) {
    if try opening.holdsStore(folder.shared.descriptor) {
      self = .store(folder, isLink: isLink)
    } else if let pointer = try StorePointer.read(in: folder) {
      self = .pointer(pointer)
    } else {
      self = .unfinished(folder)
    }
  }
}

extension RepositoryError {
  /// The folder names a store that cannot be opened. No other store is made in its place.
  init(unreachable path: BytePath, _ errno: Errno) {
    self.init(
      errno == .notFound ? .storeUnreachable : .system, "cannot open the store \(path): \(errno)",
      path: path, systemError: errno.code)
  }

  /// The pointer of `folder` names a store that cannot be used.
  init(lost store: BytePath, pointer folder: BytePath, reason: String) {
    self.init(
      .storeUnreachable, "the store of the folder \(folder) cannot be used: \(store): \(reason)",
      reason: .lostStore, path: store)
    self.folder = folder
  }
}
