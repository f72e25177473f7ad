// Which repository is there, and the key that opens it: what each operation asks a remote first.

internal import MementoObjects
internal import MementoRemote
internal import MementoSeal

/// Looks for the marker of a repository.
struct RemoteMarkerLook {
  private let storage: any ObjectStorage
  private let url: RemoteURL
  private let connector: RemoteConnector

  /// `storage`: one that lists once.
  init(_ storage: any ObjectStorage, _ url: RemoteURL, _ connector: RemoteConnector) {
    self.storage = storage
    self.url = url
    self.connector = connector
  }

  /// The marker that counts; nil when there is no repository. `expected`: what is known of the repository. Its marker is the
  /// only one then, unless somebody has put another repository in its place. `opened`: as it was read the last time.
  func marker(_ expected: RemoteEntry?, _ opened: RemoteOpening?) throws(RepositoryError) -> RepositoryMarker? {
    if let expected, let id = RepositoryID(expected.repository) {
      let known = RepositoryMarker(id: id, isSealed: expected.isSealed)
      if let object = try listed(known.name) {
        if opened?.marker == object { return known }
        if let marker = try read(known.name) { return marker }
      }
    }
    let storage = storage
    let name = try RemoteSession.attempting(url, connector) { () throws(RemoteError) in
      try RepositoryFounding.marker(storage)
    }
    guard let name else { return nil }
    if let marker = try read(name) { return marker }
    throw RepositoryError(ObjectError.notFound(name), of: url)
  }

  /// An object as it is listed; nil when it is not.
  func listed(_ name: ObjectName) throws(RepositoryError) -> ListedObject? {
    let folder = name.text.hasPrefix(KeySlot.folder) ? KeySlot.folder : RepositoryMarker.folder
    let storage = storage
    return try RemoteSession.attempting(url, connector) { () throws(ObjectError) in
      try storage.list(folder, page: nil).objects.first { $0.name == name }
    }
  }

  /// Nil when it is not there any more.
  func read(_ name: ObjectName) throws(RepositoryError) -> RepositoryMarker? {
    let storage = storage
    let bytes: [UInt8]? = try RemoteSession.attempting(url, connector) { () throws(ObjectError) in
      var bytes = [UInt8](repeating: 0, count: RepositoryMarker.maximumSize + 1)
      do throws(ObjectError) {
        var outcome = Result<Int, ObjectError>.success(0)
        bytes.withUnsafeMutableBytes { buffer in
          outcome = Result { () throws(ObjectError) in try storage.read(name, at: 0, into: buffer) }
        }
        return Array(bytes.prefix(try outcome.get()))
      } catch {
        guard error.kind == .notFound else { throw error }
        return nil
      }
    }
    guard let bytes else { return nil }
    do throws(SealError) { return try RepositoryMarker(bytes, name: name) } catch {
      throw RepositoryError(error, of: url)
    }
  }
}

/// Opens a sealed repository with the secret of the user.
struct RemoteKeyLook {
  private let marker: RepositoryMarker
  private let storage: any ObjectStorage
  private let look: RemoteMarkerLook
  private let name: String?
  private let url: RemoteURL
  private let access: RemoteAccess
  private let connector: RemoteConnector

  init(
    _ marker: RepositoryMarker, _ storage: any ObjectStorage, _ look: RemoteMarkerLook, _ name: String?,
    _ url: RemoteURL, _ access: RemoteAccess, _ connector: RemoteConnector
  ) {
    self.marker = marker
    self.storage = storage
    self.look = look
    self.name = name
    self.url = url
    self.access = access
    self.connector = connector
  }

  /// The master key. `known`: the slot that opened the repository the last time. While it is listed as it was then, it is
  /// not read again. `early`: that slot, being opened.
  func open(
    _ known: (object: ListedObject, value: KeySlot)?, _ early: EarlyKey?
  ) throws(RepositoryError) -> MasterKey {
    if let master = access.opened[marker.id] { return master }
    let secret =
      if let early { early.secret } else {
        try access.unlock(RemoteUnlocking(remote: name, url: url, isNew: false)).slotSecret(url)
      }
    if let known, known.value.repository == marker.id, known.value.kind == secret.kind,
      try look.listed(known.object.name) == known.object, let master = try opened(known.value, secret, early)
    {
      return note(master, known.value)
    }
    do throws(KeyRing.Failure) {
      let (master, slot) = try KeyRing(storage, of: marker.id).open(with: secret)
      return note(master, slot)
    } catch {
      switch error {
      case .storage(let error): throw RepositoryError(error, of: url, said: connector.lastWords())
      case .seal(let error): throw RepositoryError(error, of: url)
      }
    }
  }

  private func note(_ master: MasterKey, _ slot: KeySlot) -> MasterKey {
    access.opened[marker.id] = master
    access.opened.note(slot)
    return master
  }

  /// Nil when the secret is that of another slot.
  private func opened(
    _ slot: KeySlot, _ secret: SlotSecret, _ early: EarlyKey?
  ) throws(RepositoryError) -> MasterKey? {
    do throws(SealError) {
      if let early, early.slot == slot { return try early.master() }
      return try slot.open(with: secret)
    } catch {
      if error.kind == .wrongKey { return nil }
      throw RepositoryError(error, of: url)
    }
  }
}
