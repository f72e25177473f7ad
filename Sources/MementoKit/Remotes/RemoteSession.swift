// A remote that is reached, known and open.

internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem

/// What an operation has of a remote. One operation uses it, and releases it.
final class RemoteSession {
  let url: RemoteURL
  let connector: RemoteConnector
  /// Below the seal, as it is now.
  private let base: any ObjectStorage
  /// All objects, opened, as they are now.
  let objects: any ObjectStorage
  private let once: OneListing
  /// The same with a listing that is made once, until `lookAnew`.
  let listed: any ObjectStorage
  let marker: RepositoryMarker
  let failures = RemoteFailures()

  var form: ObjectForm { marker.isSealed ? .sealed : .plain }

  /// Reaches a remote that has a repository. `expected`: what this store knows of it. Throws `.damaged` when it is another
  /// one, or is not sealed as it was.
  init(
    _ name: String?, _ url: RemoteURL, _ access: RemoteAccess, expecting expected: RemoteEntry?, monitor: any Monitor
  ) throws(RepositoryError) {
    self.url = url
    let connector = try RemoteConnector.reach(url, access, monitor: monitor)
    self.connector = connector
    base = connector.objects
    once = OneListing(base)
    let found = try Self.marker(of: once, url, connector)
    guard let marker = found else {
      if expected != nil {
        throw RepositoryError(.damaged, "there is no repository at \(url) any more", reason: .otherRepository)
      }
      throw RepositoryError(.noStore, "there is no repository at \(url)")
    }
    if let expected, expected.repository != marker.id.description {
      throw RepositoryError(
        .damaged, "the repository at \(url) is another one than before", reason: .otherRepository)
    }
    if let expected, expected.isSealed != marker.isSealed {
      throw RepositoryError(
        .damaged, "the repository at \(url) is \(marker.isSealed ? "sealed" : "plain"), and was not before",
        reason: .otherRepository)
    }
    self.marker = marker
    guard marker.isSealed else {
      objects = base
      listed = once
      return
    }
    let master = try Self.open(marker, once, name, url, access, connector)
    objects = SealedObjects(base, master)
    listed = SealedObjects(once, master)
  }

  private static func open(
    _ marker: RepositoryMarker, _ storage: any ObjectStorage, _ name: String?, _ url: RemoteURL, _ access: RemoteAccess,
    _ connector: RemoteConnector
  ) throws(RepositoryError) -> MasterKey {
    if let known = access.opened[marker.id] { return known }
    let secret = try access.unlock(RemoteUnlocking(remote: name, url: url, isNew: false)).slotSecret(url)
    do throws(KeyRing.Failure) {
      let (master, slot) = try KeyRing(storage, of: marker.id).open(with: secret)
      access.opened[marker.id] = master
      access.opened.note(slot)
      return master
    } catch {
      switch error {
      case .storage(let error): throw RepositoryError(error, of: url, said: connector.lastWords())
      case .seal(let error): throw RepositoryError(error, of: url)
      }
    }
  }

  /// From now on, what is listed is what is there at that time.
  func lookAnew() {
    once.lookAnew()
  }

  /// The marker of the repository; nil when there is none.
  static func marker(
    of storage: any ObjectStorage, _ url: RemoteURL, _ connector: RemoteConnector
  ) throws(RepositoryError) -> RepositoryMarker? {
    let name = try attempting(url, connector) { () throws(RemoteError) in try RepositoryFounding.marker(storage) }
    guard let name else { return nil }
    var bytes = [UInt8](repeating: 0, count: RepositoryMarker.maximumSize + 1)
    let count = try attempting(url, connector) { () throws(ObjectError) in
      var outcome = Result<Int, ObjectError>.success(0)
      bytes.withUnsafeMutableBytes { buffer in
        outcome = Result { () throws(ObjectError) in try storage.read(name, at: 0, into: buffer) }
      }
      return try outcome.get()
    }
    do throws(SealError) {
      return try RepositoryMarker(Array(bytes.prefix(count)), name: name)
    } catch {
      throw RepositoryError(error, of: url)
    }
  }

  static func attempting<Result>(
    _ url: RemoteURL, _ connector: RemoteConnector, _ body: () throws(RemoteError) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(RemoteError) {
      return try body()
    } catch {
      if case .storage(let error) = error {
        throw RepositoryError(error, of: url, said: error.kind == .unreachable ? connector.lastWords() : nil)
      }
      throw RepositoryError(error, of: url)
    }
  }

  static func attempting<Result>(
    _ url: RemoteURL, _ connector: RemoteConnector, _ body: () throws(ObjectError) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(ObjectError) {
      return try body()
    } catch {
      throw RepositoryError(error, of: url, said: error.kind == .unreachable ? connector.lastWords() : nil)
    }
  }

  /// Runs `body` and puts its errors into words.
  func attempt<Result>(_ body: () throws(ObjectError) -> Result) throws(RepositoryError) -> Result {
    try Self.attempting(url, connector, body)
  }

  /// The same for what works with records.
  func attempt<Result>(_ body: () throws(RemoteError) -> Result) throws(RepositoryError) -> Result {
    try Self.attempting(url, connector, body)
  }

  /// The same for what works with the packs of the remote: if the remote failed, its error is the reason.
  func attempt<Result>(_ body: () throws(StoreError) -> Result) throws(RepositoryError) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      if case .cancelled = error { throw .cancelled }
      guard let failure = failures.reason(of: error) else { throw RepositoryError(error) }
      throw RepositoryError(failure, of: url, said: failure.kind == .unreachable ? connector.lastWords() : nil)
    }
  }

  /// The same for what brings content here: damage is damage of the remote, since what is damaged here is asked for there.
  func receive<Result>(_ body: () throws(StoreError) -> Result) throws(RepositoryError) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      if error.isDamage, failures.reason(of: error) == nil {
        throw RepositoryError(ObjectError(.damaged, nil, RepositoryError(error).message), of: url)
      }
      return try attempt { () throws(StoreError) in throw error }
    }
  }

  /// Opens the packs of the remote as a store, whose index is kept in `folder`.
  func openStore(in folder: borrowing Descriptor, like local: Store) throws(RepositoryError) -> RemoteStore {
    var packs: [ObjectID: UInt64] = [:]
    let page = try attempt { () throws(ObjectError) in try listed.list(PackObject.prefix, page: nil) }
    for object in page.objects {
      if let name = PackObject.pack(object.name) { packs[name] = object.size }
    }
    let remotePacks = RemotePacks(objects, form, listed: packs, failures)
    return try translating { () throws(StoreError) in
      try RemoteStore.open(in: folder, packs: remotePacks, like: local)
    }
  }
}

extension RemoteSecret {
  /// What opens a slot. Throws `.invalidArgument` when it cannot be one.
  func slotSecret(_ url: RemoteURL) throws(RepositoryError) -> SlotSecret {
    do throws(SealError) {
      switch self {
      case .passphrase(let bytes): return try SlotSecret.passphrase(bytes)
      case .keyFile(let bytes): return try SlotSecret.keyFile(bytes)
      case .recoveryKey(let text): return SlotSecret.recoveryKey(try RecoveryKey(text: Array(text.utf8)))
      }
    } catch {
      throw RepositoryError(error, of: url)
    }
  }
}
