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
  /// What the next session need not read again; nil when the listing did not have it.
  let opening: RemoteOpening?
  let failures = RemoteFailures()

  var form: ObjectForm { marker.isSealed ? .sealed : .plain }

  /// Reaches a remote that has a repository. `expected`: what this store knows of it; `opened`: how it was opened the last
  /// time. `meanwhile` runs before anything is waited for. Throws `.damaged` when it is another one, or is not sealed as it was.
  init(
    _ name: String?, _ url: RemoteURL, _ access: RemoteAccess, expecting expected: RemoteEntry?,
    opened: RemoteOpening? = nil, monitor: any Monitor, meanwhile: () -> Void = {}
  ) throws(RepositoryError) {
    self.url = url
    let connector = try RemoteConnector.reach(url, access, monitor: monitor)
    self.connector = connector
    let early = try EarlyKey.begin(name, url, access, expecting: expected, opened)
    meanwhile()
    base = connector.objects
    once = OneListing(base)
    let looked = RemoteMarkerLook(once, url, connector)
    guard let marker = try looked.marker(expected, opened) else {
      if expected != nil {
        throw RepositoryError(.damaged, "there is no repository at \(url) any more", reason: .lostRepository)
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
    let markerObject = try looked.listed(marker.name)
    guard marker.isSealed else {
      objects = base
      listed = once
      opening = markerObject.map { RemoteOpening(marker: $0) }
      return
    }
    let key = RemoteKeyLook(marker, once, looked, name, url, access, connector)
    let master = try key.open(opened?.slot, early)
    objects = SealedObjects(base, master)
    listed = SealedObjects(once, master)
    let slot = try access.opened.slot(of: marker.id).flatMap { (slot) throws(RepositoryError) in
      try looked.listed(slot.name).map { (object: $0, value: slot) }
    }
    opening = markerObject.map { RemoteOpening(marker: $0, slot: slot) }
  }

  /// From now on, what is listed is what is there at that time.
  func lookAnew() {
    once.lookAnew()
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
      if case .system(_, _, .notFound) = error, failures.reason(of: error) == nil, let absence = failures.absence {
        throw RepositoryError(absence, of: url)
      }
      if error.isDamage, failures.reason(of: error) == nil {
        let reason = RepositoryError.elsewhere(RepositoryError(error).message)
        throw RepositoryError(ObjectError(.damaged, nil, reason), of: url)
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
